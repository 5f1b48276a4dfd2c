//! Obvious differences: blocks as the units of evidence, against a bound on what belongs to a process.
//!
//! Where code and data lie in a process makes programs faster or slower for as long as it lives, so a process counts
//! once for a close pair, however many blocks it has. But nothing of that kind moves identical programs as far apart as
//! [`PROCESS_LOG`]. Let D be the difference in a block, θ the effect, P what belongs to the process and N the rest:
//! D = θ + P + N, with |P| ≤ [`PROCESS_LOG`], and N symmetric around 0, since the order was drawn for the block. Then
//! for θ ≤ 0, D less [`PROCESS_LOG`] lies around a point at or below 0, and the same bets as on replicas are fair with
//! blocks in their place.

use crate::stats::{Bounds, ConfidenceSequence, EProcess, median};

/// The most that belongs to a process: a factor of 1.5, as a logarithm.
pub(super) const PROCESS_LOG: f64 = 0.405_465_108_108_164_4;
/// The scale of every difference of a block.
const SCALE: f64 = 0.1;
/// The number of replicas that count: what is not obvious after these is a matter of processes.
const REPLICAS_MAX: usize = 8;
/// Bound of the evidence, in nats: more than any claim needs.
const LOG_MAX: f64 = 300.0;
/// The fewest replicas of a claim: a single process may be an exception.
const REPLICAS_MIN: usize = 2;

/// The blocks of a pair in its first replicas.
#[derive(Clone, Debug)]
pub(super) struct ObviousDifference {
    sequence: ConfidenceSequence,
    replicas: usize,
    /// The number of replicas whose median and whose totals lie above the bound, and below its negative.
    beyond: [usize; 2],
}

impl ObviousDifference {
    /// Returns the difference of a pair without blocks; `threshold` is the evidence that a claim needs, in nats.
    pub(super) fn new(threshold: f64, practical_log: f64) -> Self {
        Self {
            sequence: ConfidenceSequence::new(threshold, practical_log)
                .with_margin(PROCESS_LOG)
                .with_fixed_scale(SCALE),
            replicas: 0,
            beyond: [0, 0],
        }
    }

    /// Adds a replica: the differences of its blocks, and that of its total times.
    pub(super) fn push(&mut self, blocks: &[f64], total: f64) {
        if blocks.is_empty() || self.replicas == REPLICAS_MAX {
            return;
        }
        self.replicas += 1;
        let middle = median(&mut blocks.to_vec()).unwrap_or(0.0);
        let both = |bound: fn(f64) -> bool| usize::from(bound(middle) && bound(total));
        self.beyond[0] += both(|log| log > PROCESS_LOG);
        self.beyond[1] += both(|log| log < -PROCESS_LOG);
        for difference in blocks {
            self.sequence.push(*difference, 0.0);
        }
    }

    /// The ends that blocks give; both unknown where the difference is not obvious.
    pub(super) fn bounds(&mut self) -> Bounds {
        let [above, below] = self.beyond.map(|count| count == self.replicas);
        if self.replicas < REPLICAS_MIN || !(above || below) {
            return Bounds::default();
        }
        let bounds = self.sequence.bounds();
        Bounds {
            low: bounds.low.map(|low| low - PROCESS_LOG),
            high: bounds.high.map(|high| high + PROCESS_LOG),
        }
    }
}

/// The number of blocks in which one has to be twice as fast as the other for a claim, given the evidence that it
/// needs in nats; see [`RaceSettings::block_threshold`](super::RaceSettings::block_threshold).
///
/// ```
/// use bakeoff_domain::race::blocks_needed;
/// assert_eq!(blocks_needed((2.0_f64 / 0.05 / 0.3).ln()), 8);
/// ```
pub fn blocks_needed(threshold: f64) -> u32 {
    let z = (std::f64::consts::LN_2 - PROCESS_LOG) / SCALE;
    let mut process = EProcess::default();
    let mut blocks = 0;
    while process.log_highest() < threshold.min(LOG_MAX) {
        process.push(z);
        blocks += 1;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD: f64 = 4.9;

    fn after(replicas: &[&[f64]]) -> Bounds {
        let mut obvious = ObviousDifference::new(THRESHOLD, 0.01);
        for blocks in replicas {
            obvious.push(blocks, blocks.iter().sum::<f64>() / blocks.len() as f64);
        }
        obvious.bounds()
    }

    #[test]
    fn twice_apart_is_known_after_two_processes() {
        let blocks = [0.69, 0.66, 0.71, 0.74, 0.70, 0.68];
        assert_eq!(after(&[&blocks]), Bounds::default());
        let known = after(&[&blocks, &blocks]);
        assert!(known.above(0.1), "{known:?}");
        // The other end lies as far beyond.
        assert!(known.high.is_some_and(|high| (0.9..1.3).contains(&high)));
        let mirrored = blocks.map(|log| -log);
        assert_eq!(
            after(&[&mirrored, &mirrored]).high,
            known.low.map(|low| -low)
        );
    }

    #[test]
    fn what_may_belong_to_a_process_is_no_difference() {
        let blocks = [0.40; 16];
        assert_eq!(after(&[&blocks[..]; 8]), Bounds::default());
        // Nor is it where one process says something else.
        assert_eq!(
            after(&[&[0.7; 16], &[0.7; 16], &[0.39; 16]]),
            Bounds::default()
        );
    }

    #[test]
    fn totals_have_to_say_the_same() {
        let mut obvious = ObviousDifference::new(THRESHOLD, 0.01);
        for _ in 0..4 {
            obvious.push(&[-0.7; 8], 1.2);
        }
        assert_eq!(obvious.bounds(), Bounds::default());
    }

    #[test]
    fn only_the_first_replicas_count() {
        let mut obvious = ObviousDifference::new(THRESHOLD, 0.01);
        for _ in 0..REPLICAS_MAX {
            obvious.push(&[0.7; 4], 0.7);
        }
        let known = obvious.bounds();
        obvious.push(&[-5.0; 4], -5.0);
        assert_eq!(obvious.bounds(), known);
    }

    #[test]
    fn the_bound_is_tested_itself_and_no_rounded_value_in_its_place() {
        let of = |difference: f64| {
            let mut obvious = ObviousDifference::new(THRESHOLD, 0.01);
            (0..2).for_each(|_| obvious.push(&[difference; 8], difference));
            obvious
        };
        let is_claimed = |difference: f64| of(difference).bounds().above(0.0);
        let (mut open, mut claimed) = (PROCESS_LOG, 0.7);
        while claimed - open > 1e-9 {
            let middle = 0.5 * (open + claimed);
            let end = if is_claimed(middle) {
                &mut claimed
            } else {
                &mut open
            };
            *end = middle;
        }
        let evidence = |difference| of(difference).sequence.evidence_above(PROCESS_LOG);
        assert!(evidence(open) < THRESHOLD && evidence(claimed) >= THRESHOLD);
        assert_eq!(of(claimed).bounds().low, Some(0.0));
    }
}
