//! `bakeoff explore`: from a statement to a report, with a model that writes everything between.

use super::asked::INTERRUPTED;
use super::criteria_options::CriteriaOptions;
use super::draft_files::{experiment_name, write_all};
use super::explore_opinion::{self, OpinionRequest, SketchName};
use super::explore_output::{ExploreOutput, UnusableOutput};
use super::explored_run;
use super::failure::Failure;
use super::generate;
use super::ideas::OwnIdeas;
use super::like::{LikeExperiment, LikeOption};
use super::models::ModelArguments;
use super::new_criteria::{CriteriaOrigin, NewCriteria};
use super::on_event::{Listener, OnEvent};
use super::open_tasks::{self, OpenTasks};
use super::options::{Format, Output, Safety};
use super::other_machines::{WorkersArguments, say_workers};
use super::planned::{PlanOutput, goes_on, plan_text};
use super::writing::{CONTEXT, Writing};
use super::{Status, counts, show};
use crate::library::check_places;
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::planning::{Planning, planned};
use crate::library::generation::record::{self, ExplorationRecord};
use crate::library::generation::{changed, outcome, research, written};
use bakeoff_config::{FILE_NAME, LoadedExperiment, Policy, Prompts};
use bakeoff_domain::spec::Criterion;
use bakeoff_propose::{
    APPROACHES, DraftFile, ExploreOptions, Explored, NewExperiment, PROPOSALS_MAX, PlanBounds,
    PlanRequest, PlanScope,
};
use bakeoff_provider::{Models, OpenTask, Purpose};
use bakeoff_render::escape::{Lines, Plain, ShellPath};
use bakeoff_run::KnownMachine;
use bakeoff_source::content_address;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Solves a problem in several ways, from a statement alone: a model plans the work, writes interface, workload
/// and approaches, and what passes is measured
///
/// The folder becomes an ordinary experiment that you can read, change and run again. Before approaches are asked
/// for, the workload is built, called and its oracle tested with wrong answers; what fails goes back with what was
/// wrong. Everything that a model writes is built and run fenced in.
///
/// An exploration that was killed, or that a budget ended, goes on with the same command (and a larger budget), and
/// pays for no reply twice.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff explore \"Find the longest palindrome in a text.\" --out palindromes --provider anthropic \\
      --model claude-sonnet-5-5 --usd 1
  bakeoff explore \"…\" --out palindromes --provider anthropic --model claude-sonnet-5-5 --usd 1 --dry-run
  bakeoff explore \"Design a caching strategy for our API\" --opinion --out caching --provider anthropic \\
      --model claude-sonnet-5-5 --usd 1

Exit status: as `bakeoff run` has; 1 if no interface or workload could be used, or no
function answers the question; 4 if a budget ended it, or the
model gives no answers, or tasks wait for yours (what passed until then is written, and not measured).",
    mut_arg("provider", |provider| provider.required(true)))]
pub(super) struct Arguments {
    /// The problem, in a sentence or several
    statement: String,
    /// The folder of the experiment; without one yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How many approaches, beside your own ideas; `auto` leaves it to the plan, by the complexity of the problem
    #[arg(long, value_name = "N", default_value = "auto", value_parser = counts::approaches)]
    approaches: counts::Approaches,
    #[command(flatten)]
    own: OwnIdeas,
    /// Answer in words, for a question that no function answers: approaches are developed as texts and judged by the model.
    /// Nothing is run, and the report says so, and what could be measured
    #[arg(long, conflicts_with_all = ["repairs", "repair_model", "workers", "workers_creds", "workers_ca", "recheck", "like", "research"])]
    opinion: bool,
    /// With --opinion: the form of the sketch in each text
    #[arg(long, value_enum, requires = "opinion", default_value = "pseudocode")]
    sketch: SketchName,
    #[command(flatten)]
    criteria: CriteriaOptions,
    #[command(flatten)]
    like: LikeOption,
    /// Show the plan and what it is expected to cost, and stop; the plan is asked for once only
    #[arg(long)]
    dry_run: bool,
    /// Go on without a question on a terminal
    #[arg(long)]
    yes: bool,
    /// Write the experiment, and do not measure it
    #[arg(long)]
    no_run: bool,
    #[command(flatten)]
    workers: WorkersArguments,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    on_event: OnEvent,
    #[command(flatten)]
    safety: Safety,
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let listener = arguments.on_event.start()?;
    let ended = explored(arguments, output, &listener).await;
    listener.end(&mut output.reporter());
    ended
}

