//! The report of a run that has not ended: what its evidence says so far, and nothing that follows from all of it only.

use super::conclude::{ReportFacts, completed, facts, settle, states};
use super::evidence::Evidence;
use super::variant_state::VariantState;
use bakeoff_domain::report::{self, MeasuringEnd, Report, UnfinishedRun, UnfinishedStatus};
use std::collections::BTreeMap;

/// State of a run that has not ended, as its events and its lock tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunState {
    /// State of the run: it goes on, was stopped, was killed or failed.
    pub status: UnfinishedStatus,
    /// Reason why the run failed, if it did.
    pub reason: Option<String>,
    /// The command that goes on with the run.
    pub resume: String,
}

/// Returns the report of a run that has not ended. Answers are held against each other only once all of them were
/// checked, which is when the race begins.
///
/// # Errors
/// The evidence contradicts itself.
pub(super) fn conclude_unfinished(evidence: &Evidence, state: RunState) -> Result<Report, String> {
    let record = &evidence.record;
    let has_race = record.race.is_some();
    let in_words = record.experiment.is_in_words();
    let mut variants = states(record);
    for variant in &mut variants {
        if variant.build.is_none() {
            variant.failure = None;
        }
    }
    let notes = if has_race {
        settle(record, &mut variants)?
    } else {
        Vec::new()
    };
    let ReportFacts {
        mut facts,
        opinions,
        outcome,
    } = facts(evidence, &mut variants, notes)?;
    if !has_race {
        facts.notes.clear();
    }
    let reasons = variants
        .iter()
        .map(|state| (state.id().as_str(), reason(in_words, state)));
    let reasons: BTreeMap<&str, &str> = reasons.collect();
    for variant in &mut facts.variants {
        let reason = reasons.get(variant.id.as_str());
        variant.reason = reason.map(|reason| (*reason).to_owned());
    }
    facts.protocol.ended = MeasuringEnd::Unfinished;
    let count = |is: &dyn Fn(&VariantState) -> bool| {
        let found = variants.iter().filter(|state| is(state));
        found.count() as u32
    };
    let replicas = outcome
        .as_ref()
        .map_or(0, |outcome| outcome.counted().len());
    let unfinished = UnfinishedRun {
        run: record.run,
        status: state.status,
        variants: variants.len() as u32,
        built: count(&|state| {
            state
                .build
                .as_ref()
                .is_some_and(|build| build.failure.is_none())
        }),
        checked: count(&|state| state.gate.is_some()),
        failed: count(&|state| !state.is_alive()),
        replicas: replicas as u32,
        reason: state.reason,
        resume: state.resume,
    };
    let report = report::assemble_unfinished(facts, unfinished);
    Ok(completed(report, record, opinions))
}

/// Returns how far a variant that did not fail is, in words.
fn reason(in_words: bool, state: &VariantState) -> &'static str {
    match (&state.build, &state.gate) {
        (None, _) if in_words => "not judged yet",
        (None, _) => "not built yet",
        (Some(_), None) => "built, not checked yet",
        (Some(_), Some(_)) => "checked, not ranked yet",
    }
}
