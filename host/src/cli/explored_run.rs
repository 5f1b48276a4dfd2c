//! The run of an experiment that an exploration has written.

use super::failure::Failure;
use super::on_event::Listener;
use super::options::{Output, Safety};
use super::run_request::{RunRequest, perform};
use super::{Status, show};
use crate::library;
use bakeoff_config::Policy;
use bakeoff_render::escape::ShellPath;
use bakeoff_run::KnownMachine;
use std::path::Path;

/// Measures the experiment in a folder as `bakeoff run` does.
///
/// # Errors
/// As for `bakeoff run`.
pub(super) async fn measure(
    folder: &Path,
    (safety, machine): (&Safety, KnownMachine),
    output: &Output,
    listener: &Listener,
) -> Result<Status, Failure> {
    let mut loaded = bakeoff_config::load(folder)?;
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    let results = library::results_folder(&loaded.dir, &loaded.experiment)?;
    let job = RunRequest::for_declared(
        &loaded,
        results,
        (safety, machine, policy),
        (output, listener),
        format!("bakeoff run {}", ShellPath(&folder.display().to_string())),
    );
    let Some(done) = perform(job, output).await? else {
        return Ok(Status::Interrupted);
    };
    let status = Status::of(&done.report);
    show::print(&done.report, done.sources, output)?;
    Ok(status)
}
