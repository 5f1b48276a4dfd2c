//! A kept report worked out again from what it rests on: gates, pilot, replicas, who dropped out.
//! Nothing is built or run, and no file but the database is read.

use super::conclude::Findings;
use super::evidence::{Evidence, Record};
use super::timing::{self, Timed};
use super::{Candidate, compared, find_twins, reconcile, sound};
use crate::evaluate;
use crate::measure::Kept;
use crate::store::{self, RunId, RunStatus, Store, StoreError};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::report::{self, CaseLabel, Cost, Facts, Report, SCHEMA_VERSION, Variant};
use bakeoff_domain::spec::{Experiment, Inputs, Source};
use std::time::Duration;

/// The report of a run as it is kept, and as it comes out now.
#[derive(Clone, Debug)]
pub struct Recomputed {
    /// As it is kept.
    pub kept: Report,
    /// Worked out again; or why that cannot be done.
    pub again: Result<Report, String>,
}

/// Works out the report of a run again, or of the last one that has one. `None` if there is none
/// whose format this bakeoff knows.
///
/// # Errors
/// There is no such run; the database cannot be read, or what it has as the report.
pub fn recompute(store: &Store, run: Option<RunId>) -> Result<Option<Recomputed>, StoreError> {
    let Some(run) = run.map_or_else(|| store.last_reported(), |run| Ok(Some(run)))? else {
        return Ok(None);
    };
    let report = store.report(Some(run))?;
    let Some(kept) = report.filter(|report| report.schema_version <= SCHEMA_VERSION) else {
        return Ok(None);
    };
    let again = again(store, run, &kept)?;
    Ok(Some(Recomputed { kept, again }))
}

fn again(store: &Store, run: RunId, kept: &Report) -> Result<Result<Report, String>, StoreError> {
    let runs = store.runs()?;
    let Some(summary) = runs.into_iter().find(|summary| summary.id == run) else {
        return Ok(Err(format!("run {run} is not in the list of runs")));
    };
    if summary.status != RunStatus::Finished {
        return Ok(Err(format!(
            "run {run} went on after this report was made, and has not ended: it is {}",
            summary.status.name()
        )));
    }
    let evidence = match Evidence::of(store, run, kept.clone()) {
        // What an older bakeoff kept may have another shape.
        Err(StoreError::Corrupt { reason, .. }) => return Ok(Err(reason)),
        other => other?,
    };
    let made_by = &summary.bakeoff;
    let here = env!("CARGO_PKG_VERSION");
    Ok(from_evidence(&evidence).and_then(|report| {
        let other_rules = made_by != here && !reconcile::differences(kept, &report).is_empty();
        match other_rules {
            true => Err(format!(
                "bakeoff {made_by} made it, and by the rules of this one, {here}, it would come out \
                 otherwise"
            )),
            false => Ok(report),
        }
    }))
}

/// The report that follows from evidence; or why none does.
fn from_evidence(evidence: &Evidence) -> Result<Report, String> {
    let (record, kept) = (&evidence.record, &evidence.report);
    let experiment = &record.experiment;
    let cases = cases(evidence);
    sound::check_indexes(record, kept, &evidence.replicas, cases.len())?;
    sound::check_size(record, &evidence.replicas, cases.len())?;
    let mut candidates = Candidate::declared(&experiment.approaches);
    recall(&mut candidates, evidence);
    let mut notes = Vec::new();
    // Whether there was an oracle is known to the interface, which may be another one by now.
    if kept.notes.iter().any(|note| compared::is_said_by(note)) {
        notes.push(compare_answers(&mut candidates, &cases));
    }
    let component = |candidate: &Candidate| {
        let gate = record.gate(&candidate.id)?;
        store::input(&gate.inputs, "component").map(str::to_owned)
    };
    let identities: Vec<_> = candidates.iter().map(component).collect();
    find_twins(&mut candidates, &identities);
    let timed = replayed(&mut candidates, evidence, &cases)?;
    let seed = record.race.as_ref().and_then(|race| race.seed.as_deref());
    let findings = Findings {
        experiment,
        cases: &cases,
        seed: seed.map_or(Ok(kept.experiment.seed), |seed| {
            let unreadable = |_| format!("{seed} is no seed");
            seed.parse().map_err(unreadable)
        })?,
        candidates: &candidates,
    };
    let id = kept.experiment.id.clone();
    let mut facts = findings.facts(id, kept.environment.clone(), timed.as_ref(), notes);
    if timed.is_none() {
        facts.protocol.ended = kept.protocol.ended;
    }
    for variant in &mut facts.variants {
        let said = kept.variants.iter().find(|other| other.id == variant.id);
        add_build(variant, record, said);
    }
    let cost = Cost::clone(&kept.cost);
    Ok(report::assemble(Facts { cost, ..facts }))
}