async fn explored(
    arguments: &Arguments,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    if arguments.no_run || arguments.dry_run {
        output.only(&[Format::Human, Format::Json])?;
    }
    let chars = arguments.statement.chars().count();
    if arguments.statement.trim().is_empty() || chars > bakeoff_config::PROSE_CHARS_MAX {
        return Err(Failure::usage(format!(
            "the problem has {chars} characters, and it may have 1 to {}",
            bakeoff_config::PROSE_CHARS_MAX
        )));
    }
    arguments.own.check(arguments.approaches.0)?;
    let like = arguments.like.read()?;
    let experiment = arguments.out.join(FILE_NAME);
    let has_experiment = experiment.exists() || experiment.is_symlink();
    if arguments.opinion {
        let request = arguments.in_words(has_experiment);
        return explore_opinion::run(&request, output, listener).await;
    }
    let earlier = if has_experiment {
        Some(arguments.unfinished(like.as_ref())?)
    } else {
        None
    };
    let folders = ["wit/", &format!("{APPROACHES}/")];
    check_places(&arguments.out, &[&folders[..], &["workload.rs"]].concat())?;
    record::set_foreign_aside(&arguments.out, &mut output.reporter())?;
    let machine = KnownMachine::default();
    if !arguments.dry_run {
        let known = (&arguments.safety, &Policy::of_host()?);
        arguments.workers.connect(&machine, known, output).await?;
    }
    let wanted = arguments.own.ideas().count() + arguments.approaches.0.unwrap_or(0);
    // The plan decides the others.
    let criteria = arguments.decided(like.as_ref())?.into_iter();
    let criteria = criteria.flat_map(|(_, criteria)| criteria);
    let criteria = criteria.map(|one| one.name).collect();
    let events = GenerationEvents::begin(
        &arguments.out,
        (wanted, criteria),
        listener.teller(),
        &mut output.reporter(),
    );
    let asked = (&arguments.model, Some(arguments.writing.repair_model()));
    let models = generate::open_models(asked, &arguments.out, output, &events)?;
    let models = Arc::new(models);
    let exploring = arguments.explore(&models, like.as_ref(), (output, &machine), &events);
    let explored = tokio::select! {
        explored = exploring => explored,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
    };
    say_workers(&machine, output);
    // Nothing is written while one of these waits.
    let is_first = |task: &OpenTask| matches!(task.purpose, Purpose::Plan | Purpose::Research);
    if let Some(tasks) = OpenTasks::of(&models)
        && models.open_tasks().iter().any(is_first)
    {
        events.end(false);
        tasks.write(output)?;
        return Ok(Status::Provider);
    }
    let Some(explored) = explored? else {
        return Ok(Status::Done);
    };
    events.end(explored.explored.ended.is_none());
    arguments
        .finish(
            explored,
            &models,
            (earlier.as_ref(), like.as_ref()),
            (output, listener),
            machine,
        )
        .await
}

/// Result of an exploration, with what was decided before it.
struct Exploration {
    explored: Explored,
    planning: Planning,
    criteria: NewCriteria,
}

