//! Runs that have not ended: how far they are, and the report and the page of what is known so far.

use super::failure::Failure;
use bakeoff_domain::report::{Report, UnfinishedStatus};
use bakeoff_run::{RunState, audit};
use bakeoff_store::events::{Envelope, Progress, RunStatus};
use bakeoff_store::{Mode, Origin, ResultsPlace, RunId, RunSummary, Store, StoreError};

/// Number of events that are read at once.
const EVENTS_AT_ONCE: u32 = 10_000;
/// Returns the progress of the last run, from its events.
pub(super) fn progress(store: &Store) -> Result<Progress, StoreError> {
    let mut progress = Progress::default();
    let mut sequence = 0;
    loop {
        let lines = store.events_after(sequence, EVENTS_AT_ONCE)?;
        let known = lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        let before = sequence;
        for envelope in known {
            let envelope: Envelope = envelope;
            sequence = sequence.max(envelope.sequence);
            progress.apply(&envelope);
        }
        // Events of later versions are not known, and change nothing here.
        if lines.len() < EVENTS_AT_ONCE as usize || sequence == before {
            return Ok(progress);
        }
    }
}

/// Returns the report of a run that has not ended, or of the last run; `None` if no such run stored anything, or it has
/// ended. `resume` is the command that goes on with the runs of this place.
pub(super) fn report_of(
    store: &Store,
    run: Option<RunId>,
    resume: &str,
) -> Result<Option<(RunId, Report)>, Failure> {
    let runs = store.runs()?;
    let found = match run {
        Some(run) => runs.iter().find(|one| one.id == run),
        None => runs.last(),
    };
    let Some(found) = found.filter(|one| one.status != RunStatus::Finished) else {
        return Ok(None);
    };
    let is_last = runs.last().is_some_and(|last| last.id == found.id);
    let state = state(store, found, is_last, resume)?;
    let report = audit::unfinished(store, found.id, state)?;
    Ok(report.map(|report| (found.id, report)))
}

/// Returns the state of a run that has not ended.
fn state(
    store: &Store,
    run: &RunSummary,
    is_last: bool,
    resume: &str,
) -> Result<RunState, Failure> {
    let events = if is_last {
        Some(progress(store)?)
    } else {
        None
    };
    let events = events.filter(|events| events.run == run.id.0);
    // Who was killed said nothing of it: the store calls such a run interrupted.
    let is_silent = |events: &Progress| events.status == RunStatus::Running;
    let status = match run.status {
        RunStatus::Failed => UnfinishedStatus::Failed,
        RunStatus::Running => UnfinishedStatus::Running,
        _ if events.as_ref().is_some_and(is_silent) => UnfinishedStatus::Killed,
        _ => UnfinishedStatus::Interrupted,
    };
    let message = events.filter(|events| events.status == run.status);
    let message = message.and_then(|events| events.message);
    // A command from elsewhere is no command to be given to a shell here.
    let is_own = store.origin() != Origin::Elsewhere;
    let (reason, own_resume) = match status {
        UnfinishedStatus::Failed => (message, None),
        UnfinishedStatus::Interrupted => (None, message.filter(|_| is_own)),
        UnfinishedStatus::Running | UnfinishedStatus::Killed => (None, None),
    };
    Ok(RunState {
        status,
        reason,
        resume: own_resume
            .filter(|command| command.starts_with("bakeoff "))
            .unwrap_or_else(|| resume.to_owned()),
    })
}

/// Writes the page of a run that was stopped beside its results, and returns how far it is: `Not finished: 2 of 4
/// checked, 3 replicas`. `None` if nothing is there, or it cannot be written: the run has said already why it stopped.
pub(super) fn leave_summary(results: &ResultsPlace, resume: &str) -> Option<String> {
    // A run that did not begin leaves nothing, and what opens for writing would make the folder.
    let read = results.open(Mode::Read).ok()?;
    report_of(&read, None, resume).ok()??;
    drop(read);
    // With the lock: another run would write the same file.
    let store = results.open(Mode::Write).ok()?;
    let (_, report) = report_of(&store, None, resume).ok()??;
    store
        .files()
        .write_summary(&bakeoff_render::summary(&report))
        .ok()?;
    let unfinished = report.unfinished?;
    let page = store.files().folder().join("summary.md");
    Some(format!(
        "{}; {} has what is known so far",
        unfinished.progress(),
        page.display()
    ))
}
