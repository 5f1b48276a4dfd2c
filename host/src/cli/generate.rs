//! `bakeoff generate`: approaches from a model or a proposer, as files of an experiment.

mod by_agents;
mod by_component;
mod output;

use super::failure::Failure;
use super::ideas::OwnIdeas;
use super::kept::ReportPlace;
use super::model_news;
use super::models::ModelArguments;
use super::on_event::{Listener, OnEvent};
use super::open_tasks::{self, OpenTasks};
use super::options::{Format, Output, Safety};
use super::other_machines::{WorkersArguments, say_workers};
use super::repair_arguments::RepairArguments;
use super::writing::{CONTEXT, Writing};
use super::{Status, show};
use crate::library::check_places;
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::outcome::{self, Ending};
use crate::library::generation::wishes::{self, Wishing};
use crate::library::generation::{PLACES, cores_of, record, record_in, research};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::ids::slug;
use bakeoff_domain::report::GeneratedApproach;
use bakeoff_domain::spec::Workers;
use bakeoff_propose::{
    Answers, OwnApproach, PROPOSALS_MAX, Proposals, ProposeOptions, Proposer, prompts_identity,
};
use bakeoff_provider::{AskError, Models};
use bakeoff_render::escape::Plain;
use bakeoff_run::{KnownMachine, Survey};
use by_agents::{AgentArguments, ByAgents};
use by_component::AskedComponent;
use clap::Args;
use output::GenerateOutput;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Asks a model for approaches to an experiment's problem, and writes those that pass into its folder
///
/// The model names ideas that differ from those that the experiment has, and writes a prototype of each.
/// A prototype is built and called in the sandbox; what fails goes back with what was wrong. Those that
/// pass become `approaches/generated-N.rs` and an entry in bakeoff.toml, for you to read and for
/// `bakeoff run` to measure. What is sent: the problem, WIT, workload and cases of the experiment, names
/// and descriptions of its approaches, and what became of prototypes.
///
/// With --proposer, a component of your own names the approaches and writes them. It is told what the last run said,
/// too. With a model (--provider) beside it, it may ask that for completions: what it sends is its own decision, what
/// it may cost is yours. Without one no model is asked, and nothing is sent.
///
/// With --agent, a coding agent of yours writes each approach, in a worktree of the repository around the experiment and
/// behind a fence. A model is asked for ideas alone, and for none without --provider.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff generate my-question --provider anthropic --model claude-sonnet-5-5 --usd 0.50
  bakeoff generate my-question --provider openai --base-url http://127.0.0.1:8080/v1 --model local
  bakeoff generate my-inversions --provider replay --cassette my-inversions/model.jsonl
  bakeoff generate my-question --provider manual           what a model would be asked, for you to answer
  bakeoff generate my-question --provider manual --answers answers.json
  bakeoff generate my-question --proposer my-question/proposers/grid.rs
  bakeoff generate my-question --proposer my-question/proposers/improve.rs --provider anthropic \\
      --model claude-sonnet-5-5 --usd 0.50
  bakeoff generate my-question --idea heap='A bounded heap.' --agent 'claude -p --dangerously-skip-permissions' \
      --network --env ANTHROPIC_API_KEY
  bakeoff run my-question

Exit status: 0 if all approaches that were asked for passed; 3 if some failed; 1 if none passed; 4 if a
budget ended it, the model gives no answers, or tasks wait for yours (what passed until then is written).",
    mut_arg("provider", |provider| provider.required_unless_present_any(["proposer", "agent"])),
    mut_arg("repair_model", |model| model.conflicts_with_all(["agent", "proposer"])),
    mut_arg("network", |network| network.requires("agent")),
    mut_arg("env", |variable| variable.requires("agent")),
    mut_arg("read", |path| path.requires("agent")))]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, or such a file
    #[arg(default_value = ".")]
    experiment: PathBuf,
    /// How many approaches, beside those of the experiment with `write = true`, which are written first, and those of
    /// --idea [default: 3, and none beside --idea or for an --agent without --provider]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(PROPOSALS_MAX)))]
    approaches: Option<u32>,
    #[command(flatten)]
    own: OwnIdeas,
    /// Proposer that is asked instead of a model: a Rust file, or a component of the world `proposer`
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["instructions", "repairs", "timeout", "depth", "diversity", "context", "research", "ideas"])]
    proposer: Option<PathBuf>,
    #[command(flatten)]
    writing: Writing,
    #[command(flatten)]
    agents: AgentArguments,
    #[command(flatten)]
    workers: WorkersArguments,
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    on_event: OnEvent,
    #[command(flatten)]
    safety: Safety,
}

