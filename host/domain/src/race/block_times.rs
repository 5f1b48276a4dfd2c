//! The times of one replica by block, and the differences of its pairs.

use super::settings::RaceSettings;
use super::totals::ReplicaTotals;
use crate::measurement::{CaseIndex, Replica, SampleKind, VariantIndex};
use crate::stats::{hodges_lehmann, median};
use std::collections::BTreeSet;

/// Blocks of a replica beyond this are ignored; a plan has at most
/// [`BLOCKS_MAX`](crate::plan::BLOCKS_MAX).
const BLOCKS_MAX: usize = 256;

/// The times of one call in one replica, by variant, case and block.
pub(super) struct BlockTimes {
    /// The cases, ascending: all of them, or those instances of a set that the replica drew.
    pub(super) cases: Vec<CaseIndex>,
    blocks: usize,
    /// Of full samples: ln of nanoseconds; NaN where the variant made none.
    log_ns: Vec<f64>,
    /// Of full samples: nanoseconds of all calls of a sample together.
    sample_ns: Vec<f64>,
    /// By variant and case: ln of nanoseconds of its single call; NaN if it made none.
    single_log_ns: Vec<f64>,
    /// By variant and case, the clock's resolution relative to a full sample.
    resolutions: Vec<f64>,
    /// By variant and case, the clock's resolution relative to its single call.
    single_resolutions: Vec<f64>,
}

/// The difference of a pair on one case in one replica.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    /// ln t_a − ln t_b: the Hodges–Lehmann estimate over blocks, or that of two single calls.
    pub(super) value: f64,
    /// The clock's resolution relative to a sample of `a` plus that relative to one of `b`.
    pub(super) resolution: f64,
}

impl BlockTimes {
    /// The times of a replica's samples. Samples of variants or cases that the settings do not
    /// declare are left out.
    pub(super) fn new(settings: &RaceSettings, replica: &Replica) -> Self {
        let variants = settings.variants;
        let mut cases: Vec<CaseIndex> = (0..settings.case_weights.len()).collect();
        if settings.instances {
            let drawn: BTreeSet<_> = replica.samples.iter().map(|sample| sample.case).collect();
            cases.retain(|case| drawn.contains(case));
        }
        let rows = variants * cases.len();
        let last = replica.samples.iter().map(|sample| sample.block as usize);
        let blocks = last.max().map_or(0, |last| last + 1).min(BLOCKS_MAX);
        let mut log_ns = vec![f64::NAN; rows * blocks];
        let mut sample_ns = vec![0.0; rows * blocks];
        let mut single_log_ns = vec![f64::NAN; rows];
        let mut single_resolutions = vec![0.0; rows];
        let mut totals = vec![(0.0, 0.0); rows];
        let uncertain_ns = |case: CaseIndex| {
            let mut short = settings.short_cases.iter();
            short
                .find(|short| short.case == case)
                .map(|short| short.uncertain_ns)
        };
        for sample in &replica.samples {
            let block = sample.block as usize;
            let Ok(place) = cases.binary_search(&sample.case) else {
                continue;
            };
            if sample.variant >= variants || block >= blocks {
                continue;
            }
            let baseline = replica.baselines.get(sample.case).copied();
            let call_ns = sample.call_ns(settings.metric, &baseline.unwrap_or_default());
            let total_ns = sample.total_ns(settings.metric) as f64;
            let row = sample.variant * cases.len() + place;
            // By a cheaper clock, the time of each call may be wrong; by the other one, where a sample
            // begins and ends.
            let (wrong_ns, of_ns) = match uncertain_ns(sample.case) {
                Some(uncertain_ns) => (uncertain_ns, call_ns),
                None => (settings.clock_ns, total_ns.max(1.0)),
            };
            match sample.kind {
                SampleKind::Full => {
                    log_ns[row * blocks + block] = call_ns.ln();
                    sample_ns[row * blocks + block] = call_ns * f64::from(sample.calls.max(1));
                    totals[row].0 += wrong_ns;
                    totals[row].1 += of_ns;
                }
                SampleKind::SingleCall => {
                    single_log_ns[row] = call_ns.ln();
                    single_resolutions[row] = wrong_ns / of_ns;
                }
            }
        }
        let resolution = |(wrong, total): &(f64, f64)| wrong / total.max(1.0);
        Self {
            cases,
            blocks,
            log_ns,
            sample_ns,
            single_log_ns,
            resolutions: totals.iter().map(resolution).collect(),
            single_resolutions,
        }
    }

    /// The number of the row of a variant and a case; `None` if the replica did not draw the case.
    fn number(&self, variant: VariantIndex, case: CaseIndex) -> Option<usize> {
        let place = self.cases.binary_search(&case).ok()?;
        Some(variant * self.cases.len() + place)
    }

