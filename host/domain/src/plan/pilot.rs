//! The times of the pilot, from which the sampling is chosen.

use crate::measurement::{Baseline, CaseIndex, Metric, Replica, SampleKind, VariantIndex};
use crate::stats::median;
use std::collections::BTreeSet;

/// A variant this many times slower than the best on a case makes single calls there.
const SINGLE_CALL_RATIO: f64 = 10.0;
/// Variants within this ratio are treated alike: noise between two equal ones must not decide which
/// makes single calls.
const ALIKE_RATIO: f64 = 1.25;

/// The times of a pilot, by variant and case.
#[derive(Clone, Debug, PartialEq)]
pub struct PilotTimes {
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) variant: VariantIndex,
    pub(super) case: CaseIndex,
    /// Block and the logarithm of the time of one call in nanoseconds, by block.
    pub(super) log_ns: Vec<(f64, f64)>,
}

impl PilotTimes {
    /// The times of a pilot's samples: the full ones of a variant on a case, or its single call where
    /// there are none.
    pub fn new(pilot: &Replica, metric: Metric) -> Self {
        let full = pilot.samples.iter();
        let full = full.filter(|sample| sample.kind == SampleKind::Full);
        let full: BTreeSet<_> = full.map(|sample| (sample.variant, sample.case)).collect();
        let counts = pilot.samples.iter().filter(|sample| {
            sample.kind == SampleKind::Full || !full.contains(&(sample.variant, sample.case))
        });
        let mut rows: Vec<Row> = Vec::new();
        for sample in counts {
            let baseline: Baseline = pilot
                .baselines
                .get(sample.case)
                .copied()
                .unwrap_or_default();
            let point = (
                f64::from(sample.block),
                sample.call_ns(metric, &baseline).ln(),
            );
            let key = (sample.variant, sample.case);
            match rows.binary_search_by_key(&key, |row| (row.variant, row.case)) {
                Ok(place) => rows[place].log_ns.push(point),
                Err(place) => rows.insert(
                    place,
                    Row {
                        variant: key.0,
                        case: key.1,
                        log_ns: vec![point],
                    },
                ),
            }
        }
        for row in &mut rows {
            row.log_ns.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        Self { rows }
    }

    /// Takes from an earlier pilot what this one does not have of the variants and cases that are
    /// `wanted`: single calls are not repeated in each pilot.
    pub fn complete(
        &mut self,
        earlier: &PilotTimes,
        wanted: impl Fn(VariantIndex, CaseIndex) -> bool,
    ) {
        for row in &earlier.rows {
            let key = (row.variant, row.case);
            let place = self
                .rows
                .binary_search_by_key(&key, |row| (row.variant, row.case));
            if let Err(place) = place
                && wanted(row.variant, row.case)
            {
                self.rows.insert(place, row.clone());
            }
        }
    }

    /// Estimates the times of calls that no pilot made: those of instances that were not drawn.
    /// `work` is by variant and by case what one call takes, in units of fuel; 0 where that is
    /// unknown, for which the variant's median stands. Each variant's time for a unit is the median
    /// over the calls that were timed. Estimates decide how many calls a sample has, and nothing else.
    pub fn estimate_by_work(&mut self, work: &[Vec<u64>]) {
        let mut estimated = Vec::new();
        for (variant, work) in work.iter().enumerate() {
            let known: Vec<f64> = work.iter().map(|units| (*units as f64).ln()).collect();
            let mut finite: Vec<f64> = known
                .iter()
                .copied()
                .filter(|log| log.is_finite())
                .collect();
            let usual = median(&mut finite).unwrap_or(0.0);
            let log_work = |case: CaseIndex| match known[case].is_finite() {
                true => known[case],
                false => usual,
            };
            let timed = (0..work.len()).filter_map(|case| {
                let ns = self.call_ns(variant, case)?;
                Some(ns.ln() - log_work(case))
            });
            let Some(log_ns_per_unit) = median(&mut timed.collect::<Vec<_>>()) else {
                continue;
            };
            let missing = (0..work.len()).filter(|case| self.call_ns(variant, *case).is_none());
            estimated.extend(missing.map(|case| Row {
                variant,
                case,
                log_ns: vec![(0.0, log_work(case) + log_ns_per_unit)],
            }));
        }
        self.rows.append(&mut estimated);
        self.rows.sort_by_key(|row| (row.variant, row.case));
    }

    /// The times of all but these variants.
    pub(super) fn without(&self, variants: &[VariantIndex]) -> Self {
        let rows = self.rows.iter();
        let others = rows.filter(|row| !variants.contains(&row.variant));
        Self {
            rows: others.cloned().collect(),
        }
    }

    /// Takes this for the time of one call of a variant that was not called on a case.
    pub fn assume(&mut self, variant: VariantIndex, case: CaseIndex, call_ns: f64) {
        let key = (variant, case);
        let place = self
            .rows
            .binary_search_by_key(&key, |row| (row.variant, row.case));
        if let Err(place) = place {
            let row = Row {
                variant,
                case,
                log_ns: vec![(0.0, call_ns.max(1.0).ln())],
            };
            self.rows.insert(place, row);
        }
    }

    /// The median time of one call, in nanoseconds; `None` if the variant did not run on the case.
    pub fn call_ns(&self, variant: VariantIndex, case: CaseIndex) -> Option<f64> {
        let key = (variant, case);
        let place = self
            .rows
            .binary_search_by_key(&key, |row| (row.variant, row.case));
        let mut values: Vec<f64> = self.rows[place.ok()?]
            .log_ns
            .iter()
            .map(|(_, log_ns)| *log_ns)
            .collect();
        median(&mut values).map(f64::exp)
    }

    /// Returns true if one variant is quicker than every other by at least this factor, in the mean over
    /// these cases; false for a single one, or where some did not run.
    pub(super) fn is_obvious(&self, cases: &[CaseIndex], factor: f64) -> bool {
        let log_time = |variant: VariantIndex| -> Option<f64> {
            let times = cases.iter().map(|case| self.call_ns(variant, *case));
            let logs: Option<Vec<f64>> = times.map(|time| time.map(f64::ln)).collect();
            Some(logs?.iter().sum::<f64>() / cases.len().max(1) as f64)
        };
        let times: Option<Vec<f64>> = self.variants().into_iter().map(log_time).collect();
        let Some(mut times) = times else {
            return false;
        };
        times.sort_by(f64::total_cmp);
        let [quickest, next, ..] = times.as_slice() else {
            return false;
        };
        next - quickest >= factor.ln()
    }

    /// The variants that ran, in ascending order.
    pub fn variants(&self) -> Vec<VariantIndex> {
        let mut variants: Vec<VariantIndex> = self.rows.iter().map(|row| row.variant).collect();
        variants.dedup();
        variants
    }

    /// The rows in the order of variant and case.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The variants that make single calls on a case: those more than 10 × slower than the best there.
    pub(super) fn single_calls_on(&self, case: CaseIndex) -> Vec<VariantIndex> {
        let times = self.variants().into_iter();
        let times = times.filter_map(|variant| Some((variant, self.call_ns(variant, case)?.ln())));
        single_call_variants(&times.collect::<Vec<_>>())
    }
}

/// The variants more than 10 × slower than the best, given the logarithm of each variant's time. In
/// ascending order.
///
/// A variant within 25 % of one that makes full samples makes full samples too.
pub(super) fn single_call_variants(log_times: &[(VariantIndex, f64)]) -> Vec<VariantIndex> {
    let mut sorted = log_times.to_vec();
    sorted.sort_by(|one, other| one.1.total_cmp(&other.1));
    let Some(best) = sorted.first().map(|(_, time)| *time) else {
        return Vec::new();
    };
    let slow = |place: &usize| {
        let time = sorted[*place].1;
        time - best > SINGLE_CALL_RATIO.ln() && time - sorted[*place - 1].1 > ALIKE_RATIO.ln()
    };
    let line = (1..sorted.len()).find(slow).unwrap_or(sorted.len());
    let mut single_call: Vec<VariantIndex> =
        sorted[line..].iter().map(|(variant, _)| *variant).collect();
    single_call.sort_unstable();
    single_call
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Sample, Surroundings};

