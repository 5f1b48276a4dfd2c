//! A stored report recomputed from its evidence. Nothing is built or run, and only the files of the
//! results are read.

use super::comparison::{self, Wording};
use super::{older, validate};
use crate::{Evidence, conclude, is_built_from};
use bakeoff_domain::report::{Report, SCHEMA_VERSION};
use bakeoff_domain::spec::Code;
use bakeoff_domain::variant::approach_indexes;
use bakeoff_source::SOURCE_BYTES_MAX;
use bakeoff_store::{ResultKind, RunId, RunStatus, RunSummary, Store, StoreError, StoredResult};
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The report of a run as it is stored, and as it follows from the evidence.
#[derive(Clone, Debug)]
pub struct Recomputed {
    /// The number of the run.
    pub run: RunId,
    /// The report as it is stored.
    pub kept: Report,
    /// The report that follows from the evidence, or the reason why none does.
    pub again: Result<Report, String>,
    /// The treatment of sentences when the two are compared.
    pub wording: Wording,
    /// True if the stored report must follow from the evidence: the run is finished, and this
    /// version of bakeoff made it.
    pub should_follow: bool,
}

/// Recomputes the report of a run, or of the last one that has a report. `None` if no report has a
/// format that this bakeoff knows.
///
/// # Errors
/// There is no such run; the database or the stored report cannot be read.
pub fn recompute(store: &Store, run: Option<RunId>) -> Result<Option<Recomputed>, StoreError> {
    let Some(run) = run.map_or_else(|| store.last_reported(), |run| Ok(Some(run)))? else {
        return Ok(None);
    };
    let report = store.report(Some(run))?;
    let Some(kept) = report.filter(|report| report.schema_version <= SCHEMA_VERSION) else {
        return Ok(None);
    };
    let runs = store.runs()?;
    let Some(summary) = runs.into_iter().find(|summary| summary.id == run) else {
        return Ok(None);
    };
    let wording = Wording::of_version(&summary.bakeoff);
    let again = again(store, &summary, &kept, wording)?;
    let is_over = summary.status == RunStatus::Finished;
    Ok(Some(Recomputed {
        run,
        kept,
        again,
        wording,
        should_follow: is_over && summary.bakeoff == env!("CARGO_PKG_VERSION"),
    }))
}

fn again(
    store: &Store,
    summary: &RunSummary,
    kept: &Report,
    wording: Wording,
) -> Result<Result<Report, String>, StoreError> {
    let run = summary.id;
    if summary.status != RunStatus::Finished {
        return Ok(Err(format!(
            "run {run} went on after this report was made, and has not ended: it is {}",
            summary.status.name()
        )));
    }
    let mut evidence = match Evidence::read(store, run, kept.cost.seconds) {
        // What an older bakeoff kept may have another shape.
        Err(StoreError::Corrupt { reason, .. }) => return Ok(Err(reason)),
        other => other?,
    };
    let is_older = older::is_older(&evidence);
    if is_older && evidence.record.race.is_none() && store.race_of(run)?.is_some() {
        return Ok(Err(format!(
            "bakeoff {} made it, and did not keep how its race ended",
            summary.bakeoff
        )));
    }
    if is_older {
        older::complete(&mut evidence, kept);
    }
    let made_by = &summary.bakeoff;
    let here = env!("CARGO_PKG_VERSION");
    let differs = |report: &Report| !comparison::differences(kept, report, wording).is_empty();
    Ok(of_evidence(&evidence, kept).and_then(|mut report| {
        if is_older {
            report.cost.clone_from(&kept.cost);
        }
        match made_by != here && differs(&report) {
            true => Err(format!(
                "bakeoff {made_by} made it, and by the rules of this one, {here}, it would come out \
                 otherwise"
            )),
            false => Ok(report),
        }
    }))
}

/// Returns the report that follows from evidence that may be forged, or the reason why none does.
pub(super) fn of_evidence(evidence: &Evidence, kept: &Report) -> Result<Report, String> {
    validate::check_evidence(&evidence.record, kept, &evidence.replicas)?;
    validate::check_size(&evidence.record, &evidence.replicas)?;
    conclude(evidence)
}

/// Returns the text of the Rust source that a run measured by variant id, where it was stored.
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
        let (Code::Source(_), Some(last)) = (&approach.code, variant.iterations.last()) else {
            continue;
        };
        let mut own = builds.iter().filter(|build| build.variant == variant.id);
        if !own.any(|build| is_built_from(build, Some(&last.source_digest))) {
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
