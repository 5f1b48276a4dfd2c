//! The times of the pilot, from which the sampling is chosen.

use crate::measurement::{Baseline, CaseIndex, Metric, Replica, VariantIndex};
use crate::stats::median;

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
    /// The times of a pilot's samples.
    pub fn new(pilot: &Replica, metric: Metric) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for sample in &pilot.samples {
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

    /// Takes from an earlier pilot what this one does not have of the variants and cases that are `wanted`.
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
            let log_work = |case: CaseIndex| {
                if known[case].is_finite() {
                    known[case]
                } else {
                    usual
                }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Sample, Surroundings};

    /// A pilot of one sample for each variant, case and time in nanoseconds.
    fn pilot(times: &[(VariantIndex, CaseIndex, u64)]) -> PilotTimes {
        let sample = |(variant, case, cpu_ns): &(VariantIndex, CaseIndex, u64)| Sample {
            variant: *variant,
            case: *case,
            block: 0,
            position: 0,
            calls: 1,
            cpu_ns: *cpu_ns,
            wall_ns: *cpu_ns,
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
        later.complete(&earlier, |variant, _| variant != 2);
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
    }
}
