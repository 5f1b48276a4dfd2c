//! `bakeoff explore`: from a statement to a report, with a model that writes everything between.

use super::confirmation::goes_on;
use super::criteria_options::{CRITERIA, CriteriaOptions};
use super::explore_opinion::{self, OpinionArguments, SketchName};
use super::explore_output::{ExploreOutput, status};
use super::explored_run;
use super::failure::Failure;
use super::generate;
use super::generation_consent::INTERRUPTED;
use super::ideas::OwnIdeas;
use super::like_option::LikeOption;
use super::models::ModelArguments;
use super::on_event::{Listener, OnEvent};
use super::open_tasks::OpenTasks;
use super::options::{Format, Output, Safety};
use super::other_machines::{WorkersArguments, say_workers};
use super::writing_arguments::{CONTEXT, INSTRUCTIONS, WritingArguments};
use super::{Status, show, whole_numbers};
use crate::library::exploration::{
    ExplorationRequest, ExplorationSetting, GivenParts, PlannedExploration, QuestionRequest,
    check_statement,
};
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::{cores_of, outcome};
use bakeoff_config::Policy;
use bakeoff_domain::spec::Workers;
use bakeoff_provider::{Models, OpenTask, Purpose};
use bakeoff_render::escape::Plain;
use bakeoff_run::KnownMachine;
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
    #[arg(long, value_name = "N", default_value = "auto", value_parser = whole_numbers::approaches)]
    approaches: whole_numbers::Approaches,
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
    writing: WritingArguments,
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
    check_statement(&arguments.statement)?;
    arguments.own.check(arguments.approaches.0)?;
    let given = GivenParts {
        ideas: arguments.own.ideas(),
        criteria: arguments.criteria.chosen(),
        like: arguments.like.read()?,
        writing: arguments.writing.options(),
        model: arguments.model.wanted(),
    };
    if arguments.opinion {
        let asked = arguments.in_words(&given);
        return explore_opinion::run(&asked, output, listener).await;
    }
    let request = ExplorationRequest {
        statement: &arguments.statement,
        folder: &arguments.out,
        approaches: arguments.approaches.0,
        given: &given,
        context_option: CONTEXT,
        criteria_option: CRITERIA,
    };
    let earlier = request.unfinished()?;
    let mut say = output.reporter();
    request.clear_places(&mut say)?;
    let machine = KnownMachine::default();
    if !arguments.dry_run {
        let known = (&arguments.safety, &Policy::of_host()?);
        arguments.workers.connect(&machine, known, output).await?;
    }
    let events = request.begin_events(listener.teller(), &mut say)?;
    let asked = (&arguments.model, Some(arguments.writing.repair_model()));
    let models = generate::open_models(asked, &arguments.out, output, &events)?;
    let models = Arc::new(models);
    let exploring = arguments.explore(&request, (&models, &events), (output, &machine));
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
    let Some((planned, explored)) = explored? else {
        return Ok(Status::Done);
    };
    events.end(explored.ended.is_none());
    for warning in models.warnings() {
        say(&Plain(&warning).to_string());
    }
    let made = request.write((planned, explored), &models, earlier.as_ref(), &mut say)?;
    let is_measured = !arguments.no_run && made.generation().is_complete() && made.has_experiment();
    let written = ExploreOutput {
        outcome: made.outcome(),
        tasks: OpenTasks::of(&models),
    };
    let approaches = made.generation().text();
    let next_step = outcome::next_step(made.generation().outcome(), &arguments.out);
    written.write(&approaches, &next_step, (output, is_measured))?;
    if is_measured {
        let asked = (&arguments.safety, machine);
        return explored_run::measure(&arguments.out, asked, output, listener).await;
    }
    status(&made)
}

impl Arguments {
    /// Returns the request for an answer in words.
    fn in_words<'a>(&'a self, given: &'a GivenParts) -> OpinionArguments<'a> {
        OpinionArguments {
            request: QuestionRequest {
                statement: &self.statement,
                folder: &self.out,
                approaches: self.approaches.0,
                given,
                sketch: self.sketch.form(),
                context_option: CONTEXT,
                instructions_option: INSTRUCTIONS,
            },
            model: &self.model,
            dry_run: self.dry_run,
            yes: self.yes,
            no_run: self.no_run,
            safety: &self.safety,
        }
    }

    /// Asks for a plan and carries it out. Returns `None` if it ends with the plan: with `--dry-run`, or if the user
    /// declines to go on.
    async fn explore(
        &self,
        request: &ExplorationRequest<'_>,
        (models, events): (&Arc<Models>, &GenerationEvents),
        (output, machine): (&Output, &KnownMachine),
    ) -> Result<Option<(PlannedExploration, bakeoff_propose::ExplorationParts)>, Failure> {
        let host = (self.safety).host_options_on(Policy::of_host()?, machine)?;
        let mut say = output.reporter();
        if let Some(like) = &request.given.like {
            let with_criteria = request.given.criteria.is_empty();
            say(&format!("--like: {}", like.sentence(with_criteria)));
        }
        let cores = self.workers.cores();
        let setting = ExplorationSetting {
            models,
            host: &host,
            cores: cores_of(cores.map_or(Workers::Auto, Workers::Exactly)),
            events,
        };
        let planned = request.plan(&setting, &mut say).await?;
        if self.dry_run {
            match output.format {
                Format::Json => show::write(&planned.planning.json())?,
                _ => show::write(&planned.planning.text())?,
            }
            return Ok(None);
        }
        say(planned.planning.text().trim_end());
        if !self.yes && !goes_on(models)? {
            return Ok(None);
        }
        let explored = request.carry_out(&planned, &setting, say).await?;
        Ok(Some((planned, explored)))
    }
}
