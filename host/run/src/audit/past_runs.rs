//! The last finished runs of an experiment, with their reports recomputed.

use super::{check_report, compare_runs, recompute};
use bakeoff_domain::report::Report;
use bakeoff_store::{RunId, RunStatus, Store, StoreError};

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// Number of the run.
    pub run: RunId,
    /// Time at which the run began, as RFC 3339 in UTC.
    pub started: String,
    /// The report that follows from the stored evidence.
    pub report: Report,
    /// Differences of its environment from that of the run before it in the list: name, before, after.
    pub changes: Vec<(String, String, String)>,
}

/// Returns the last `most` finished runs, the oldest first. A run whose report cannot be read or recomputed is left
/// out.
///
/// # Errors
/// The list of runs cannot be read.
pub fn past_runs(store: &Store, most: usize) -> Result<Vec<PastRun>, StoreError> {
    let mut past = Vec::new();
    let runs = store.runs()?;
    let finished = runs.into_iter().rev();
    let finished = finished.filter(|run| run.status == RunStatus::Finished);
    for run in finished.take(most) {
        let Ok(Some(recomputed)) = recompute(store, Some(run.id)) else {
            continue;
        };
        let again = recomputed.again.ok();
        if let Some(report) = again.filter(|report| check_report(report).is_ok()) {
            past.push(PastRun {
                run: run.id,
                started: run.started,
                report,
                changes: Vec::new(),
            });
        }
    }
    past.reverse();
    for place in 1..past.len() {
        let (before, after) = past.split_at_mut(place);
        let earlier = &before[place - 1].report;
        after[0].changes = compare_runs(earlier, &after[0].report).environment;
    }
    Ok(past)
}
