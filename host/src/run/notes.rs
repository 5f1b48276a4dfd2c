//! The notes of a report: what a reader should know about how the numbers were measured.

use super::evidence::Record;
use super::race_outcome::RaceOutcome;
use super::variant_state::VariantState;
use crate::measure::GateRecord;
use bakeoff_domain::attempt;
use bakeoff_domain::plan::Steadiness;
use bakeoff_domain::race::{Analysis, Basis, Factor, SoloComparison};
use bakeoff_domain::report::{CaseLabel, Machine, noise};
use bakeoff_domain::spec::State;
use std::collections::BTreeSet;

/// Returns the notes of a report, those on the variants first.
pub(super) fn notes(
    record: &Record,
    variants: &[VariantState],
    cases: &[CaseLabel],
    outcome: Option<&RaceOutcome>,
) -> Vec<String> {
    let mut notes = Vec::new();
    let declared = record.experiment.measure.state;
    if declared == State::Kept {
        notes.push(
            "Instances were kept between calls, as the experiment says: a call may have used what \
             earlier ones left."
                .to_owned(),
        );
    }
    for state in variants {
        let attempts = state.gate.as_ref().map(|gate| &gate.attempts);
        let tried = attempts.and_then(|attempts| attempt::sentence(attempts));
        notes.extend(tried.map(|tried| format!("{} {tried}.", state.id())));
    }
    for state in variants.iter().filter(|state| state.is_alive()) {
        if let Some(original) = &state.duplicate_of {
            notes.push(format!(
                "{original} and {} are the same component byte for byte: they tie without being run.",
                state.id()
            ));
        }
        let gains = state.gate.as_ref().is_some_and(GateRecord::gains_by_state);
        if gains && declared == State::Pure {
            notes.push(gains_by_state(state));
        }
    }
    if let Some(outcome) = outcome {
        notes.extend(on_the_race(outcome, cases, record.environment.cores));
    }
    notes
}

fn on_the_race(outcome: &RaceOutcome, cases: &[CaseLabel], cores: u32) -> Vec<String> {
    let mut notes = Vec::new();
    let id = |variant: usize| outcome.variants[variant].as_str();
    let sampling = outcome.raced.pilot.as_ref().map(|pilot| &pilot.sampling);
    for short in sampling.iter().flat_map(|sampling| &sampling.too_short) {
        notes.push(format!(
            "Case {} is too short to time: a call of {} takes less than {:.0} µs. Put more work into one case.",
            cases[short.case], id(short.variant), short.call_ns_min / 1e3
        ));
    }
    if let Some(Steadiness::Trending(trends)) = sampling.map(|sampling| &sampling.steadiness) {
        let who: Vec<&str> = trends.iter().map(|trend| id(trend.variant)).collect();
        notes.push(format!(
            "No steady state: times of {} still change after the warm-up, so instances of that age are compared. Larger inputs make it matter less.",
            who.join(", ")
        ));
    }
    if let Some(analysis) = &outcome.raced.analysis {
        notes.extend(on_the_analysis(analysis, id));
    }
    let replicas = &outcome.raced.replicas;
    let used: BTreeSet<_> = replicas.iter().map(|one| one.surroundings.core).collect();
    let machine = Machine {
        cores,
        workers: used.len() as u32,
    };
    notes.extend(noise(replicas, machine));
    notes
}

fn on_the_analysis<'a>(analysis: &Analysis, id: impl Fn(usize) -> &'a str) -> Vec<String> {
    let mut notes = Vec::new();
    if analysis.settings.basis == Basis::Solo
        || matches!(analysis.solo_comparison, SoloComparison::Differs { .. })
    {
        notes.push(
            "Running side by side changed the ranking, so only replicas that ran alone count: --workers 1 measures alone from the start.".to_owned(),
        );
    }
    for dependence in &analysis.dependences {
        let with = match dependence.factor {
            Factor::Time => "time",
            Factor::Load => "the machine's load",
        };
        notes.push(format!(
            "The ratio of {} to {} changed with {with} during measuring: run again later to see whether it stays.",
            id(dependence.a),
            id(dependence.b)
        ));
    }
    notes
}

fn gains_by_state(state: &VariantState) -> String {
    format!(
        "{} takes less work on an instance that has been called before. Every timed call had a fresh \
         one: if yours are called again and again, run with `state = \"kept\"` under [measure].",
        state.id()
    )
}
