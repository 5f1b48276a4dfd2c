//! Choice of the variants of a large sweep that race: by their checks, and for the best of those by a coarse race.

use super::coarse_times::CoarseRace;
use super::variant_state::VariantState;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::report::{CaseLabel, CriterionSummary, Interval, Screening};
use bakeoff_domain::score::{
    CHOSEN, COARSE_TIME, FUEL_GROWTH, PlacesRule, RACING_MAX, ScreeningFigures, StandIn,
    VariantReadings, first_of_each, screen,
};
use bakeoff_domain::spec::{Experiment, Inputs};
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::evaluate::{self, VariantEvidence};
use bakeoff_measure::{Assessment, GateRecord};
use std::collections::{BTreeMap, BTreeSet};

/// Sets the screening of each variant, if more have passed their checks than may race: the variants that it does not
/// choose are left out of the race. It depends on nothing but the stored builds, gates and coarse race, so that every
/// repetition gives the same.
pub(super) fn set_screening(
    experiment: &Experiment,
    cases: &[CaseLabel],
    instances: Option<usize>,
    coarse: Option<&CoarseRace>,
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
        Inputs::Generated { .. } | Inputs::Cases(_) | Inputs::None => cases,
    };
    let readings: Vec<VariantReadings> = variants
        .iter()
        .map(|state| readings(state, None, cases, instances))
        .collect();
    let mut figures = screen(&criteria, readings.clone(), StandIn::Fuel);
    if let Some(coarse) = coarse {
        by_coarse_times(&criteria, variants, readings, coarse, &mut figures);
        if coarse.places == PlacesRule::ApproachesFirst {
            put_approaches_first(variants, &mut figures);
        }
    }
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

/// Puts the variants that have coarse times first, in the order of their scores with these.
fn by_coarse_times(
    criteria: &[CriterionSummary],
    variants: &[VariantState],
    mut readings: Vec<VariantReadings>,
    coarse: &CoarseRace,
    figures: &mut [Option<ScreeningFigures>],
) {
    let times: Vec<Option<f64>> = variants
        .iter()
        .map(|state| coarse.variants.get(state.id().as_str())?.time_ns())
        .collect();
    for (readings, time) in readings.iter_mut().zip(&times) {
        match time {
            Some(time) => {
                let time = Interval::exact(*time);
                readings.readings.insert(COARSE_TIME.to_owned(), time);
            }
            None => readings.failed = true,
        }
    }
    let timed = screen(criteria, readings, StandIn::CoarseTime);
    let first = timed.iter().flatten().count() as u32;
    let mut others: Vec<usize> = (0..figures.len())
        .filter(|index| timed[*index].is_none() && figures[*index].is_some())
        .collect();
    others.sort_by_key(|index| figures[*index].map(|figures| figures.place));
    for (place, index) in (first + 1..).zip(others) {
        if let Some(figures) = &mut figures[index] {
            figures.place = place;
        }
    }
    for ((own, timed), time) in figures.iter_mut().zip(timed).zip(times) {
        if let Some(timed) = timed {
            *own = Some(ScreeningFigures {
                time_ns: time,
                ..timed
            });
        }
    }
}

/// Gives the best variant of each approach a place before any approach has a second: among those with coarse times, or,
/// if no variant has one, among all.
fn put_approaches_first(variants: &[VariantState], figures: &mut [Option<ScreeningFigures>]) {
    let is_timed = |one: &Option<ScreeningFigures>| one.is_some_and(|one| one.time_ns.is_some());
    let any_timed = figures.iter().any(is_timed);
    let mut order: Vec<usize> = (0..figures.len())
        .filter(|index| figures[*index].is_some() && (!any_timed || is_timed(&figures[*index])))
        .collect();
    order.sort_by_key(|index| figures[*index].map(|figures| figures.place));
    let approach = |index: usize| &variants[index].variant.approach;
    // Those with times have the first places, whatever their order is.
    for (place, index) in (1..).zip(first_of_each(&order, approach, CHOSEN)) {
        if let Some(figures) = &mut figures[index] {
            figures.place = place;
        }
    }
}

/// Returns the failures of a coarse race, of variants that have not failed otherwise.
pub(super) fn coarse_failures(
    coarse: &CoarseRace,
    variants: &[VariantState],
) -> Vec<(VariantId, Failure)> {
    let alive = variants.iter().filter(|state| state.is_alive());
    let failed = alive.filter_map(|state| {
        let own = coarse.variants.get(state.id().as_str())?;
        Some((state.id().clone(), own.failure.clone()?))
    });
    failed.collect()
}

