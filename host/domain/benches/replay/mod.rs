//! A trace, replayed: each replica of a session is one of the trace's, drawn with replacement, and
//! its identical variants are dealt out anew. So nothing that the machine did to one of them can
//! make a difference between ours that is not chance.

pub(crate) mod rivals;

use crate::random::Noise;
use crate::recorded::{below, hands};
use crate::trace::{Taken, Trace};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{ClaimScope, RaceSettings};
use bakeoff_domain::stats::{ConfidenceSequence, PastScale};

/// Replicas of a session at most.
pub(crate) const REPLICAS: usize = 96;

/// The change made to the samples of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// They stay where they are: the recorded order was drawn.
    Drawn,
    /// They are read as if the same variant had always run first.
    Fixed,
}

/// The differences of all pairs in all replicas of a trace, by the pure core.
pub(crate) struct Pool {
    variants: usize,
    resolution: f64,
    /// By replica: ln t_a − ln t_b for `a * variants + b`.
    differences: Vec<Vec<f64>>,
    /// By replica, for the same: the scale that it gives if it is the pilot.
    scales: Vec<Vec<f64>>,
}

impl Pool {
    /// Works them out. Whoever of a pair runs first in a block pays `first_penalty`, a difference
    /// of logarithms.
    pub(crate) fn new(trace: &Trace, order: Order, first_penalty: f64) -> Self {
        let variants = trace.variants;
        let resolution = 2.0 * trace.resolution;
        let of_replica = |replica: &Vec<Vec<Taken>>| {
            let mut differences = vec![0.0; variants * variants];
            let mut scales = vec![0.0; variants * variants];
            for a in 0..variants {
                for b in 0..a {
                    let blocks = replica
                        .iter()
                        .filter_map(|block| times(block, a, b, order, first_penalty));
                    let blocks: Vec<(f64, f64)> = blocks.collect();
                    let total = |log: fn(&(f64, f64)) -> f64| {
                        let times = blocks.iter().map(|block| log(block).exp());
                        times.sum::<f64>().ln()
                    };
                    let value = total(|block| block.0) - total(|block| block.1);
                    let mut deviation = PastScale::default();
                    let by_block = blocks.iter().map(|(a, b)| a - b);
                    by_block.for_each(|difference| deviation.push(difference));
                    let scale = deviation.value().unwrap_or(0.0).max(resolution);
                    scales[a * variants + b] = scale;
                    scales[b * variants + a] = scale;
                    differences[a * variants + b] = value;
                    differences[b * variants + a] = -value;
                }
            }
            (differences, scales)
        };
        let (differences, scales) = trace.replicas.iter().map(of_replica).unzip();
        Self {
            variants,
            resolution,
            differences,
            scales,
        }
    }

    /// What the rows of a replica say of `k` variants, which are any of the trace's in any order.
    fn deal<'r>(
        &self,
        rows: &'r [Vec<f64>],
        random: &mut Noise,
        k: usize,
    ) -> impl Fn(usize, usize) -> f64 + use<'r> {
        let row = &rows[below(random, rows.len())];
        let (variants, hands) = (self.variants, hands(random, self.variants, k));
        move |a, b| row[hands[a] * variants + hands[b]]
    }

    /// The scale that a pilot gives for the first and the second to run.
    pub(crate) fn first_pair_scale(&self, random: &mut Noise) -> f64 {
        self.scales[below(random, self.scales.len())][1]
    }

    /// A replica's difference of the first and the second to run, as they stand.
    pub(crate) fn first_pair(&self, random: &mut Noise) -> f64 {
        self.differences[below(random, self.differences.len())][1]
    }

    /// A session of `k` variants that nothing ends before its last replica. By pair, `a` < `b` in
    /// lexical order: what is known about t_a / t_b, to which `effect` and a change of layout in
    /// each process are added.
    pub(crate) fn session(
        &self,
        random: &mut Noise,
        k: usize,
        effect: f64,
        layout_sd: f64,
    ) -> Vec<ConfidenceSequence> {
        let settings = RaceSettings::new(k, 1);
        let (threshold, practical) = (
            settings.threshold(ClaimScope::AllCases),
            settings.practical_log(),
        );
        let scale = self.deal(&self.scales, random, k);
        let one = |(a, b)| {
            ConfidenceSequence::new(threshold, practical).with_first_scale(Some(scale(a, b)))
        };
        let mut sequences: Vec<_> = pairs(k).map(one).collect();
        for _ in 0..REPLICAS {
            let layout: Vec<f64> = (0..k).map(|_| layout_sd * random.normal()).collect();
            let difference = self.deal(&self.differences, random, k);
            for ((a, b), sequence) in pairs(k).zip(&mut sequences) {
                let value = difference(a, b) + effect + layout[a] - layout[b];
                sequence.push(value, self.resolution);
            }
        }
        sequences
    }
}

/// The pairs of `k` variants.
pub(crate) fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |a| (a + 1..k).map(move |b| (a, b)))
}

/// The logarithms of two times in one block. In a fixed order `a` and `b` are places in the block.
fn times(block: &[Taken], a: usize, b: usize, order: Order, penalty: f64) -> Option<(f64, f64)> {
    let place = |who: usize| match order {
        Order::Drawn => block.iter().position(|taken| taken.variant == who),
        Order::Fixed => Some(who),
    };
    let (a, b) = (place(a)?, place(b)?);
    let first = if a < b { penalty } else { -penalty };
    Some((block.get(a)?.cpu + first, block.get(b)?.cpu))
}

/// By block: ln t_0 − ln t_1, CPU time.
pub(crate) fn block_differences(replica: &Replica) -> Vec<f64> {
    let log = |block: u32, variant: usize| {
        let mut samples = replica.samples.iter();
        let found = samples.find(|sample| (sample.block, sample.variant) == (block, variant));
        found.map(|sample| (sample.cpu_ns as f64).ln())
    };
    (0..)
        .map_while(|block| Some(log(block, 0)? - log(block, 1)?))
        .collect()
}
