//! The times of one replica by block, and the differences of its pairs.

use super::settings::RaceSettings;
use crate::measurement::{CaseIndex, Replica, VariantIndex};
use crate::stats::median;
use std::collections::BTreeSet;

/// Blocks of a replica beyond this are ignored; a plan has at most
/// [`BLOCKS_MAX`](crate::plan::BLOCKS_MAX).
const BLOCKS_MAX: usize = 256;

/// The times of the samples of one replica, by variant, case and block.
pub(super) struct BlockTimes {
    /// The cases, ascending: all of them, or those instances of a set that the replica drew.
    cases: Vec<CaseIndex>,
    blocks: usize,
    /// Nanoseconds of all calls of a sample together; NaN where the variant took none.
    sample_ns: Vec<f64>,
    /// The number of calls of a sample.
    calls: Vec<f64>,
    /// Resolution of the clock relative to a sample, by variant and case.
    resolutions: Vec<f64>,
}

/// The samples of a pair on one case in one replica, of the blocks in which both took one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CasePair {
    pub(super) case: CaseIndex,
    /// The share of the case in the comparison.
    pub(super) weight: f64,
    /// Blocks: number, nanoseconds of the sample of `a`, nanoseconds of the sample of `b`.
    pub(super) blocks: Vec<(usize, f64, f64)>,
    /// The clock's resolution relative to a sample of `a` plus that relative to one of `b`.
    pub(super) resolution: f64,
}

impl CasePair {
    /// D = ln(ΣT_a / ΣT_b): the difference of the logarithms of the total times.
    pub(super) fn difference(&self) -> f64 {
        let total = |time: fn(&(usize, f64, f64)) -> f64| self.blocks.iter().map(time).sum::<f64>();
        total(|block| block.1).ln() - total(|block| block.2).ln()
    }

    /// The median over the blocks of the difference of the logarithms of two samples.
    fn typical(&self) -> f64 {
        let of_block = |(_, a_ns, b_ns): &(usize, f64, f64)| a_ns.ln() - b_ns.ln();
        let mut differences: Vec<f64> = self.blocks.iter().map(of_block).collect();
        median(&mut differences).unwrap_or(f64::NAN)
    }
}

/// Times of a pair in one replica, over all cases or on one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairTimes {
    /// The cases, at least one; their weights sum to 1.
    pub(super) cases: Vec<CasePair>,
}

impl PairTimes {
    /// The weighted mean over the cases of the logarithm of the ratio of total times.
    pub(super) fn difference(&self) -> f64 {
        self.mean(CasePair::difference)
    }

    /// The weighted mean over the cases of the median over blocks: the ratio of most samples, as a logarithm.
    pub(super) fn typical(&self) -> f64 {
        self.mean(CasePair::typical)
    }

    /// The clock's resolution relative to the times that are compared.
    pub(super) fn resolution(&self) -> f64 {
        self.mean(|case| case.resolution)
    }

    fn mean(&self, of_case: impl Fn(&CasePair) -> f64) -> f64 {
        let cases = self.cases.iter();
        cases.map(|case| case.weight * of_case(case)).sum()
    }

