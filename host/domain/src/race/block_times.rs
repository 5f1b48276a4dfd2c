//! The times of one replica by block, and the differences of its pairs.

use super::settings::RaceSettings;
use crate::measurement::{CaseIndex, Replica, VariantIndex};
use crate::stats::{hodges_lehmann, median};

/// Blocks of a replica beyond this are ignored; a plan has at most
/// [`BLOCKS_MAX`](crate::plan::BLOCKS_MAX).
const BLOCKS_MAX: usize = 256;

/// The times of one call in one replica, by variant, case and block.
pub(super) struct BlockTimes {
    cases: usize,
    blocks: usize,
    /// ln of nanoseconds; NaN where the variant did not run.
    log_ns: Vec<f64>,
    /// By variant and case, the clock's resolution relative to a sample.
    resolutions: Vec<f64>,
}

/// The difference of a pair on one case in one replica.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    /// The Hodges–Lehmann estimate over blocks of ln t_a − ln t_b.
    pub(super) value: f64,
    /// The clock's resolution relative to a sample of `a` plus that relative to one of `b`.
    pub(super) resolution: f64,
}

impl BlockTimes {
    /// The times of a replica's samples. Samples of variants or cases that the settings do not
    /// declare are left out.
    pub(super) fn new(settings: &RaceSettings, replica: &Replica) -> Self {
        let (variants, cases) = (settings.variants, settings.case_weights.len());
        let last = replica.samples.iter().map(|sample| sample.block as usize);
        let blocks = last.max().map_or(0, |last| last + 1).min(BLOCKS_MAX);
        let mut log_ns = vec![f64::NAN; variants * cases * blocks];
        let mut totals = vec![(0.0, 0.0); variants * cases];
        for sample in &replica.samples {
            let block = sample.block as usize;
            if sample.variant >= variants || sample.case >= cases || block >= blocks {
                continue;
            }
            let baseline = replica.baselines.get(sample.case).copied();
            let call_ns = sample.call_ns(settings.metric, &baseline.unwrap_or_default());
            let row = sample.variant * cases + sample.case;
            log_ns[row * blocks + block] = call_ns.ln();
            totals[row].0 += 1.0;
            totals[row].1 += sample.total_ns(settings.metric) as f64;
        }
        let resolution = |(count, total): &(f64, f64)| settings.clock_ns * count / total.max(1.0);
        Self {
            cases,
            blocks,
            log_ns,
            resolutions: totals.iter().map(resolution).collect(),
        }
    }

    fn row(&self, variant: VariantIndex, case: CaseIndex) -> &[f64] {
        let start = (variant * self.cases + case) * self.blocks;
        &self.log_ns[start..start + self.blocks]
    }

    /// The difference of `a` and `b` on a case, from the blocks in which both ran; `None` if there
    /// is no such block.
    pub(super) fn difference(
        &self,
        a: VariantIndex,
        b: VariantIndex,
        case: CaseIndex,
    ) -> Option<Difference> {
        let pairs = self.row(a, case).iter().zip(self.row(b, case));
        let differences = pairs.map(|(a, b)| a - b).filter(|value| value.is_finite());
        let differences: Vec<f64> = differences.collect();
        Some(Difference {
            value: hodges_lehmann(&differences)?,
            resolution: self.resolutions[a * self.cases + case]
                + self.resolutions[b * self.cases + case],
        })
    }

    /// The median time of one call, in nanoseconds; `None` if the variant did not run on the case.
    pub(super) fn median_ns(&self, variant: VariantIndex, case: CaseIndex) -> Option<f64> {
        let row = self.row(variant, case).iter().copied();
        let mut times: Vec<f64> = row.filter(|value| value.is_finite()).collect();
        median(&mut times).map(f64::exp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Sample, Surroundings};

    fn sample(variant: usize, block: u32, cpu_ns: u64) -> Sample {
        Sample {
            variant,
            case: 0,
            block,
            position: 0,
            calls: 10,
            cpu_ns,
            wall_ns: cpu_ns,
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