    /// A pilot of one sample for each variant, case and time in nanoseconds.
    fn pilot(times: &[(VariantIndex, CaseIndex, u64)]) -> PilotTimes {
        let sample = |(variant, case, cpu_ns): &(VariantIndex, CaseIndex, u64)| Sample {
            kind: SampleKind::Full,
            variant: *variant,
            case: *case,
            block: 0,
            position: 0,
            calls: 1,
            cpu_ns: *cpu_ns,
            wall_ns: *cpu_ns,
            core_contention: None,
        };
        let replica = Replica {
            index: 0,
            solo: true,
            samples: times.iter().map(sample).collect(),
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        };
        PilotTimes::new(&replica, Metric::Cpu)
    }

    #[test]
    fn a_slow_variant_that_a_later_pilot_left_out_stays_slow() {
        let earlier = pilot(&[(0, 0, 1_000), (1, 0, 50_000), (2, 0, 900), (1, 1, 70)]);
        let mut later = pilot(&[(0, 0, 1_100), (0, 1, 80)]);
        assert!(later.single_calls_on(0).is_empty());
        later.complete(&earlier, |variant, _| variant != 2);
        assert_eq!(later.single_calls_on(0), [1]);
        let known = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)];
        let times = known.map(|(variant, case)| later.call_ns(variant, case).map(f64::round));
        let expected = [Some(1_100.0), Some(80.0), Some(50_000.0), Some(70.0), None];
        assert_eq!(times, expected);
    }

    #[test]
    fn what_was_called_is_not_assumed() {
        let mut times = pilot(&[(0, 0, 1_000), (2, 0, 900)]);
        times.assume(1, 0, 7e9);
        times.assume(2, 0, 5e9);
        let known = [0, 1, 2].map(|variant| times.call_ns(variant, 0).map(f64::round));
        assert_eq!(known, [Some(1_000.0), Some(7e9), Some(900.0)]);
        assert_eq!(times.single_calls_on(0), [1]);
    }

    #[test]
    fn alike_variants_are_treated_alike() {
        let times = |ratios: &[f64]| -> Vec<(usize, f64)> {
            ratios.iter().map(|ratio| ratio.ln()).enumerate().collect()
        };
        assert_eq!(single_call_variants(&times(&[30.0, 1.0, 12.0])), [0, 2]);
        assert!(single_call_variants(&times(&[9.0, 1.0, 10.5, 12.0])).is_empty());
        assert_eq!(
            single_call_variants(&times(&[9.0, 1.0, 10.5, 14.0, 14.1])),
            [3, 4]
        );
        assert!(single_call_variants(&times(&[1.0])).is_empty());
        assert!(single_call_variants(&[]).is_empty());
    }
}
