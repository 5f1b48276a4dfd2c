//! The end of a run: its report from everything that was stored of it, announced and stored.

use super::conclude::conclude;
use super::error::RunError;
use super::evidence::Evidence;
use super::native_race::NativeResult;
use bakeoff_domain::report::Report;
use bakeoff_store::events::Event;
use bakeoff_store::{RunId, SafeId, Store};
use std::collections::BTreeMap;

/// Computes the report of a run from everything that was stored of it, as at any later time, writes its variants beside
/// the store, and announces their scores. `natively` is what is known of its sources as programs.
pub(super) fn concluded(
    store: &mut Store,
    run: RunId,
    natively: Option<NativeResult>,
) -> Result<Report, RunError> {
    let evidence = Evidence {
        natively,
        ..Evidence::read(store, run, store.spent_seconds())?
    };
    let report = conclude(&evidence).map_err(RunError::Inconsistent)?;
    for variant in &report.variants {
        let id = SafeId::new(&variant.id)?;
        store.files().write_variant(&id, variant)?;
    }
    announce_scores(store, &report)?;
    Ok(report)
}

/// Stores the report of a run, which is its end.
pub(super) fn finish(store: &mut Store, report: &Report) -> Result<(), RunError> {
    store.finish_run(report)?;
    store.emit(Event::RunComplete {
        seconds: store.spent_seconds(),
    })?;
    Ok(())
}

/// Announces the scores of a report.
fn announce_scores(store: &mut Store, report: &Report) -> Result<(), RunError> {
    let mut matrix = BTreeMap::new();
    for variant in &report.variants {
        let score = |name: &String| variant.scores.get(name).map(|score| score.value);
        let names = report.criteria.iter().map(|criterion| &criterion.name);
        let scores: BTreeMap<String, Option<f64>> =
            names.map(|name| (name.clone(), score(name))).collect();
        matrix.insert(variant.id.clone(), scores.clone());
        store.emit(Event::ApproachComplete {
            approach_id: variant.id.clone(),
            scores,
        })?;
    }
    store.emit(Event::EvaluationComplete {
        top_approach: report.recommendation.winner.clone(),
        comparison_matrix: matrix,
    })?;
    Ok(())
}