/// The number of approaches that are asked for, unless another one is given.
const APPROACHES: u32 = 3;

/// The message after an interruption.
const INTERRUPTED: &str = "interrupted; what a model replied is recorded, and is not paid for again, and what agents left is kept";

/// Opens the model, with the record of exchanges in this folder.
pub(super) fn open_models(
    (model, repairs): (&ModelArguments, Option<&RepairArguments>),
    dir: &Path,
    output: &Output,
    events: &GenerationEvents,
) -> Result<Models, Failure> {
    let models = model.open(&record_in(dir)?, repairs)?;
    Ok(model_news::told(models, output, Some(events)))
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let listener = arguments.on_event.start()?;
    let machine = KnownMachine::default();
    let ended = generated(arguments, &machine, output, &listener).await;
    say_workers(&machine, output);
    listener.end(&mut output.reporter());
    ended
}

async fn generated(
    arguments: &Arguments,
    machine: &KnownMachine,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let mut loaded = bakeoff_config::load(&arguments.experiment)?;
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    if let Some(workers) = arguments.workers.cores() {
        loaded.experiment.measure.workers = Workers::Exactly(workers);
    }
    let more = arguments.check(&loaded)?;
    wishes::has_room(&loaded, more + arguments.own.ideas().count())?;
    if let Some(forecast) = arguments
        .agents
        .forecast(&loaded, &arguments.names(&loaded), more)?
    {
        match output.format {
            Format::Json => show::write_json(&forecast)?,
            _ => show::write(&forecast.text(arguments.writing.options().repairs))?,
        }
        return Ok(Status::Done);
    }
    check_places(&loaded.dir, &PLACES)?;
    record::set_foreign_aside(&loaded.dir, &mut output.reporter())?;
    arguments.refuse_known(&loaded)?;
    let agents = arguments.agents.open(&loaded, output)?;
    let workers = arguments
        .workers
        .connect(machine, (&arguments.safety, &policy), output);
    workers.await?;
    let file = bakeoff_config::file_of(&arguments.experiment);
    let criteria = loaded.experiment.criteria.iter();
    let criteria = criteria.map(|one| one.name.clone()).collect();
    let all = more + arguments.own.ideas().count() + loaded.wished.len() as u32;
    let events = GenerationEvents::begin(
        &loaded.dir,
        (all, criteria),
        listener.teller(),
        &mut output.reporter(),
    );
    let mut wishes = None;
    let (proposals, models) = match &arguments.proposer {
        Some(file) => {
            let models = arguments.models_of_proposer(&loaded, output, &events)?;
            let asked = (file.as_path(), models.as_deref());
            let proposed = arguments.ask_component(&loaded, asked, (policy, machine), output);
            (proposed.await?, models)
        }
        None => {
            let models = arguments.models(&loaded, output, &events)?;
            let answers = arguments.answers(agents.as_ref(), models.as_ref())?;
            let told = tokio::select! {
                told = arguments.told(&loaded, models.as_deref(), output) => told?,
                _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
            };
            let (told, unanswered) = match told {
                Ok(told) => (told, None),
                Err(error) => (String::new(), Some(error)),
            };
            if unanswered.is_none() && !loaded.wished.is_empty() {
                let host = arguments.safety.host_options_on(policy.clone(), machine)?;
                let wishing = Wishing {
                    loaded: &loaded,
                    file: &file,
                    answers: &answers,
                    host: &host,
                    problem: &told,
                };
                let options = arguments.options(0, (1, &loaded), &events);
                let mut say = output.reporter();
                let made = tokio::select! {
                    made = wishing.write(&options, &mut say) => made?,
                    _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
                };
                loaded = wishes::read_again(&loaded, &file, &policy)?;
                wishes = Some(made);
            }
            let ended = wishes.as_mut().and_then(|made| made.ended.take());
            let ended = unanswered.or(ended);
            let proposed = match (ended, more + arguments.own.ideas().count()) {
                (None, 1..) => {
                    arguments
                        .propose(
                            (&loaded, &told),
                            &answers,
                            (policy, machine),
                            (output, &events),
                        )
                        .await?
                }
                (ended, _) => Proposals {
                    proposals: Vec::new(),
                    ended,
                },
            };
            (proposed, models)
        }
    };
    let mut shown = match &wishes {
        // Nothing more was asked for, and what came of the wishes is kept already.
        Some(made) if proposals.proposals.is_empty() => made.generation.clone(),
        _ => outcome::finish(Ending {
            loaded: &loaded,
            file: &file,
            proposals: &proposals.proposals,
            models: models.as_deref(),
            planning: None,
            not_started: &[],
            wanted: arguments.wanted(&loaded),
            is_complete: proposals.ended.is_none(),
            say: &mut output.reporter(),
        })?,
    };
    events.end(proposals.ended.is_none());
    if let Some(made) = wishes.filter(|_| !proposals.proposals.is_empty()) {
        shown.approaches.splice(0..0, made.generation.approaches);
    }
    for warning in models.iter().flat_map(|models| models.warnings()) {
        output.reporter()(&Plain(&warning).to_string());
    }
    let rows = agents.map(|agents| agents.rows()).unwrap_or_default();
    let written = GenerateOutput {
        generation: &shown,
        agents: &rows,
        tasks: models.as_deref().and_then(OpenTasks::of),
    };
    written.write((models.as_deref(), &arguments.experiment), output)?;
    if let Some(error) = &proposals.ended {
        return open_tasks::ending(error);
    }
    let has_file = |one: &&GeneratedApproach| one.file.is_some();
    let passed = shown.approaches.iter().filter(has_file).count();
    Ok(match (passed, shown.approaches.len()) {
        (0, _) => Status::NoAnswer,
        (passed, all) if passed == all => Status::Done,
        _ => Status::SomeFailed,
    })
}