    fn row(&self, variant: VariantIndex, case: CaseIndex) -> &[f64] {
        let row = self.number(variant, case);
        row.map_or(&[], |row| &self.log_ns[row * self.blocks..][..self.blocks])
    }

    pub(super) fn has_full_samples(&self, variant: VariantIndex, case: CaseIndex) -> bool {
        self.row(variant, case)
            .iter()
            .any(|value| value.is_finite())
    }

    /// The difference of `a` and `b` on a case: from the blocks in which both ran, if both made full
    /// samples; otherwise from the single call of each. `None` if there is neither.
    pub(super) fn difference(
        &self,
        a: VariantIndex,
        b: VariantIndex,
        case: CaseIndex,
    ) -> Option<Difference> {
        if self.has_full_samples(a, case) && self.has_full_samples(b, case) {
            let mut differences = self.differences_by_block(a, b, case);
            differences.retain(|value| value.is_finite());
            return Some(Difference {
                value: hodges_lehmann(&differences)?,
                resolution: self.resolution(a, b, case),
            });
        }
        let (of_a, of_b) = (self.number(a, case)?, self.number(b, case)?);
        let value = self.single_log_ns[of_a] - self.single_log_ns[of_b];
        value.is_finite().then(|| Difference {
            value,
            resolution: self.single_resolutions[of_a] + self.single_resolutions[of_b],
        })
    }

    /// The total times of `a` and `b` on a case, and their differences one by one, of the samples that
    /// [`difference`](Self::difference) compares.
    pub(super) fn totals(
        &self,
        a: VariantIndex,
        b: VariantIndex,
        case: CaseIndex,
    ) -> Option<ReplicaTotals> {
        let value = self.difference(a, b, case)?.value;
        let (row_a, row_b) = (self.number(a, case)?, self.number(b, case)?);
        if !(self.has_full_samples(a, case) && self.has_full_samples(b, case)) {
            return Some(ReplicaTotals {
                value,
                a_ns: self.single_log_ns[row_a].exp(),
                b_ns: self.single_log_ns[row_b].exp(),
                differences: vec![value],
            });
        }
        let mut differences = self.differences_by_block(a, b, case);
        let total = |row: usize| {
            let times = self.sample_ns[row * self.blocks..].iter().zip(&differences);
            let compared = times.filter(|(_, difference)| difference.is_finite());
            compared.map(|(ns, _)| ns).sum()
        };
        let (a_ns, b_ns) = (total(row_a), total(row_b));
        differences.retain(|value| value.is_finite());
        Some(ReplicaTotals {
            value,
            a_ns,
            b_ns,
            differences,
        })
    }

    /// By block: ln t_a − ln t_b of full samples; NaN where one of them made none.
    pub(super) fn differences_by_block(
        &self,
        a: VariantIndex,
        b: VariantIndex,
        case: CaseIndex,
    ) -> Vec<f64> {
        let pairs = self.row(a, case).iter().zip(self.row(b, case));
        pairs.map(|(a, b)| a - b).collect()
    }

    /// The clock's resolution relative to a full sample of `a` plus that relative to one of `b`.
    pub(super) fn resolution(&self, a: VariantIndex, b: VariantIndex, case: CaseIndex) -> f64 {
        let of = |variant| {
            let row = self.number(variant, case);
            row.map_or(0.0, |row| self.resolutions[row])
        };
        of(a) + of(b)
    }

