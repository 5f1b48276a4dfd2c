//! Choosing the variants of a large sweep that race: by what their checks say, before any is timed.

use super::variant_state::VariantState;
use crate::evaluate::{self, VariantEvidence};
use crate::measure::GateRecord;
use bakeoff_domain::report::{CaseLabel, CriterionSummary, Interval, Screening};
use bakeoff_domain::score::{CHOSEN, FUEL_GROWTH, RACING_MAX, VariantReadings, screen};
use bakeoff_domain::spec::{Experiment, Inputs};
use std::collections::BTreeSet;

/// Sets what the screening says of each variant, if more have passed their checks than race: those
/// that it does not choose are left out of the race. It depends on nothing but what is kept of builds and
/// gates, so that it is the same whenever it is repeated.
pub(super) fn set_screening(
    experiment: &Experiment,
    cases: &[CaseLabel],
    instances: Option<usize>,
    variants: &mut [VariantState],
) {
    let alive = variants.iter().filter(|state| state.is_alive()).count();
    if alive <= RACING_MAX {
        return;
    }
    let criteria: Vec<CriterionSummary> = experiment
        .criteria
        .iter()
        .map(CriterionSummary::from)
        .collect();
    let cases = match &experiment.workload.inputs {
        Inputs::Instances { .. } => &[],
        Inputs::Generated { .. } | Inputs::Cases(_) => cases,
    };
    let readings = variants
        .iter()
        .map(|state| readings(state, cases, instances));
    let figures = screen(&criteria, readings.collect());
    let mut order: Vec<usize> = (0..variants.len())
        .filter(|index| figures[*index].is_some())
        .collect();
    order.sort_by_key(|index| figures[*index].map(|figures| figures.place));
    let mut components = BTreeSet::new();
    let mut chosen = BTreeSet::new();
    for index in order {
        let Some(identity) = &variants[index].identity else {
            continue;
        };
        // Of variants that are the same, the first one races.
        if chosen.len() < CHOSEN && components.insert((&identity.component, &identity.files)) {
            chosen.insert(index);
        }
    }
    for (index, state) in variants.iter_mut().enumerate() {
        state.screening = figures[index].map(|figures| Screening {
            figures,
            chosen: chosen.contains(&index),
        });
    }
}

/// What is known of a variant before the race.
fn readings(
    state: &VariantState,
    cases: &[CaseLabel],
    instances: Option<usize>,
) -> VariantReadings {
    let found = evaluate::readings(&VariantEvidence {
        build: state.build.as_ref(),
        build_times_ns: &[],
        gate: state.gate.as_ref(),
        assessment: None,
        cases,
        instances,
        racer: None,
        analysis: None,
        replicas: &[],
        settings: None,
    });
    let found = found.iter();
    let mut readings: std::collections::BTreeMap<String, Interval> = found
        .map(|(source, reading)| (source.clone(), reading.interval()))
        .collect();
    let growth = state
        .gate
        .as_ref()
        .and_then(|gate| fuel_growth(gate, cases));
    readings.extend(growth.map(|slope| (FUEL_GROWTH.to_owned(), Interval::exact(slope))));
    VariantReadings {
        readings,
        failed: !state.is_alive(),
        screened: false,
        missing: Default::default(),
    }
}

/// The slope of the logarithm of fuel over the logarithm of size, by least squares; `None` without
/// two sizes.
fn fuel_growth(gate: &GateRecord, cases: &[CaseLabel]) -> Option<f64> {
    let point = |(label, fuel): (&CaseLabel, u64)| match label {
        CaseLabel::Size(size) => Some((f64::from(*size).ln(), (fuel.max(1) as f64).ln())),
        CaseLabel::Call(_) | CaseLabel::Instance { .. } => None,
    };
    let points: Vec<(f64, f64)> = cases.iter().zip(gate.fuel()).filter_map(point).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let shared: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    (points.len() >= 2 && spread > 0.0).then(|| shared / spread)
}