    /// Differences of the blocks in which both ran on all of the cases: the weighted mean over the cases of
    /// ln T_a − ln T_b. Of a set of instances, each block has those that it drew, all of the same weight.
    pub(super) fn by_block(&self, instances: bool) -> Vec<f64> {
        let numbers = self.cases.iter().flat_map(|case| &case.blocks);
        let numbers: BTreeSet<usize> = numbers.map(|block| block.0).collect();
        let of_block = |number: usize| {
            let (mut sum, mut weight, mut present) = (0.0, 0.0, 0);
            for case in &self.cases {
                let mut blocks = case.blocks.iter();
                let Some((_, a_ns, b_ns)) = blocks.find(|block| block.0 == number) else {
                    continue;
                };
                sum += case.weight * (a_ns.ln() - b_ns.ln());
                weight += case.weight;
                present += 1;
            }
            (instances || present == self.cases.len()).then(|| sum / weight)
        };
        numbers.into_iter().filter_map(of_block).collect()
    }
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
        let mut sample_ns = vec![f64::NAN; rows * blocks];
        let mut calls = vec![0.0; rows * blocks];
        let mut clocks = vec![(0.0, 0.0); rows];
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
            let row = sample.variant * cases.len() + place;
            // By a cheaper clock, the time of each call may be wrong; by the other one, where a sample
            // begins and ends.
            let (wrong_ns, of_ns) = match uncertain_ns(sample.case) {
                Some(uncertain_ns) => (uncertain_ns, call_ns),
                None => {
                    let total_ns = sample.total_ns(settings.metric) as f64;
                    (settings.clock_ns, total_ns.max(1.0))
                }
            };
            let count = f64::from(sample.calls.max(1));
            sample_ns[row * blocks + block] = call_ns * count;
            calls[row * blocks + block] = count;
            clocks[row].0 += wrong_ns;
            clocks[row].1 += of_ns;
        }
        let resolution = |(wrong, total): &(f64, f64)| wrong / total.max(1.0);
        Self {
            cases,
            blocks,
            sample_ns,
            calls,
            resolutions: clocks.iter().map(resolution).collect(),
        }
    }

    /// The number of the row of a variant and a case; `None` if the replica did not draw the case.
    fn number(&self, variant: VariantIndex, case: CaseIndex) -> Option<usize> {
        let place = self.cases.binary_search(&case).ok()?;
        Some(variant * self.cases.len() + place)
    }

    /// The samples of a pair on a case, with this weight; `None` without a block in which both took one.
    pub(super) fn on_case(
        &self,
        (a, b): (VariantIndex, VariantIndex),
        case: CaseIndex,
        weight: f64,
    ) -> Option<CasePair> {
        let (of_a, of_b) = (self.number(a, case)?, self.number(b, case)?);
        let row = |number: usize| &self.sample_ns[number * self.blocks..][..self.blocks];
        let pairs = row(of_a).iter().zip(row(of_b)).enumerate();
        let blocks: Vec<(usize, f64, f64)> = pairs
            .filter(|(_, (a_ns, b_ns))| a_ns.is_finite() && b_ns.is_finite())
            .map(|(block, (a_ns, b_ns))| (block, *a_ns, *b_ns))
            .collect();
        (!blocks.is_empty()).then(|| CasePair {
            case,
            weight,
            blocks,
            resolution: self.resolutions[of_a] + self.resolutions[of_b],
        })
    }

    /// Times of a pair over all cases; `weights` sum to 1. `None` if the two did not meet on each case that counts; of
    /// a set of instances, if they met on none.
    pub(super) fn on_all(
        &self,
        pair: (VariantIndex, VariantIndex),
        weights: &[f64],
        instances: bool,
    ) -> Option<PairTimes> {
        let counted = weights.iter().enumerate();
        let counted = counted.filter(|(_, weight)| **weight > 0.0);
        let all: Vec<Option<CasePair>> = counted
            .map(|(case, weight)| self.on_case(pair, case, *weight))
            .collect();
        let mut cases: Vec<CasePair> = if instances {
            all.into_iter().flatten().collect()
        } else {
            all.into_iter().collect::<Option<_>>()?
        };
        if instances {
            let weight = 1.0 / cases.len() as f64;
            cases.iter_mut().for_each(|case| case.weight = weight);
        }
        (!cases.is_empty()).then_some(PairTimes { cases })
    }

    /// All time of a variant's samples on a case in nanoseconds, and the number of their calls; `None` if it did
    /// not run there.
    pub(super) fn total(&self, variant: VariantIndex, case: CaseIndex) -> Option<(f64, f64)> {
        let start = self.number(variant, case)? * self.blocks;
        let samples = self.sample_ns[start..][..self.blocks]
            .iter()
            .zip(&self.calls[start..]);
        let taken = samples.filter(|(ns, _)| ns.is_finite());
        let (ns, calls) = taken.fold((0.0, 0.0), |sum, (ns, calls)| (sum.0 + ns, sum.1 + calls));
        (calls > 0.0).then_some((ns, calls))
    }

    /// The geometric mean over the instances that count of the mean time of one call, in nanoseconds; `None` if
    /// the variant did not run.
    pub(super) fn mean_ns_on_set(&self, variant: VariantIndex, weights: &[f64]) -> Option<f64> {
        let drawn = self.cases.iter();
        let drawn = drawn.filter(|case| weights.get(**case).is_some_and(|weight| *weight > 0.0));
        let times = drawn.filter_map(|case| self.total(variant, *case));
        let logs: Vec<f64> = times.map(|(ns, calls)| (ns / calls).ln()).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Sample, Surroundings};
    use crate::plan::ShortCase;

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
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    fn times(settings: &RaceSettings, samples: Vec<Sample>) -> BlockTimes {
        BlockTimes::new(settings, &replica(samples))
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
        let times = times(&settings, samples);
        let difference = |pair| times.on_all(pair, &[1.0], false).unwrap().difference();
        assert!((difference((0, 1)) - 2.0_f64.ln()).abs() < 1e-12);
        assert_eq!(difference((1, 0)), -difference((0, 1)));
        let blocks = times.on_all((0, 1), &[1.0], false).unwrap().by_block(false);
        assert_eq!(blocks.len(), 3);
        let (ns, calls) = times.total(1, 0).unwrap();
        assert!((ns - 35_000.0).abs() < 1e-6 && calls == 30.0);
        assert_eq!(times.on_all((0, 1), &[0.0], false), None);
    }

    #[test]
    fn what_all_calls_take_counts_and_not_what_most_do() {
        let settings = RaceSettings::new(2, 1);
        // Faster in four blocks of five, and slower in total.
        let samples = (0..5).flat_map(|block| {
            let a_ns = if block == 4 { 81_000 } else { 9_000 + 1_000 };
            [sample(0, block, a_ns), sample(1, block, 11_000)]
        });
        let times = times(&settings, samples.collect());
        let pair = times.on_all((0, 1), &[1.0], false).unwrap();
        assert!((pair.difference() - (116.0_f64 / 50.0).ln()).abs() < 1e-12);
        assert!((pair.typical() - 0.9_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_resolution_is_the_clocks_or_of_a_short_call_its_own_times() {
        let mut settings = RaceSettings::new(2, 1);
        let samples = vec![sample(0, 0, 11_000), sample(1, 0, 21_000)];
        let resolution = |settings: &RaceSettings| {
            let times = times(settings, samples.clone());
            times.on_case((0, 1), 0, 1.0).unwrap().resolution
        };
        let by_clock = 500.0 / 11_000.0 + 500.0 / 21_000.0;
        assert!((resolution(&settings) - by_clock).abs() < 1e-12);
        settings.short_cases = vec![ShortCase {
            case: 0,
            uncertain_ns: 8.0,
        }];
        let of_call = 8.0 / 1_000.0 + 8.0 / 2_000.0;
        assert!((resolution(&settings) - of_call).abs() < 1e-12);
    }

    #[test]
    fn of_a_set_each_instance_counts_the_same_and_a_block_has_what_it_drew() {
        let mut settings = RaceSettings::new(2, 4);
        settings.instances = true;
        let on = |variant, case, block, cpu_ns| Sample {
            case,
            ..sample(variant, block, cpu_ns)
        };
        let mut samples = Vec::new();
        for (case, block, a_ns) in [(0, 0, 2_000), (2, 0, 800_000), (0, 1, 8_000)] {
            samples.push(on(0, case, block, a_ns));
            samples.push(on(1, case, block, if case == 0 { 1_000 } else { 100_000 }));
        }
        let mut bare = replica(samples);
        bare.baselines.clear();
        let times = BlockTimes::new(&settings, &bare);
        let pair = times.on_all((0, 1), &settings.weights(), true).unwrap();
        // Five times as long on the first, eight times on the third.
        let expected = 0.5 * (5.0_f64.ln() + 8.0_f64.ln());
        assert!((pair.difference() - expected).abs() < 1e-12);
        let blocks = pair.by_block(true);
        assert!((blocks[0] - 0.5 * (2.0_f64.ln() + 8.0_f64.ln())).abs() < 1e-12);
        assert!((blocks[1] - 8.0_f64.ln()).abs() < 1e-12);
        let mean = times.mean_ns_on_set(1, &settings.weights()).unwrap();
        assert!((mean - 1_000.0).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn samples_that_nobody_declared_are_left_out() {
        let settings = RaceSettings::new(2, 1);
        let mut wild = sample(7, 0, 5_000);
        wild.case = 3;
        let times = times(&settings, vec![wild, sample(0, 0, 5_000)]);
        assert_eq!(times.on_case((0, 1), 0, 1.0), None);
        assert_eq!(times.total(1, 0), None);
    }
}
