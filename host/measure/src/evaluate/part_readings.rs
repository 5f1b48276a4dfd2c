//! Readings of the parts of calls: the three of a resource that is called in parts, and the start of a fresh instance.

use super::evidence::VariantEvidence;
use bakeoff_domain::measurement::{CaseIndex, PartTimes, Replica, VariantIndex};
use bakeoff_domain::report::Reading;
use bakeoff_domain::stats::median;

/// The sources of the parts of a call, in their order.
const SESSION: [&str; 3] = ["prepare-time", "run-time", "output-time"];
/// The source of the start.
const START: &str = "start-time";

/// The smallest share of a call's time that is reported as its start.
const START_SHARE_MIN: f64 = 0.05;
/// The shortest start that is reported, in nanoseconds: reading the clocks around one takes a good part of that.
const START_NS_MIN: f64 = 5_000.0;

/// The start of a call on the case where it is the largest part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartOfCall {
    /// The case.
    pub case: CaseIndex,
    /// The time of the start, in nanoseconds.
    pub start_ns: f64,
    /// The time of the whole call, in nanoseconds.
    pub call_ns: f64,
}

/// Returns the start of a variant's calls, on the case where it is the largest part of them; `None` if it is next to
/// nothing everywhere.
pub fn start_of_call(replicas: &[Replica], variant: VariantIndex) -> Option<StartOfCall> {
    let of_case = |case| {
        let ns = |of: &dyn Fn(&PartTimes) -> f64| median_ns(replicas, variant, Some(case), of);
        Some(StartOfCall {
            case,
            start_ns: ns(&|parts| parts.start_of_call_ns() * parts.calls as f64)?,
            call_ns: ns(&|parts| parts.total_ns as f64)?,
        })
    };
    let cases = replicas.iter().map(|replica| replica.baselines.len()).max();
    let share = |start: &StartOfCall| start.start_ns / start.call_ns.max(1.0);
    let starts = (0..cases.unwrap_or(0)).filter_map(of_case);
    let largest = starts.max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let counts = share(&largest) >= START_SHARE_MIN && largest.start_ns >= START_NS_MIN;
    counts.then_some(largest)
}

/// Returns the readings of parts of a variant's calls, by their source.
pub(super) fn part_readings(evidence: &VariantEvidence<'_>) -> Vec<(String, Reading)> {
    let Some(racer) = evidence.racer else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (part, source) in SESSION.into_iter().enumerate() {
        let of = move |parts: &PartTimes| parts.session_ns.map(|ns| ns[part] as f64);
        found.extend(reading(evidence, racer, &of).map(|reading| (source.to_owned(), reading)));
    }
    if start_of_call(evidence.replicas, racer).is_some() {
        let of = |parts: &PartTimes| Some(parts.start_of_call_ns() * parts.calls as f64);
        found.extend(reading(evidence, racer, &of).map(|reading| (START.to_owned(), reading)));
    }
    found
}

/// Returns the mean over the cases that have the part; for a set of instances, over all calls.
fn reading(
    evidence: &VariantEvidence<'_>,
    racer: VariantIndex,
    of: &dyn Fn(&PartTimes) -> Option<f64>,
) -> Option<Reading> {
    let has = evidence.replicas.iter().flat_map(|replica| &replica.parts);
    let mut has = has.filter(|parts| parts.variant == racer);
    if !has.any(|parts| of(parts).is_some()) {
        return None;
    }
    let total = |parts: &PartTimes| of(parts).unwrap_or(0.0);
    let (value, by_case) = match evidence.instances {
        Some(_) => (
            median_ns(evidence.replicas, racer, None, &total)?,
            Vec::new(),
        ),
        None => {
            let cases = 0..evidence.cases.len();
            let by_case: Vec<Option<f64>> = cases
                .map(|case| median_ns(evidence.replicas, racer, Some(case), &total))
                .collect();
            let known: Vec<f64> = by_case.iter().flatten().copied().collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            ((!known.is_empty()).then_some(mean)?, by_case)
        }
    };
    Some(Reading {
        value,
        low: None,
        high: None,
        unit: "ns".to_owned(),
        by_case,
        note: None,
    })
}

