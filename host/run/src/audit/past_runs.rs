//! The last finished runs of an experiment, with their reports.

use super::{compare_runs, concluded};
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

/// Returns the last `most` finished runs, the oldest first. A run without a report that follows from its evidence is left
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
        if let Ok(Some(concluded)) = concluded(store, Some(run.id)) {
            past.push(PastRun {
                run: run.id,
                started: run.started,
                report: concluded.report,
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

/// The most runs that a page shows beside each other.
const RUNS_SHOWN: usize = 12;
/// The most verdicts of a report that is shown beside others: each one is computed again for every run.
const VERDICTS_MAX: usize = 500;

/// Returns the runs that a page of the report shows beside each other; none for a report of many verdicts.
///
/// # Errors
/// The list of runs cannot be read.
pub fn runs_shown(store: &Store, report: &Report) -> Result<Vec<PastRun>, StoreError> {
    if report.verdicts.len() <= VERDICTS_MAX {
        past_runs(store, RUNS_SHOWN)
    } else {
        Ok(Vec::new())
    }
}
