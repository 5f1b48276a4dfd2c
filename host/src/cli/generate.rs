//! `bakeoff generate`: approaches from a model or a proposer, as files of an experiment.

mod by_agents;
mod by_component;
mod output;

use super::failure::Failure;
use super::ideas::OwnIdeas;
use super::model_news;
use super::models::ModelArguments;
use super::on_event::{Listener, OnEvent};
use super::open_tasks::{self, OpenTasks};
use super::options::{Format, Output, Safety};
use super::other_machines::{WorkersArguments, say_workers};
use super::repair_arguments::RepairArguments;
use super::report_source::ReportPlace;
use super::writing_arguments::{CONTEXT, WritingArguments};
use super::{Status, show};
use crate::library::generation::events::GenerationEvents;
use crate::library::generation::outcome::{self, Ending};
use crate::library::generation::{
    Generation, GenerationRequest, GenerationSetting, WritingOptions, begin_events, clear_places,
    record, record_in, usual_approaches, wishes,
};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::spec::Workers;
use bakeoff_propose::{Answers, PROPOSALS_MAX};
use bakeoff_provider::Models;
use bakeoff_render::escape::Plain;
use bakeoff_run::KnownMachine;
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
    writing: WritingArguments,
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
    let (ideas, writing) = (arguments.own.ideas(), arguments.writing());
    let writer = arguments.agents.identity();
    let request = GenerationRequest {
        approaches: more,
        ideas: &ideas,
        writing: &writing,
        context_option: CONTEXT,
        writer: &writer,
    };
    clear_places(&loaded, &mut output.reporter())?;
    request.refuse_known(&loaded)?;
    let agents = arguments.agents.open(&loaded, output)?;
    let workers = arguments
        .workers
        .connect(machine, (&arguments.safety, &policy), output);
    workers.await?;
    let file = bakeoff_config::file_of(&arguments.experiment);
    let mut say = output.reporter();
    let events = begin_events(&loaded, request.count(), listener.teller(), &mut say);
    let by_component = arguments.proposer.as_deref();
    if by_component.is_some() {
        by_component::check(&arguments.model)?;
    }
    let models = arguments.models(&loaded, output, &events)?;
    let made = if let Some(proposer) = by_component {
        let asked = (proposer, models.as_deref());
        let experiment = (&loaded, file.as_path());
        let made = arguments.ask_component(experiment, asked, (policy, machine), output);
        let made = made.await?;
        events.end(made.is_complete());
        made
    } else {
        let host = (arguments.safety).host_options_on(policy.clone(), machine)?;
        let setting = GenerationSetting {
            file: &file,
            answers: &arguments.answers(agents.as_ref(), models.as_ref())?,
            policy: &policy,
            host: &host,
            events: &events,
        };
        tokio::select! {
            made = request.perform(&loaded, &setting, &mut say) => made?,
            _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
        }
    };
    for warning in made.warnings() {
        say(&Plain(warning).to_string());
    }
    let rows = agents.map(|agents| agents.rows()).unwrap_or_default();
    let written = GenerateOutput {
        generation: &made,
        agents: &rows,
        tasks: models.as_deref().and_then(OpenTasks::of),
    };
    written.write(&arguments.experiment, output)?;
    if let Some(error) = made.ended() {
        return open_tasks::ending(error);
    }
    let passed = made.approaches().filter(|one| one.file.is_some()).count();
    Ok(match (passed, made.approaches().count()) {
        (0, _) => Status::NoAnswer,
        (passed, all) if passed == all => Status::Done,
        _ => Status::SomeFailed,
    })
}

impl Arguments {
    /// Asks a proposer, a component of the user's own, for approaches, and writes those that pass into the experiment.
    async fn ask_component(
        &self,
        (loaded, file): (&LoadedExperiment, &Path),
        (proposer, models): (&Path, Option<&Models>),
        (policy, machine): (Policy, &KnownMachine),
        output: &Output,
    ) -> Result<Generation, Failure> {
        // Without a report, the proposer is told that there are no results.
        let report = ReportPlace::find(&self.experiment).and_then(|place| place.report());
        let asked = AskedComponent {
            loaded: &record::before(loaded, &self.wanted_of(proposer)),
            file: proposer,
            models,
            host: self.safety.host_options_on(policy, machine)?,
            report: report.ok().map(|(_, shown)| shown.report),
            approaches: self.more(),
        };
        let proposed = asked.ask(output).await?;
        let made = outcome::finish(Ending {
            loaded,
            file,
            proposals: &proposed.proposals,
            models,
            planning: None,
            not_started: &[],
            wanted: self.wanted_of(proposer),
            is_complete: proposed.ended.is_none(),
            say: &mut output.reporter(),
        })?;
        Ok(Generation::new(made, models, proposed.ended))
    }

    /// Returns the number of approaches whose ideas others name.
    fn more(&self) -> u32 {
        let nobody_names_any = self.agents.is_named() && !self.model.is_named();
        let usual = if nobody_names_any {
            0
        } else {
            usual_approaches(&self.own.ideas())
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

    /// Returns the options on the code of approaches.
    fn writing(&self) -> WritingOptions {
        let mut writing = self.writing.options();
        if self.agents.is_named() {
            // Each agent has a time of its own, which begins when there is a place for it.
            writing.timeout = Duration::MAX;
        }
        writing
    }

    /// Returns a text that identifies what is asked of a proposer: an unfinished generation goes on only if its text is the
    /// same.
    fn wanted_of(&self, proposer: &Path) -> String {
        format!(
            "approaches {}, proposer {}",
            self.more(),
            proposer.display()
        )
    }
}