/// Returns the readings of a variant that are known before the race, with those of its `assessment`, if it has one.
pub(super) fn readings(
    state: &VariantState,
    assessment: Option<&Assessment>,
    cases: &[CaseLabel],
    instances: Option<usize>,
) -> VariantReadings {
    let found = evaluate::readings(&VariantEvidence {
        build: state.build.as_ref(),
        build_times_ns: &[],
        coverage: None,
        gate: state.gate.as_ref(),
        assessment,
        cases,
        instances,
        racer: None,
        analysis: None,
        replicas: &[],
        settings: None,
        // Sweeps are of components.
        is_program: false,
    });
    let found = found.iter();
    let mut readings: BTreeMap<String, Interval> = found
        .map(|(source, reading)| (source.clone(), reading.interval()))
        .collect();
    readings.extend(state.evaluated.clone());
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

/// Returns the slope of the logarithm of fuel over the logarithm of size, by least squares; `None` without two sizes.
fn fuel_growth(gate: &GateRecord, cases: &[CaseLabel]) -> Option<f64> {
    let point = |(label, fuel): (&CaseLabel, u64)| match label {
        CaseLabel::Size(size) => Some((f64::from(*size).ln(), (fuel.max(1) as f64).ln())),
        CaseLabel::Call(_) | CaseLabel::Instance { .. } | CaseLabel::Texts(_) => None,
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
    use super::super::coarse_times::CoarseTimes;
    use super::super::variant_state::Identity;
    use super::*;
    use bakeoff_domain::spec::{Approach, AuthorWords, Code, Parameter};
    use bakeoff_domain::variant::declare;
    use bakeoff_runner::CheckedCase;

    fn experiment() -> Experiment {
        let text = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
            [workload]\nsource = \"w.rs\"\nsizes = [1, 2]\n[[approach]]\nname = \"a\"\n\
            source = \"a.rs\"\n";
        bakeoff_config::parse(text, "bakeoff.toml").unwrap()
    }

    /// Makes variants with this fuel, each of its own identity.
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
            words: AuthorWords::default(),
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
        set_screening(&experiment(), &CASES, None, None, &mut states);
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
        set_screening(&experiment(), &CASES, None, None, &mut states);
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
        set_screening(&experiment(), &CASES, None, None, &mut states);
        assert_eq!(chosen(&states), [0, 3, 4, 5, 6, 7, 8, 9]);
        assert!(states[2].screening.is_none());
        assert!(states[1].is_screened_out());
    }

    #[test]
    fn coarse_times_decide_among_those_that_have_them() {
        let fuel: Vec<u64> = (0..100).map(|index| 1_000 + index).collect();
        let mut states = states(&fuel);
        // Time runs against fuel; the first of all failed.
        let times = (0..64).map(|index| {
            let times = CoarseTimes {
                case_ns: vec![Some(f64::from(1_000 - 10 * index)), None],
                failure: (index == 0).then(|| bakeoff_domain::failure::Failure {
                    class: bakeoff_domain::failure::FailureClass::Trap,
                    message: String::new(),
                    phase: bakeoff_domain::failure::Phase::Measure,
                    limit: None,
                }),
            };
            (states[index as usize].id().to_string(), times)
        });
        let coarse = CoarseRace {
            seconds: 1.0,
            variants: times.collect(),
            pairs: Vec::new(),
            places: PlacesRule::ApproachesFirst,
        };
        set_screening(&experiment(), &CASES, None, Some(&coarse), &mut states);
        assert_eq!(chosen(&states), (56..64).collect::<Vec<_>>());
        let place = |index: usize| states[index].screening.unwrap().figures.place;
        assert_eq!((place(63), place(1), place(0), place(99)), (1, 63, 64, 100));
        let time = |index: usize| states[index].screening.unwrap().figures.time_ns;
        let best = time(63).unwrap();
        assert!((best - 370.0).abs() < 1e-6, "{best}");
        assert_eq!(time(99), None);
        let failed = coarse_failures(&coarse, &states);
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].0, *states[0].id());
    }

    #[test]
    fn each_approach_has_a_place_before_any_has_a_second() {
        let fuel: Vec<u64> = (0..100).map(|index| 1_000 + index).collect();
        let mut states = states(&fuel);
        // The last of all is another approach: much fuel, and slow in the coarse race.
        states[99].variant.approach = "b".to_owned();
        let timed = |index: usize| CoarseTimes {
            case_ns: vec![Some(1_000.0 + index as f64), None],
            failure: None,
        };
        let indexes = (0..63).chain([99]);
        let times = indexes.map(|index| (states[index].id().to_string(), timed(index)));
        let mut coarse = CoarseRace {
            seconds: 1.0,
            variants: times.collect(),
            pairs: Vec::new(),
            places: PlacesRule::ApproachesFirst,
        };
        set_screening(&experiment(), &CASES, None, Some(&coarse), &mut states);
        assert_eq!(chosen(&states), [0, 1, 2, 3, 4, 5, 6, 99]);
        let place = |states: &[VariantState], index: usize| {
            let screening: Screening = states[index].screening.unwrap();
            screening.figures.place
        };
        assert_eq!((place(&states, 0), place(&states, 99)), (1, 2));
        assert_eq!((place(&states, 62), place(&states, 63)), (64, 65));
        // Runs of versions that did not keep a rule had the places by their totals alone.
        coarse.places = PlacesRule::ByTotal;
        set_screening(&experiment(), &CASES, None, Some(&coarse), &mut states);
        assert_eq!(chosen(&states), (0..8).collect::<Vec<_>>());
        // Where nobody has a time, fuel orders, and each has a place all the same.
        coarse.places = PlacesRule::ApproachesFirst;
        coarse.variants.clear();
        set_screening(&experiment(), &CASES, None, Some(&coarse), &mut states);
        assert_eq!(chosen(&states), [0, 1, 2, 3, 4, 5, 6, 99]);
    }

    #[test]
    fn growth_of_fuel_is_its_slope() {
        let gate = states(&[100])[0].gate.clone().unwrap();
        let slope = fuel_growth(&gate, &CASES).unwrap();
        assert!((slope - 1.0).abs() < 1e-9, "{slope}");
        assert_eq!(fuel_growth(&gate, &CASES[..1]), None);
    }
}