impl Arguments {
    /// Asks a proposer, a component of the user's own, for approaches.
    async fn ask_component(
        &self,
        loaded: &LoadedExperiment,
        (file, models): (&Path, Option<&Models>),
        (policy, machine): (Policy, &KnownMachine),
        output: &Output,
    ) -> Result<Proposals, Failure> {
        // Without a report, the proposer is told that there are no results.
        let report = ReportPlace::find(&self.experiment).and_then(|place| place.report());
        let asked = AskedComponent {
            loaded: &record::before(loaded, &self.wanted(loaded)),
            file,
            models,
            host: self.safety.host_options_on(policy, machine)?,
            report: report.ok().map(|(_, shown)| shown.report),
            approaches: self.more(),
        };
        asked.ask(output).await
    }

    /// Opens the model that a proposer may ask, if one is named. The proposer decides how much it asks, so there must
    /// be a bound.
    fn models_of_proposer(
        &self,
        loaded: &LoadedExperiment,
        output: &Output,
        events: &GenerationEvents,
    ) -> Result<Option<Arc<Models>>, Failure> {
        by_component::check(&self.model)?;
        self.models(loaded, output, events)
    }

    /// Returns the number of approaches whose ideas others name.
    fn more(&self) -> u32 {
        let nobody_names_any = self.agents.is_named() && !self.model.is_named();
        let usual = if nobody_names_any || self.own.ideas().count() > 0 {
            0
        } else {
            APPROACHES
        };
        self.approaches.unwrap_or(usual)
    }

    /// Returns the number of approaches whose ideas others name, and refuses a request for nothing, or for what nobody
    /// could answer.
    fn check(&self, loaded: &LoadedExperiment) -> Result<u32, Failure> {
        self.agents.check(loaded)?;
        let more = self.more();
        if self.own.ideas().count() > 0 {
            self.own.check(Some(more))?;
        }
        let lacks_model = self.agents.is_named() && !self.model.is_named();
        if lacks_model && (more > 0 || self.writing.options().research) {
            return Err(Failure::usage(
                "ideas and research are asked of a model: name one with --provider, or name ideas yourself, with --idea                  NAME=TEXT or an approach with `write = true` in bakeoff.toml",
            ));
        }
        let has_wish = !loaded.wished.is_empty() && self.proposer.is_none();
        if more > 0 || self.own.ideas().count() > 0 || has_wish {
            return Ok(more);
        }
        Err(Failure::usage(if lacks_model {
            "there is no idea for the agent: name one with --idea NAME=TEXT or as an approach with `write = true` in \
             bakeoff.toml, or a model that names some, with --provider"
        } else {
            "--approaches 0 asks for nothing: the experiment has no approach with `write = true`"
        }))
    }

    /// Returns the names of the ideas that are there already, in the order in which they are written.
    fn names(&self, loaded: &LoadedExperiment) -> Vec<String> {
        let ideas = wishes::ideas(loaded)
            .into_iter()
            .chain(self.own.ideas().wished());
        ideas.map(|one| one.idea.name).collect()
    }

