//! The report of a run that was stopped or goes on, concluded from what is stored of it so far.

use super::report::ConcludeError;
use super::validate;
use crate::unfinished::conclude_unfinished;
use crate::{Evidence, RunState};
use bakeoff_domain::report::Report;
use bakeoff_store::{RunId, Store};

/// Returns the report of a run that has not ended; `None` if nothing is stored of it yet.
///
/// # Errors
/// There is no such run; the database cannot be read; no report follows from the evidence.
pub fn unfinished(
    store: &Store,
    run: RunId,
    state: RunState,
) -> Result<Option<Report>, ConcludeError> {
    let runs = store.runs()?;
    let seconds = runs.iter().find(|summary| summary.id == run);
    let seconds = seconds.map_or(0.0, |summary| summary.seconds);
    let Some(evidence) = Evidence::read_begun(store, run, seconds)? else {
        return Ok(None);
    };
    let damaged = |reason| ConcludeError::Damaged { run: run.0, reason };
    validate::check_results(&evidence.record, &evidence.replicas).map_err(damaged)?;
    validate::check_size(&evidence.record, &evidence.replicas).map_err(damaged)?;
    let report = conclude_unfinished(&evidence, state).map_err(damaged)?;
    validate::check_report(&report).map_err(damaged)?;
    Ok(Some(report))
}
