//! `bakeoff generate`: approaches from a model or a proposer, as files of an experiment.

use super::build::code_of;
use super::failure::Failure;
use super::generation::{self, Ending};
use super::generation_events::GenerationEvents;
use super::generation_record;
use super::kept::ReportPlace;
use super::model_news;
use super::models::ModelArguments;
use super::on_event::{Listener, OnEvent};
use super::open_tasks::{self, OpenTasks};
use super::options::{Format, Output, Safety};
use super::placing::check_places;
use super::researching;
use super::wishes::{self, Wishing};
use super::writing::Writing;
use super::{Status, counts, show};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::report::{GeneratedApproach, Generation};
use bakeoff_domain::spec::Workers;
use bakeoff_files::Reach;
use bakeoff_propose::{
    PROPOSALS_MAX, Proposals, Proposer, ProposerAnswer, propose_by_component, proposer_task,
};
use bakeoff_provider::{AskError, Models};
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_run::Survey;
use bakeoff_source::read_code_or_vendored;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
  bakeoff run my-question

Exit status: 0 if all approaches that were asked for passed; 3 if some failed; 1 if none passed; 4 if a
budget ended it, the model gives no answers, or tasks wait for yours (what passed until then is written).",
    mut_arg("provider", |provider| provider.required_unless_present("proposer")))]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, or such a file
    #[arg(default_value = ".")]
    experiment: PathBuf,
    /// How many approaches, beside those of the experiment with `write = true`, which are written first
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(PROPOSALS_MAX)))]
    approaches: u32,
    /// Proposer that is asked instead of a model: a Rust file, or a component of the world `proposer`
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["instructions", "repairs", "timeout", "depth", "diversity", "context", "research"])]
    proposer: Option<PathBuf>,
    #[command(flatten)]
    writing: Writing,
    /// Cores to use at once
    #[arg(long, value_name = "N", value_parser = counts::workers)]
    workers: Option<u32>,
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    on_event: OnEvent,
    #[command(flatten)]
    safety: Safety,
}

/// The message after an interruption.
const INTERRUPTED: &str =
    "interrupted; what the model replied is recorded, and is not paid for again";

/// Opens the model, with the record of exchanges in this folder.
pub(super) fn open_models(
    model: &ModelArguments,
    dir: &Path,
    output: &Output,
    events: &GenerationEvents,
) -> Result<Models, Failure> {
    let models = model.open(&generation::record_in(dir)?)?;
    Ok(model_news::told(models, output, Some(events)))
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let listener = arguments.on_event.start()?;
    let ended = generated(arguments, output, &listener).await;
    listener.end(&mut output.reporter());
    ended
}

