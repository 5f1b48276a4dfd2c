//! The run of an experiment that an exploration has written.

use super::failure::Failure;
use super::on_event::Listener;
use super::options::{Output, Safety};
use super::{Status, run, show};
use crate::library;
use crate::library::generation::record;
use bakeoff_config::Policy;
use bakeoff_render::escape::ShellPath;
use bakeoff_run::KnownMachine;
use bakeoff_store::Start;
use std::path::Path;
use std::time::Duration;

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
    let job = run::RunRequest {
        loaded: &loaded,
        folder: library::results_folder(&loaded.dir, &loaded.experiment)?,
        start: Start::Resume,
        seed: None,
        safety,
        machine,
        policy,
        generation: record::for_report(folder, &mut output.reporter()),
        rounds: None,
        judge: None,
        stopped_in_search: Vec::new(),
        spent: Duration::ZERO,
        natively: None,
        listener: listener.clone(),
        resume: Some(format!(
            "bakeoff run {}",
            ShellPath(&folder.display().to_string())
        )),
    };
    let Some(done) = run::perform(job, output).await? else {
        return Ok(Status::Interrupted);
    };
    let status = Status::of(&done.report);
    show::print(&done.report, done.sources, output)?;
    Ok(status)
}