/// By case, what it is called.
pub(super) fn cases(evidence: &Evidence) -> Vec<CaseLabel> {
    match (
        &evidence.record.experiment.workload.inputs,
        &evidence.record.race,
    ) {
        (Inputs::Generated { sizes, .. }, _) => {
            sizes.iter().map(|size| CaseLabel::Size(*size)).collect()
        }
        (Inputs::Cases(_), Some(race)) => {
            let calls = race.lists.cases.iter();
            calls.map(|call| CaseLabel::Call(call.clone())).collect()
        }
        (Inputs::Cases(_), None) => evidence.report.experiment.cases.clone(),
    }
}

/// What the records say of the candidates: what their gates found out, and why they failed before the
/// race.
pub(super) fn recall(candidates: &mut [Candidate], evidence: &Evidence) {
    for candidate in candidates {
        let gate = evidence.record.gate(&candidate.id);
        candidate.gate = gate.map(|gate| gate.value.clone());
        let gated = candidate
            .gate
            .as_ref()
            .and_then(|gate| gate.failure.clone());
        candidate.failure = match evidence.record.build(&candidate.id) {
            Some(build) => build.value.failure.clone().or(gated),
            // It could not be read when the run was made, and only the report says why.
            None => Some(said(evidence, &candidate.id, Phase::Build).unwrap_or_else(unreadable)),
        };
    }
}

/// Compares answers, as a run without an oracle does, and gives the note about it.
pub(super) fn compare_answers(candidates: &mut [Candidate], cases: &[CaseLabel]) -> String {
    let compared = compared::answers(candidates, cases);
    for (index, failure) in compared.suspects {
        candidates[index].failure = Some(failure);
    }
    compared.note
}

/// The failure that the report has for a variant, if it is of this phase.
fn said(evidence: &Evidence, id: &str, phase: Phase) -> Option<Failure> {
    let mut variants = evidence.report.variants.iter();
    let failure = variants.find(|variant| variant.id == id)?.failure.clone();
    failure.filter(|failure| failure.phase == phase)
}

/// Takes over failures in a race that did not get as far as its pilot: only the report has them.
pub(super) fn recall_unpiloted(candidates: &mut [Candidate], evidence: &Evidence) {
    if evidence.record.race.is_some() {
        return;
    }
    for candidate in candidates.iter_mut().filter(|one| one.is_alive()) {
        candidate.failure = said(evidence, &candidate.id, Phase::Measure);
    }
}

/// The race from its replicas. `None` if none got as far as its pilot.
fn replayed(
    candidates: &mut [Candidate],
    evidence: &Evidence,
    cases: &[CaseLabel],
) -> Result<Option<Timed>, String> {
    let Some(race) = &evidence.record.race else {
        recall_unpiloted(candidates, evidence);
        return Ok(None);
    };
    let passed = |index: &usize| {
        let candidate = &candidates[*index];
        candidate.is_alive() && candidate.twin_of.is_none()
    };
    let racers: Vec<usize> = (0..candidates.len()).filter(passed).collect();
    let ids = racers.iter().map(|index| &candidates[*index].id);
    if !ids.eq(&race.lists.variants) {
        return Err("by what is kept of the gates, other variants would have raced".to_owned());
    }
    let experiment = &evidence.record.experiment;
    Ok(race_again(candidates, experiment, evidence, cases, racers))
}

/// What came of the race of these candidates, by what is kept of it; those who failed in it have that
/// failure from now on.
pub(super) fn race_again(
    candidates: &mut [Candidate],
    experiment: &Experiment,
    evidence: &Evidence,
    cases: &[CaseLabel],
    racers: Vec<usize>,
) -> Option<Timed> {
    let race = evidence.record.race.as_ref()?;
    let kept = Kept {
        pilot: Some(race.pilot.clone()),
        replicas: evidence.replicas.clone(),
        dropped: race.dropouts.clone(),
        seconds: 0.0,
    };
    let raced = timing::replay(experiment, cases, racers.len(), kept)?;
    for dropout in &raced.failed {
        candidates[racers[dropout.variant]].failure = Some(dropout.failure.clone());
    }
    Some(Timed { racers, raced })
}

/// What is known of a variant's build. Lines of source, imports and the time it took are taken from the
/// report.
fn add_build(variant: &mut Variant, record: &Record, said: Option<&Variant>) {
    let build = record.build(&variant.id).map(|build| &build.value);
    if let Some(build) = build.filter(|build| build.digest.is_some()) {
        let readings = evaluate::of_build(build.component_bytes, None, Duration::ZERO);
        variant.readings.extend(readings);
    }
    if let Some(said) = said {
        for name in [Source::SourceLines.name(), Source::BuildTime.name()] {
            let reading = said.readings.get(&name).cloned();
            variant
                .readings
                .extend(reading.map(|reading| (name, reading)));
        }
        variant.imports.clone_from(&said.imports);
    }
}

/// The failure of code that was never read.
pub(super) fn unreadable() -> Failure {
    Failure {
        class: FailureClass::BuildFailed,
        message: "it cannot be read".to_owned(),
        phase: Phase::Build,
        limit: None,
    }
}