async fn generated(
    arguments: &Arguments,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let mut loaded = bakeoff_config::load(&arguments.experiment)?;
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    if let Some(workers) = arguments.workers {
        loaded.experiment.measure.workers = Workers::Exactly(workers);
    }
    if arguments.approaches == 0 && (loaded.wished.is_empty() || arguments.proposer.is_some()) {
        return Err(Failure::usage(
            "--approaches 0 asks for nothing: the experiment has no approach with `write = true`",
        ));
    }
    wishes::has_room(&loaded, arguments.approaches)?;
    check_places(&loaded.dir, &generation::PLACES)?;
    generation_record::set_foreign_aside(&loaded.dir, &mut output.reporter())?;
    let file = bakeoff_config::file_of(&arguments.experiment);
    let criteria = loaded.experiment.criteria.iter();
    let criteria = criteria.map(|one| one.name.clone()).collect();
    let all = arguments.approaches + loaded.wished.len() as u32;
    let events = GenerationEvents::begin(
        &loaded.dir,
        (all, criteria),
        listener,
        &mut output.reporter(),
    );
    let mut wishes = None;
    let (proposals, models) = match &arguments.proposer {
        Some(file) => {
            let models = arguments.models_of_proposer(&loaded, output, &events)?;
            let asked = (file.as_path(), models.as_deref());
            let proposed = arguments.ask_component(&loaded, asked, policy, output);
            (proposed.await?, models)
        }
        None => {
            let models = open_models(&arguments.model, &loaded.dir, output, &events)?;
            let models = Arc::new(models);
            let told = tokio::select! {
                told = arguments.told(&loaded, &models, output) => told?,
                _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
            };
            let (told, unanswered) = match told {
                Ok(told) => (told, None),
                Err(error) => (String::new(), Some(error)),
            };
            if unanswered.is_none() && !loaded.wished.is_empty() {
                let wishing = Wishing {
                    loaded: &loaded,
                    file: &file,
                    models: &models,
                    policy: &policy,
                    safety: &arguments.safety,
                    output,
                    problem: &told,
                };
                let options = arguments.writing.options(0, 1, &events);
                let made = tokio::select! {
                    made = wishing.write(&options) => made?,
                    _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(INTERRUPTED)),
                };
                loaded = wishes::read_again(&loaded, &file, &policy)?;
                wishes = Some(made);
            }
            let ended = wishes.as_mut().and_then(|made| made.ended.take());
            let ended = unanswered.or(ended);
            let proposed = match (ended, arguments.approaches) {
                (None, 1..) => {
                    arguments
                        .propose((&loaded, &told), &models, policy, (output, &events))
                        .await?
                }
                (ended, _) => Proposals {
                    proposals: Vec::new(),
                    ended,
                },
            };
            (proposed, Some(models))
        }
    };
    let mut shown = match &wishes {
        // Nothing more was asked for, and what came of the wishes is kept already.
        Some(made) if proposals.proposals.is_empty() => made.generation.clone(),
        _ => generation::finish(Ending {
            loaded: &loaded,
            file: &file,
            proposals: &proposals.proposals,
            models: models.as_deref(),
            planning: None,
            not_started: &[],
            wanted: arguments.wanted(),
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
    match output.format {
        Format::Json => show::write_json(&GenerateOutput {
            generation: &shown,
            tasks: models.as_deref().and_then(OpenTasks::of),
        })?,
        _ => {
            let next = Some(arguments.experiment.as_path());
            let tasks = models.as_deref().and_then(OpenTasks::of);
            let tasks = tasks.map(|tasks| tasks.text()).unwrap_or_default();
            show::write(&(generation::text(&shown, models.as_deref(), next) + &tasks))?;
        }
    }
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

/// Outcome of a generation, in JSON.
#[derive(Serialize)]
struct GenerateOutput<'a> {
    #[serde(flatten)]
    generation: &'a Generation,
    #[serde(flatten)]
    tasks: Option<OpenTasks>,
}

impl Arguments {
    /// Asks a proposer, a component of the user's own, for approaches.
    async fn ask_component(
        &self,
        loaded: &LoadedExperiment,
        (file, models): (&Path, Option<&Models>),
        policy: Policy,
        output: &Output,
    ) -> Result<Proposals, Failure> {
        let loaded = &generation_record::before(loaded, &self.wanted());
        let host = self.safety.host_options(policy)?;
        let place = (Path::new(""), Reach::Anywhere);
        let code = read_code_or_vendored(&code_of(file), place, &host.vendored());
        let code = code.map_err(|failure| Failure::variant(&failure))?;
        let mut say = output.reporter();
        // Without a report, the proposer is told that there are no results.
        let report = ReportPlace::find(&self.experiment).and_then(|place| place.report());
        let report = report.ok().map(|(_, shown)| shown.report);
        let survey = Survey::open(loaded, &host, &mut say).await?;
        let experiment = &loaded.experiment;
        let task = proposer_task(&survey, experiment, report.as_ref(), self.approaches);
        let answer = tokio::select! {
            answer = propose_by_component(&survey, code, task, models, &mut say) => answer?,
            _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted(
                "interrupted; what a model replied is recorded, and is not paid for again",
            )),
        };
        let (answer, ended) = answer;
        match answer {
            ProposerAnswer::NotBuilt(failure) => Err(Failure::variant(&failure)),
            // The cost of the model is kept and shown without proposals, too.
            ProposerAnswer::Nothing(why) if models.is_some() => {
                say(&format!("the proposer proposes nothing: {}", Lines(&why)));
                Ok(Proposals {
                    proposals: Vec::new(),
                    ended,
                })
            }
            ProposerAnswer::Nothing(why) => Err(Failure::no_answer(format!(
                "{} proposes nothing: {why}",
                Plain(&file.display().to_string())
            ))),
            ProposerAnswer::Proposals(proposals) => Ok(Proposals { proposals, ended }),
        }
    }

    /// Opens the model that a proposer may ask, if one is named. The proposer decides how much it asks, so there must
    /// be a bound.
    fn models_of_proposer(
        &self,
        loaded: &LoadedExperiment,
        output: &Output,
        events: &GenerationEvents,
    ) -> Result<Option<Arc<Models>>, Failure> {
        if !self.model.is_named() {
            return Ok(None);
        }
        if self.model.is_command() {
            return Err(Failure::usage(
                "the words of a proposer's questions are its own, and --provider command would give them to a \
                 program that has your rights: name a provider that only answers, such as anthropic, openai, \
                 ollama or replay",
            ));
        }
        if self.model.is_manual() {
            return Err(Failure::usage(
                "a proposer's questions are not given out as tasks: name a provider that answers while it runs, such as \
                 anthropic, openai, ollama or replay",
            ));
        }
        if !self.model.is_bounded() {
            return Err(Failure::usage(
                "a proposer decides itself what it asks a model: say what that may cost, with --usd or --tokens",
            ));
        }
        Ok(Some(Arc::new(open_models(
            &self.model,
            &loaded.dir,
            output,
            events,
        )?)))
    }

    /// Returns a text that identifies the request: an unfinished generation goes on only if its text is the same.
    fn wanted(&self) -> String {
        match &self.proposer {
            Some(file) => format!(
                "approaches {}, proposer {}",
                self.approaches,
                file.display()
            ),
            None => format!("approaches {}, {}", self.approaches, self.writing.wanted()),
        }
    }

    /// Returns the problem as the model is told of it. The inner error is that of a model that does not say what is known
    /// of it.
    async fn told(
        &self,
        loaded: &LoadedExperiment,
        models: &Models,
        output: &Output,
    ) -> Result<Result<String, AskError>, Failure> {
        let told = self.writing.told(&loaded.experiment.problem)?;
        if !self.writing.research() {
            return Ok(Ok(told));
        }
        let mut say = output.reporter();
        researching::with_research(models, &loaded.dir, &told, &mut say).await
    }

    async fn propose(
        &self,
        (loaded, told): (&LoadedExperiment, &str),
        models: &Arc<Models>,
        policy: Policy,
        (output, events): (&Output, &GenerationEvents),
    ) -> Result<Proposals, Failure> {
        let host = self.safety.host_options(policy)?;
        let mut say = output.reporter();
        let loaded = &generation_record::before(loaded, &self.wanted());
        let survey = Survey::open(loaded, &host, &mut say).await?;
        let own = generation::own_approaches(loaded);
        let wished = wishes::told(loaded);
        let cores = counts::cores_of(loaded.experiment.measure.workers);
        let options = self.writing.options(self.approaches, cores, events);
        let known = (&own[..], &wished[..]);
        let mut proposer = Proposer::open(models, survey, told, known, &options).await?;
        let proposing = proposer.propose(&mut say);
        tokio::select! {
            proposals = proposing => Ok(proposals?),
            _ = tokio::signal::ctrl_c() => Err(Failure::interrupted(INTERRUPTED)),
        }
    }
}