    /// Refuses an idea by the name of an approach that is there.
    fn refuse_known(&self, loaded: &LoadedExperiment) -> Result<(), Failure> {
        let before = record::before(loaded, &self.wanted(loaded));
        let wishes = wishes::ideas(loaded);
        for idea in self.own.ideas().wished() {
            let name = &idea.idea.name;
            let approaches = before.experiment.approaches.iter().map(|one| &one.name);
            let mut known = approaches.chain(wishes.iter().map(|one| &one.idea.name));
            if let Some(other) = known.find(|other| slug(other) == slug(name)) {
                return Err(Failure::usage(format!(
                    "the experiment has an approach {} already: leave the idea {} out, or give it another name",
                    Plain(other),
                    Plain(name)
                )));
            }
        }
        Ok(())
    }

    /// Opens the model, if one is named.
    fn models(
        &self,
        loaded: &LoadedExperiment,
        output: &Output,
        events: &GenerationEvents,
    ) -> Result<Option<Arc<Models>>, Failure> {
        if !self.model.is_named() {
            return Ok(None);
        }
        let asked = (&self.model, Some(self.writing.repair_model()));
        let models = open_models(asked, &loaded.dir, output, events)?;
        Ok(Some(Arc::new(models)))
    }

    /// Returns whoever answers: the model, or agents beside it.
    fn answers(
        &self,
        agents: Option<&Arc<ByAgents>>,
        models: Option<&Arc<Models>>,
    ) -> Result<Answers, Failure> {
        match (agents, models) {
            (Some(agents), ideas) => Ok(Answers::Writer {
                writer: agents.writer(),
                ideas: ideas.cloned(),
            }),
            (None, Some(models)) => Ok(Answers::from(models)),
            (None, None) => Err(Failure::usage("nobody is asked: --provider names a model")),
        }
    }

    /// Returns the options of writing so many approaches.
    fn options(
        &self,
        approaches: u32,
        (cores, loaded): (usize, &LoadedExperiment),
        events: &GenerationEvents,
    ) -> ProposeOptions {
        let of_experiment = (cores, &loaded.prompts);
        let mut options = self
            .writing
            .options()
            .propose(approaches, of_experiment, events);
        if self.agents.is_named() {
            // Each agent has a time of its own, which begins when there is a place for it.
            options.write.timeout = Duration::MAX;
        }
        options
    }

    /// Returns a text that identifies the request: an unfinished generation goes on only if its text is the same.
    fn wanted(&self, loaded: &LoadedExperiment) -> String {
        match &self.proposer {
            Some(file) => format!("approaches {}, proposer {}", self.more(), file.display()),
            None => format!(
                "approaches {}, {}{}{}{}",
                self.more(),
                self.writing.options().identity(),
                self.own.ideas().identity(),
                self.agents.identity(),
                prompts_identity(&loaded.prompts)
            ),
        }
    }

    /// Returns the problem as the model is told of it. The inner error is that of a model that does not say what is known
    /// of it.
    async fn told(
        &self,
        loaded: &LoadedExperiment,
        models: Option<&Models>,
        output: &Output,
    ) -> Result<Result<String, AskError>, Failure> {
        let told = self
            .writing
            .options()
            .told(&loaded.experiment.problem, CONTEXT)?;
        let Some(models) = models.filter(|_| self.writing.options().research) else {
            return Ok(Ok(told));
        };
        let mut say = output.reporter();
        let asked = (told.as_str(), &loaded.prompts);
        let told = research::with_research(models, &loaded.dir, asked, &mut say).await?;
        Ok(told)
    }

    async fn propose(
        &self,
        (loaded, told): (&LoadedExperiment, &str),
        answers: &Answers,
        (policy, machine): (Policy, &KnownMachine),
        (output, events): (&Output, &GenerationEvents),
    ) -> Result<Proposals, Failure> {
        let host = self.safety.host_options_on(policy, machine)?;
        let mut say = output.reporter();
        let loaded = &record::before(loaded, &self.wanted(loaded));
        let survey = Survey::open(loaded, &host, &mut say).await?;
        let own = outcome::own_approaches(loaded);
        let ideas = self.own.ideas().wished();
        let mut wished = wishes::told(loaded);
        wished.extend(ideas.iter().map(|one| OwnApproach {
            name: &one.idea.name,
            description: Some(&one.idea.description),
        }));
        let cores = cores_of(loaded.experiment.measure.workers);
        let options = self.options(self.more(), (cores, loaded), events);
        let known = (&own[..], &wished[..]);
        let mut proposer = Proposer::open(answers, survey, told, known, &options).await?;
        let proposing = async {
            let mut all = proposer.write_wished(ideas.clone(), &mut say).await?;
            if all.ended.is_none() {
                let more = proposer.propose(&mut say).await?;
                all.proposals.extend(more.proposals);
                all.ended = more.ended;
            }
            Ok(all)
        };
        tokio::select! {
            proposals = proposing => proposals,
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted(INTERRUPTED)),
        }
    }
}