    /// The median time of one call in its full samples, or that of its single call if it made none, in
    /// nanoseconds; `None` if the variant did not run on the case.
    pub(super) fn median_ns(&self, variant: VariantIndex, case: CaseIndex) -> Option<f64> {
        let row = self.row(variant, case).iter().copied();
        let mut times: Vec<f64> = row.filter(|value| value.is_finite()).collect();
        let single = self.number(variant, case);
        let single = single.map(|row| self.single_log_ns[row]);
        let log_ns = median(&mut times).or(single.filter(|value| value.is_finite()));
        log_ns.map(f64::exp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Sample, Surroundings};
    use crate::plan::ShortCase;

    fn sample(variant: usize, block: u32, cpu_ns: u64) -> Sample {
        Sample {
            kind: SampleKind::Full,
            variant,
            case: 0,
            block,
            position: 0,
            calls: 10,
            cpu_ns,
            wall_ns: cpu_ns,
            core_contention: None,
        }
    }

    fn replica(samples: Vec<Sample>) -> Replica {
        Replica {
            index: 0,
            solo: false,
            samples,
            baselines: vec![Baseline {
                cpu_ns: 100.0,
                wall_ns: 100.0,
            }],
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    #[test]
    fn pairs_are_matched_within_a_block() {
        let settings = RaceSettings::new(2, 1);
        // Twice as slow in each of three blocks, while the machine slows down by the block; the
        // fourth block has no partner.
        let samples = vec![
            sample(0, 0, 11_000),
            sample(1, 0, 6_000),
            sample(1, 1, 11_000),
            sample(0, 1, 21_000),
            sample(0, 2, 41_000),
            sample(1, 2, 21_000),
            sample(0, 3, 1_000_000),
        ];
        let block_times = BlockTimes::new(&settings, &replica(samples));
        let difference = block_times.difference(0, 1, 0).unwrap();
        assert!(
            (difference.value - 2.0_f64.ln()).abs() < 1e-12,
            "{difference:?}"
        );
        let mirrored = block_times.difference(1, 0, 0).unwrap();
        assert_eq!(mirrored.value, -difference.value);
        assert_eq!(mirrored.resolution, difference.resolution);
        assert!((block_times.median_ns(1, 0).unwrap() - 1_000.0).abs() < 1e-6);
    }

    fn single_call(variant: usize, cpu_ns: u64) -> Sample {
        Sample {
            kind: SampleKind::SingleCall,
            calls: 1,
            ..sample(variant, 0, cpu_ns)
        }
    }

    #[test]
    fn a_pair_is_compared_by_samples_of_one_kind() {
        let settings = RaceSettings::new(3, 1);
        // Single calls take thrice the time; the third variant makes no others.
        let samples = vec![
            single_call(0, 3_100),
            single_call(1, 6_100),
            single_call(2, 60_100),
            sample(0, 0, 11_000),
            sample(1, 0, 21_000),
        ];
        let block_times = BlockTimes::new(&settings, &replica(samples));
        let ratio = |a, b| block_times.difference(a, b, 0).unwrap().value.exp();
        assert!((ratio(1, 0) - 2.0).abs() < 1e-9);
        assert!((ratio(2, 0) - 20.0).abs() < 1e-9);
        assert!((ratio(2, 1) - 10.0).abs() < 1e-9);
        let resolution = |a, b| block_times.difference(a, b, 0).unwrap().resolution;
        assert!((resolution(2, 0) - 500.0 / 60_100.0 - 500.0 / 3_100.0).abs() < 1e-12);
        assert!((resolution(1, 0) - 500.0 / 11_000.0 - 500.0 / 21_000.0).abs() < 1e-12);
        assert!((block_times.median_ns(0, 0).unwrap() - 1_000.0).abs() < 1e-6);
        assert!((block_times.median_ns(2, 0).unwrap() - 60_000.0).abs() < 1e-6);
    }

    #[test]
    fn two_that_make_full_samples_are_not_compared_by_single_calls() {
        let settings = RaceSettings::new(2, 1);
        let samples = vec![
            single_call(0, 3_100),
            single_call(1, 6_100),
            sample(0, 0, 11_000),
            sample(1, 1, 21_000),
        ];
        let block_times = BlockTimes::new(&settings, &replica(samples));
        assert_eq!(block_times.difference(0, 1, 0), None);
    }

    #[test]
    fn of_a_short_call_its_own_time_may_be_wrong() {
        let mut settings = RaceSettings::new(2, 1);
        settings.short_cases = vec![ShortCase {
            case: 0,
            uncertain_ns: 8.0,
        }];
        // 20 and 60 ns of 120 and 160; the second of the first is too short to be told from nothing.
        let samples = vec![
            single_call(0, 300),
            sample(0, 0, 1_200),
            sample(1, 0, 1_600),
            sample(0, 1, 900),
            sample(1, 1, 1_600),
        ];
        let times = BlockTimes::new(&settings, &replica(samples.clone()));
        let resolution = times.difference(0, 1, 0).unwrap().resolution;
        assert!(
            (resolution - 16.0 / 21.0 - 8.0 / 60.0).abs() < 1e-12,
            "{resolution}"
        );
        let singles = vec![single_call(0, 300), single_call(1, 2_100)];
        let times = BlockTimes::new(&settings, &replica(singles));
        let resolution = times.difference(0, 1, 0).unwrap().resolution;
        assert!(
            (resolution - 8.0 / 200.0 - 8.0 / 2_000.0).abs() < 1e-12,
            "{resolution}"
        );
    }

    #[test]
    fn samples_that_nobody_declared_are_left_out() {
        let settings = RaceSettings::new(2, 1);
        let mut wild = sample(7, 0, 5_000);
        wild.case = 3;
        let block_times = BlockTimes::new(&settings, &replica(vec![wild, sample(0, 0, 5_000)]));
        assert_eq!(block_times.difference(0, 1, 0), None);
        let none = BlockTimes::new(&settings, &replica(Vec::new()));
        assert_eq!(none.median_ns(0, 0), None);
    }
}
