//! `bakeoff run` for a question in words: a model may be asked for its opinions, and nothing is run.

use super::failure::Failure;
use super::on_event::Listener;
use super::options::Output;
use super::run_options::Arguments;
use super::run_request::{RunRequest, perform_and_show};
use super::{Status, opinions, resume_command};
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_run::KnownMachine;
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
    let job = RunRequest {
        start: arguments.start(),
        seed: arguments.seed,
        judge: judge.as_ref().map(|one| Arc::clone(&one.judge)),
        ..RunRequest::for_declared(
            loaded,
            arguments.results(loaded)?,
            (&arguments.safety, KnownMachine::default(), policy),
            (output, listener),
            resume_command::command(),
        )
    };
    let status = perform_and_show(job, output).await;
    if let Some(judge) = &judge {
        judge.say_warnings(&mut output.reporter());
    }
    status
}
