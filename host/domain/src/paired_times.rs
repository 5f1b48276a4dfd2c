//! Verdicts about times that every variant is measured for once in each round, such as build times.

use crate::measurement::VariantIndex;
use crate::stats::ConfidenceSequence;
use crate::verdict::PairVerdict;

/// The most rounds of builds of a run.
pub const BUILD_ROUNDS_MAX: u32 = 24;

/// The differences of one pair, D = ln t_a − ln t_b by round.
#[derive(Clone, Debug)]
struct Pair {
    a: VariantIndex,
    b: VariantIndex,
    sequence: ConfidenceSequence,
}

/// Differences of all pairs, under the same test as the times of calls.
#[derive(Clone, Debug)]
pub struct PairedTimes {
    pairs: Vec<Pair>,
    practical_log: f64,
    /// The resolution of the clock, in nanoseconds.
    clock_ns: f64,
}

impl PairedTimes {
    /// Returns the pairs of this many variants, without times. `threshold` is the evidence that a claim needs, in nats.
    pub fn new(variants: usize, threshold: f64, practical_log: f64, clock_ns: f64) -> Self {
        let pairs = (0..variants).flat_map(|a| (a + 1..variants).map(move |b| (a, b)));
        let pair = |(a, b)| Pair {
            a,
            b,
            sequence: ConfidenceSequence::new(threshold, practical_log),
        };
        Self {
            pairs: pairs.map(pair).collect(),
            practical_log,
            clock_ns,
        }
    }

    /// Adds a round: the time of each variant in nanoseconds, `None` for one without. A pair gets a
    /// difference if both have a time above 0.
    pub fn push(&mut self, times_ns: &[Option<u64>]) {
        let time = |variant: VariantIndex| {
            let time_ns = times_ns.get(variant).copied().flatten();
            time_ns.filter(|ns| *ns > 0).map(|ns| ns as f64)
        };
        for pair in &mut self.pairs {
            if let (Some(a), Some(b)) = (time(pair.a), time(pair.b)) {
                let resolution = self.clock_ns / a + self.clock_ns / b;
                pair.sequence.push(a.ln() - b.ln(), resolution);
            }
        }
    }

    /// The verdict about each pair, the lower index first.
    pub fn verdicts(&mut self) -> Vec<PairVerdict> {
        let practical_log = self.practical_log;
        let verdict = |pair: &mut Pair| {
            let between = (pair.a, pair.b);
            PairVerdict::from_sequence(between, None, &mut pair.sequence, practical_log)
        };
        self.pairs.iter_mut().map(verdict).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn times_are_paired_by_round_whatever_the_rounds_have_in_common() {
        let mut times = PairedTimes::new(3, (6.0_f64 / 0.05).ln(), 0.01, 1.0);
        for round in 1..=16_u64 {
            let level = 1_000_000 * round;
            let of_c = (round % 2 == 0).then_some(3 * level);
            times.push(&[Some(level + round % 3), Some(2 * level), of_c]);
        }
        let verdicts = times.verdicts();
        let of = |a, b| {
            verdicts
                .iter()
                .find(|pair| (pair.a, pair.b) == (a, b))
                .unwrap()
        };
        assert_eq!((of(0, 1).verdict, of(0, 1).replicas), (Verdict::Beats, 16));
        assert_eq!((of(1, 2).verdict, of(1, 2).replicas), (Verdict::NoCall, 8));
    }

    #[test]
    fn a_time_of_zero_is_none() {
        let mut times = PairedTimes::new(2, 3.0, 0.01, 1.0);
        times.push(&[Some(0), Some(5)]);
        times.push(&[Some(7)]);
        assert_eq!(times.verdicts()[0].replicas, 0);
    }
}