/// Returns the median over replicas of a part's time in one call, in nanoseconds, on a case, or on all of them. `of`
/// returns the time of the part in all calls together.
fn median_ns(
    replicas: &[Replica],
    variant: VariantIndex,
    case: Option<CaseIndex>,
    of: &dyn Fn(&PartTimes) -> f64,
) -> Option<f64> {
    let of_replica = |replica: &Replica| {
        let parts = replica.parts.iter();
        let parts = parts.filter(|one| {
            one.variant == variant && case.is_none_or(|case| one.case == case) && one.calls > 0
        });
        let (total, calls) = parts.fold((0.0, 0), |(total, calls), one| {
            (total + of(one), calls + one.calls)
        });
        (calls > 0).then(|| total / calls as f64)
    };
    let mut all: Vec<f64> = replicas.iter().filter_map(of_replica).collect();
    median(&mut all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::measurement::{Baseline, Surroundings};
    use bakeoff_domain::report::CaseLabel;

    fn replica(parts: Vec<PartTimes>) -> Replica {
        Replica {
            index: 0,
            solo: false,
            samples: Vec::new(),
            baselines: vec![Baseline::default(); 2],
            cold_ns: Vec::new(),
            parts,
            surroundings: Surroundings::default(),
        }
    }

    fn parts(case: CaseIndex, start_ns: u64, session_ns: Option<[u64; 3]>) -> PartTimes {
        PartTimes {
            variant: 1,
            case,
            calls: 10,
            total_ns: 1_000_000,
            start_ns,
            session_ns,
            again_ns: None,
        }
    }

    fn found(replicas: &[Replica], instances: Option<usize>) -> Vec<(String, Reading)> {
        let cases = [CaseLabel::Size(1), CaseLabel::Size(2)];
        part_readings(&VariantEvidence {
            build: None,
            build_times_ns: &[],
            coverage: None,
            gate: None,
            assessment: None,
            cases: &cases,
            instances,
            racer: Some(1),
            analysis: None,
            replicas,
            settings: None,
            is_program: false,
        })
    }

    #[test]
    fn parts_are_medians_over_replicas_by_case() {
        let of = |prepare| {
            let case = |case, ns| parts(case, 0, Some([ns, 200, 100]));
            replica(vec![case(0, prepare), case(1, 10 * prepare)])
        };
        let replicas = [of(700), of(500), of(9_000)];
        let readings = found(&replicas, None);
        let names: Vec<&str> = readings.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, SESSION);
        let prepare = &readings[0].1;
        assert_eq!(prepare.by_case, [Some(70.0), Some(700.0)]);
        assert_eq!((prepare.value, &*prepare.unit), (385.0, "ns"));
        let of_set = &found(&replicas, Some(2))[0].1;
        assert_eq!((of_set.value, of_set.by_case.len()), (385.0, 0));
    }

    #[test]
    fn a_start_is_told_where_it_is_a_part_that_counts() {
        let of = |first, second| [replica(vec![parts(0, first, None), parts(1, second, None)])];
        assert_eq!(found(&of(40_000, 10_000), None), []);
        assert_eq!(start_of_call(&of(40_000, 10_000), 1), None);
        let starts = of(40_000, 500_000);
        let expected = StartOfCall {
            case: 1,
            start_ns: 50_000.0,
            call_ns: 100_000.0,
        };
        assert_eq!(start_of_call(&starts, 1), Some(expected));
        assert_eq!(start_of_call(&starts, 0), None);
        let readings = found(&starts, None);
        assert_eq!(readings[0].0, START);
        assert_eq!(readings[0].1.by_case, [Some(4_000.0), Some(50_000.0)]);
    }
}
