//! `bakeoff run` for a question in words: a model may be asked for its opinions, and nothing is run.

use super::failure::Failure;
use super::on_event::Listener;
use super::options::{Output, Safety};
use super::run_options::Arguments;
use super::run_request::{RunRequest, perform};
use super::{Status, opinions, resume_command};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_domain::plan::RunSeed;
use bakeoff_run::{Judge, KnownMachine};
use bakeoff_store::{ResultsPlace, Start};
use std::sync::Arc;

/// Asks for the opinions of a question in words, if the user lets a model be asked, and shows the report.
///
/// # Errors
/// An option has no meaning for such a question, or asking fails.
pub(super) async fn run(
    arguments: &Arguments,
    loaded: &LoadedExperiment,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    let options = [
        ("--budget", arguments.budget.is_some()),
        ("--workers", arguments.workers.is_given()),
        ("--generate", arguments.leave.generate),
        ("--dry-run", arguments.leave.dry_run),
        ("--quick or --careful", arguments.effort.is_given()),
        ("--rounds or --no-rounds", arguments.rounds.is_given()),
        ("--natively", arguments.natively),
    ];
    if let Some((name, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::usage(format!(
            "{name} has no meaning for a question in words: nothing of it is run, and --judge lets a model be asked \
             for its opinions"
        )));
    }
    let policy = Policy::of_host()?;
    let judge = opinions::open(&arguments.leave, loaded, &policy, output)?;
    let place = QuestionPlace {
        folder: arguments.results(loaded)?,
        start: arguments.start(),
        seed: arguments.seed,
        resume: resume_command::command(),
    };
    let given = judge.as_ref().map(|one| Arc::clone(&one.judge));
    let asked = ask_question(
        (loaded, policy),
        place,
        given,
        &arguments.safety,
        output,
        listener,
    );
    let status = asked.await;
    if let Some(judge) = &judge {
        judge.say_warnings(&mut output.reporter());
    }
    status
}

/// The place of the opinions on a question in words, and how they come there.
pub(super) struct QuestionPlace {
    pub(super) folder: ResultsPlace,
    pub(super) start: Start,
    pub(super) seed: Option<RunSeed>,
    /// The command that continues after an interruption.
    pub(super) resume: String,
}

/// Asks for the opinions of a question in words, and shows the report.
pub(super) async fn ask_question(
    (loaded, policy): (&LoadedExperiment, Policy),
    place: QuestionPlace,
    judge: Option<Arc<dyn Judge>>,
    safety: &Safety,
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    let job = RunRequest {
        start: place.start,
        seed: place.seed,
        judge,
        ..RunRequest::for_declared(
            loaded,
            place.folder,
            (safety, KnownMachine::default(), policy),
            (output, listener),
            place.resume,
        )
    };
    match perform(job, output).await? {
        Some(done) => done.show(output),
        None => Ok(Status::Interrupted),
    }
}
