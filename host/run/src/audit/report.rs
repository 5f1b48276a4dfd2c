//! The report of a stored run, concluded from its evidence. Nothing is built or run, and only the files of the
//! results are read.

use super::figures::Figure;
use super::{comparison, validate};
use crate::native_race::{LinkedRun, NativeRecord, NativeResult};
use crate::{Evidence, conclude, is_built_from};
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::Code;
use bakeoff_domain::variant::approach_indexes;
use bakeoff_source::SOURCE_BYTES_MAX;
use bakeoff_store::{
    NATIVELY, Origin, ResultKind, RunId, RunStatus, RunSummary, Store, StoreError, StoredResult,
};
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The report of a run.
#[derive(Clone, Debug)]
pub struct ConcludedRun {
    /// The number of the run.
    pub run: RunId,
    /// The report that follows from the evidence; of a run that has not ended, the one before it went on.
    pub report: Report,
    /// The relation of the report to the one that the run stored.
    pub standing: ReportStanding,
}

/// The relation of a report to the one that the run stored.
#[derive(Clone, Debug)]
pub enum ReportStanding {
    /// The stored report says the same.
    Same,
    /// The stored report says otherwise, in these figures.
    Differs(Vec<Figure>),
    /// Another version of bakeoff made the run, and concluded otherwise.
    OtherVersion {
        /// The version that made the run.
        made_by: String,
    },
    /// The run went on after its report was stored, and has not ended: the report is the stored one.
    Unfinished(RunStatus),
}

/// The reason why a run has no report.
#[derive(Debug, thiserror::Error)]
pub enum ConcludeError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No report follows from what the store has of the run.
    #[error(
        "no report follows from what is kept of run {run}: {reason}: it is damaged or forged; \
         `bakeoff run --fresh` measures again"
    )]
    Damaged {
        /// The number of the run.
        run: i64,
        /// The reason why nothing follows.
        reason: String,
    },
}

/// Concludes the report of a run, or of the last one that stored a report; `None` if none did.
///
/// # Errors
/// There is no such run; the database cannot be read; no report follows from the evidence.
pub fn concluded(store: &Store, run: Option<RunId>) -> Result<Option<ConcludedRun>, ConcludeError> {
    let Some(run) = run.map_or_else(|| store.last_reported(), |run| Ok(Some(run)))? else {
        return Ok(None);
    };
    concluded_with(store, run, natively_of(store, run)?)
}

/// Concludes the report of a run, with what is known of its sources as programs.
fn concluded_with(
    store: &Store,
    run: RunId,
    natively: Option<NativeResult>,
) -> Result<Option<ConcludedRun>, ConcludeError> {
    let Some(stored) = store.report(Some(run))? else {
        return Ok(None);
    };
    let mut runs = store.runs()?.into_iter();
    let Some(summary) = runs.find(|summary| summary.id == run) else {
        return Ok(None);
    };
    let damaged = |reason| ConcludeError::Damaged { run: run.0, reason };
    let (report, standing) = match summary.status {
        RunStatus::Finished => {
            let evidence = Evidence {
                natively,
                ..Evidence::read(store, run, stored.cost.seconds)?
            };
            let report = of_evidence(&evidence, &stored).map_err(damaged)?;
            let standing = standing(&summary, &stored, &report);
            (report, standing)
        }
        status => (stored, ReportStanding::Unfinished(status)),
    };
    validate::check_report(&report).map_err(damaged)?;
    Ok(Some(ConcludedRun {
        run,
        report,
        standing,
    }))
}

/// Returns what is known of the sources of a run as programs; `None` if they were not raced. Their results may have been
/// exchanged or lost, which takes nothing else from the report.
///
/// # Errors
/// There is no such run, or its own results cannot be read.
pub(crate) fn natively_of(store: &Store, run: RunId) -> Result<Option<NativeResult>, StoreError> {
    let mut kept: Vec<StoredResult<NativeRecord>> = store.results(run, ResultKind::Natively)?;
    Ok(kept.pop().map(|kept| NativeResult {
        programs: match &kept.value.raced {
            Some(linked) => programs_of(store, linked).map(|report| Some(Box::new(report))),
            None => Ok(None),
        },
        failures: kept.value.failures,
    }))
}

/// Returns the report about programs, or the reason why there is none.
fn programs_of(store: &Store, linked: &LinkedRun) -> Result<Report, String> {
    let there = store
        .open_within(NATIVELY)
        .map_err(|error| error.to_string())?;
    let place = there.files().folder().display().to_string();
    // What is the user's own is not mixed with what may be anybody's.
    if store.origin() == Origin::Own && there.origin() != Origin::Own {
        return Err(format!("the results in {place} come from elsewhere"));
    }
    let run = RunId(linked.run);
    let runs = there.runs().map_err(|error| error.to_string())?;
    let mut linked_runs = runs.iter().filter(|one| one.id == run);
    if !linked_runs.any(|one| one.experiment_id == linked.experiment_id) {
        return Err(format!(
            "run {run} of {place} is not there, or is another one"
        ));
    }
    // Programs have no programs in turn, so that no folder leads to another one for ever.
    match concluded_with(&there, run, None) {
        Ok(Some(concluded)) => match concluded.standing {
            ReportStanding::Unfinished(_) => Err(format!("run {run} of {place} has not ended")),
            _ => Ok(concluded.report),
        },
        Ok(None) => Err(format!("run {run} of {place} has not ended")),
        Err(error) => Err(error.to_string()),
    }
}

fn standing(summary: &RunSummary, stored: &Report, concluded: &Report) -> ReportStanding {
    let differing = comparison::differences(stored, concluded);
    if differing.is_empty() {
        ReportStanding::Same
    } else if summary.bakeoff == env!("CARGO_PKG_VERSION") {
        ReportStanding::Differs(differing)
    } else {
        let made_by = summary.bakeoff.clone();
        ReportStanding::OtherVersion { made_by }
    }
}

/// Returns the report that follows from evidence that may be forged, or the reason why none does.
pub(super) fn of_evidence(evidence: &Evidence, stored: &Report) -> Result<Report, String> {
    validate::check_evidence(&evidence.record, stored, &evidence.replicas)?;
    validate::check_size(&evidence.record, &evidence.replicas)?;
    conclude(evidence)
}

/// Returns the text of the Rust source, or of the program, that a run measured by variant id, where it was stored and is
/// text.
///
/// # Errors
/// The database cannot be read.
pub fn sources(store: &Store, run: RunId) -> Result<BTreeMap<String, String>, StoreError> {
    let (experiment, _) = store.settings(run)?;
    let contents = store.files().contents();
    let mut sources = BTreeMap::new();
    let variants = store.variants(run)?;
    let builds: Vec<StoredResult<IgnoredAny>> = store.results(run, ResultKind::Build)?;
    let approaches = approach_indexes(&experiment.approaches);
    for (variant, approach) in variants.into_iter().zip(approaches) {
        let approach = &experiment.approaches[approach];
        let (Code::Source(_) | Code::Program(_), Some(last)) =
            (&approach.code, variant.iterations.last())
        else {
            continue;
        };
        let mut own = builds.iter().filter(|build| build.variant == variant.id);
        if !own.any(|build| is_built_from(build, &last.source_digest)) {
            continue;
        }
        // Code samples are worth no error: what was altered or is gone is not shown.
        let found = contents.get(&last.source_digest, SOURCE_BYTES_MAX as u64);
        if let Ok(Some(bytes)) = found
            && let Ok(text) = String::from_utf8(bytes)
        {
            sources.insert(variant.id, text);
        }
    }
    Ok(sources)
}