impl Arguments {
    /// Returns the request for an answer in words.
    fn in_words(&self, has_experiment: bool) -> OpinionRequest<'_> {
        OpinionRequest {
            statement: &self.statement,
            out: &self.out,
            has_experiment,
            more: self.approaches.0,
            own: &self.own,
            criteria: &self.criteria,
            writing: &self.writing,
            model: &self.model,
            sketch: self.sketch,
            dry_run: self.dry_run,
            yes: self.yes,
            no_run: self.no_run,
            safety: &self.safety,
        }
    }

    /// Returns a text that identifies the request: an unfinished exploration goes on only if its text is the same.
    fn wanted(&self, like: Option<&LikeExperiment>) -> String {
        let approaches = self
            .approaches
            .0
            .map_or("auto".to_owned(), |count| count.to_string());
        format!(
            "statement {}, approaches {approaches}{}, {}, {}",
            content_address(self.statement.as_bytes()),
            self.own.ideas().identity()
                + &self.criteria.identity()
                + &like.map(LikeExperiment::identity).unwrap_or_default(),
            self.writing.options().identity(),
            self.model.wanted()
        )
    }

    /// Returns the criteria that are decided before a plan: those of the user, or those of an earlier experiment.
    fn decided(
        &self,
        like: Option<&LikeExperiment>,
    ) -> Result<Option<(CriteriaOrigin, Vec<Criterion>)>, Failure> {
        let of_user = self.criteria.decided()?;
        Ok(of_user.or_else(|| like.and_then(LikeExperiment::decided)))
    }

    /// Returns the experiment that an unfinished exploration of the same request left in the folder.
    ///
    /// # Errors
    /// The folder has another experiment, or a file was changed since.
    fn unfinished(&self, like: Option<&LikeExperiment>) -> Result<LoadedExperiment, Failure> {
        let named = self.out.display().to_string();
        let (plain, path) = (Plain(&named), ShellPath(&named));
        let Some(record) = ExplorationRecord::unfinished(&self.out, &self.wanted(like)) else {
            return Err(Failure::usage(format!(
                "{plain} has an experiment already: `bakeoff generate {path}` adds approaches to it, `bakeoff run` \
                 measures it"
            )));
        };
        if let Some(changed) = record.changed_file(&self.out) {
            return Err(Failure::usage(format!(
                "{} was changed since the exploration ended, which cannot go on with it: `bakeoff generate {path}` \
                 adds approaches to what there is now",
                Plain(changed)
            )));
        }
        Ok(bakeoff_config::load(&self.out)?)
    }

    /// Asks for a plan and carries it out. Returns `None` if it ends with the plan: with `--dry-run`, or if the user
    /// declines to go on.
    async fn explore(
        &self,
        models: &Arc<Models>,
        like: Option<&LikeExperiment>,
        (output, machine): (&Output, &KnownMachine),
        events: &GenerationEvents,
    ) -> Result<Option<Exploration>, Failure> {
        let policy = Policy::of_host()?;
        let host = self.safety.host_options_on(policy, machine)?;
        let mut say = output.reporter();
        if let Some(like) = like {
            let with_criteria = self.criteria.decided()?.is_none();
            say(&format!("--like: {}", like.sentence(with_criteria)));
        }
        let cores = bakeoff_confine::usable_cores().len();
        let cores = self.workers.cores().map_or(cores, |count| count as usize);
        let approaches = self.approaches.0.unwrap_or(PROPOSALS_MAX);
        let (own, writing) = (self.own.ideas(), self.writing.options());
        let propose = writing.propose(approaches, (cores, &Prompts::default()), events);
        let told = writing.told(&self.statement, CONTEXT)?;
        let wished = own.count();
        let wanted = match self.approaches.0 {
            Some(more) => Some(wished + more),
            None if wished > 0 => Some(wished),
            None => None,
        };
        let decided = self.decided(like)?;
        let asks_research =
            writing.research && research::is_open(&self.out, &told, &propose.write.prompts);
        let request = PlanRequest {
            statement: &told,
            scope: PlanScope::Statement,
            approaches: wanted,
            diversity: propose.diversity,
            criteria: decided.as_ref().map(|(_, criteria)| &criteria[..]),
            bounds: PlanBounds::of(models, cores, propose.write.timeout),
            prompts: &propose.write.prompts,
        };
        let ideas = own.wished();
        let names = ideas.iter().map(|one| one.idea.name.clone()).collect();
        let planning = planned(
            models,
            (&self.out, &self.wanted(like)),
            request,
            (asks_research, names),
            &mut say,
        )
        .await?;
        if self.dry_run {
            match output.format {
                Format::Json => show::write_json(&PlanOutput::from(&planning))?,
                _ => show::write(&plan_text(&planning))?,
            }
            return Ok(None);
        }
        say(plan_text(&planning).trim_end());
        let plan = &planning.plan;
        if !self.yes && !goes_on(models)? {
            return Ok(None);
        }
        let told = if writing.research {
            let asked = (told.as_str(), &propose.write.prompts);
            let told = research::with_research(models, &self.out, asked, &mut say).await?;
            told.map_err(|error| Failure::unanswered(&error))?
        } else {
            told
        };
        let criteria = NewCriteria::choose(decided, plan);
        let experiment = NewExperiment {
            criteria: criteria.criteria.clone(),
            comment: criteria.comment(),
            ..NewExperiment::usual(&experiment_name(&self.out))
        };
        let options = ExploreOptions {
            statement: self.statement.clone(),
            told,
            like: like.map(|like| like.example.clone()),
            experiment: match like {
                Some(like) => like.applied_to(experiment),
                None => experiment,
            },
            propose,
            wished: ideas,
        };
        // Progress may quote a panic or a compiler.
        let escaped = move |text: &str| say(&Lines(text).to_string());
        let explored = bakeoff_propose::explore(models, plan, &host, &options, escaped).await?;
        Ok(Some(Exploration {
            explored,
            planning,
            criteria,
        }))
    }

    /// Writes what passed into the folder, and measures the experiment if that is complete and `--no-run` is not set.
    async fn finish(
        &self,
        exploration: Exploration,
        models: &Models,
        (earlier, like): (Option<&LoadedExperiment>, Option<&LikeExperiment>),
        (output, listener): (&Output, &Listener),
        machine: KnownMachine,
    ) -> Result<Status, Failure> {
        let Exploration {
            explored,
            planning,
            criteria,
        } = exploration;
        for warning in models.warnings() {
            output.reporter()(&Plain(&warning).to_string());
        }
        let (experiment, others): (Vec<&DraftFile>, Vec<&DraftFile>) =
            (explored.files.iter()).partition(|file| file.name == FILE_NAME);
        write_all(&self.out, &others)?;
        let declared = earlier.map_or(&[][..], |loaded| &loaded.experiment.approaches);
        let written = if explored.files.is_empty() {
            Vec::new()
        } else {
            written::write_files(&self.out, declared, &explored.proposals)?
        };
        let digest = |file: &&DraftFile| {
            let digest = content_address(file.text.as_bytes());
            (file.name.clone(), digest)
        };
        let mut generation = ExploreOutput {
            record: ExplorationRecord {
                wanted: self.wanted(like),
                files: others.iter().map(digest).collect(),
                is_complete: false,
            },
            approaches: outcome::keep(
                &self.out,
                &explored.proposals,
                &written,
                Some(models),
                Some(&planning),
            )?,
            criteria: Some(criteria.or_of_file(earlier)),
            oracle: explored.oracle.as_ref(),
            not_started: &explored.not_started,
            unusable: explored
                .unusable
                .as_ref()
                .map(|(kind, reason)| UnusableOutput {
                    task: *kind,
                    reason,
                }),
            tasks: None,
        };
        record::put(&self.out, &generation)?;
        // The experiment file, by which a folder is one, comes last, and with all approaches: until then, the same
        // command goes on.
        for file in experiment {
            match earlier {
                Some(loaded) => {
                    let path = self.out.join(&file.name);
                    changed::change(&path, loaded, &mut output.reporter(), |now| {
                        let declared = &now.experiment.approaches;
                        written::with_written(&now.text, declared, &explored.proposals, &written)
                    })?;
                }
                None => {
                    let text =
                        written::with_written(&file.text, declared, &explored.proposals, &written);
                    let name = file.name.clone();
                    write_all(&self.out, &[&DraftFile { name, text }])?;
                }
            }
        }
        if explored.ended.is_none() {
            generation.record.is_complete = true;
            record::put(&self.out, &generation)?;
        }
        generation.tasks = OpenTasks::of(models);
        let is_measured = !self.no_run && explored.ended.is_none() && !explored.files.is_empty();
        match (output.format, is_measured) {
            (Format::Json, false) => show::write_json(&generation)?,
            (_, false) => show::write(&generation.text(models, Some(&self.out)))?,
            (_, true) => output.reporter()(generation.text(models, None).trim_end()),
        }
        if let Some(error) = &explored.ended {
            return open_tasks::ending(error);
        }
        if explored.files.is_empty() {
            return Ok(Status::NoAnswer);
        }
        if is_measured {
            let asked = (&self.safety, machine);
            return explored_run::measure(&self.out, asked, output, listener).await;
        }
        let failed = written.len() < explored.proposals.len() || !explored.not_started.is_empty();
        Ok(match (written.is_empty(), failed) {
            (true, _) => Status::NoAnswer,
            (false, true) => Status::SomeFailed,
            (false, false) => Status::Done,
        })
    }
}