#[cfg(test)]
mod tests {
    use super::super::variant_state::Identity;
    use super::*;
    use crate::measure::CheckedCase;
    use bakeoff_domain::spec::{Approach, Code, Parameter};
    use bakeoff_domain::variant::declare;

    fn experiment() -> Experiment {
        let text = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
            [workload]\nsource = \"w.rs\"\nsizes = [1, 2]\n[[approach]]\nname = \"a\"\n\
            source = \"a.rs\"\n";
        crate::config::parse(text, "bakeoff.toml").unwrap()
    }

    /// Variants with this fuel, each of its own identity.
    fn states(fuel: &[u64]) -> Vec<VariantState> {
        let approach = Approach {
            name: "a".to_owned(),
            description: None,
            code: Code::Source("a.rs".into()),
            grants: Vec::new(),
            sweep: vec![Parameter {
                name: "n".to_owned(),
                values: (0..fuel.len()).map(|value| value.to_string()).collect(),
            }],
        };
        let case = |fuel: u64| CheckedCase {
            fuel,
            ..CheckedCase::default()
        };
        let state = |(variant, fuel): (_, &u64)| {
            let mut state = VariantState::new(variant);
            state.gate = Some(GateRecord {
                cases: vec![case(*fuel), case(2 * *fuel)],
                ..GateRecord::default()
            });
            state.identity = Some(Identity {
                component: "same".to_owned(),
                files: Some(state.id().to_string()),
            });
            state
        };
        declare(&[approach])
            .into_iter()
            .zip(fuel)
            .map(state)
            .collect()
    }

    const CASES: [CaseLabel; 2] = [CaseLabel::Size(1), CaseLabel::Size(2)];

    fn chosen(states: &[VariantState]) -> Vec<usize> {
        let indexes = (0..states.len()).filter(|index| states[*index].races());
        indexes.collect()
    }

    #[test]
    fn as_many_as_can_race_are_not_screened() {
        let mut states = states(&[7; RACING_MAX]);
        set_screening(&experiment(), &CASES, None, &mut states);
        assert!(
            states
                .iter()
                .all(|state| state.screening.is_none() && state.races())
        );
    }

    #[test]
    fn of_more_the_best_eight_race() {
        let fuel: Vec<u64> = (0..100).map(|index| 1_000 + (index * 37) % 100).collect();
        let mut states = states(&fuel);
        set_screening(&experiment(), &CASES, None, &mut states);
        let mut expected: Vec<usize> = (0..100).filter(|index| fuel[*index] < 1_008).collect();
        expected.sort_unstable();
        assert_eq!(chosen(&states), expected);
        assert!(states.iter().all(|state| state.screening.is_some()));
    }

    #[test]
    fn a_repetition_takes_no_place_in_the_race_and_a_failure_has_none() {
        let mut fuel = vec![1_000; 80];
        fuel[0] = 10;
        fuel[1] = 10;
        fuel[2] = 1;
        let mut states = states(&fuel);
        states[1].identity = states[0].identity.clone();
        states[2].failure = Some(bakeoff_domain::failure::Failure {
            class: bakeoff_domain::failure::FailureClass::Trap,
            message: String::new(),
            phase: bakeoff_domain::failure::Phase::Check,
            limit: None,
        });
        set_screening(&experiment(), &CASES, None, &mut states);
        assert_eq!(chosen(&states), [0, 3, 4, 5, 6, 7, 8, 9]);
        assert!(states[2].screening.is_none());
        assert!(states[1].is_screened_out());
    }

    #[test]
    fn growth_of_fuel_is_its_slope() {
        let gate = states(&[100])[0].gate.clone().unwrap();
        let slope = fuel_growth(&gate, &CASES).unwrap();
        assert!((slope - 1.0).abs() < 1e-9, "{slope}");
        assert_eq!(fuel_growth(&gate, &CASES[..1]), None);
    }
}
