//! The shares of the time that variants have while they are tried out, before anything counts: who is quick in the checks
//! and slow here takes its own share, and not that of the others.

use super::machine::child_cpu;
use super::race_types::TimedVariant;
use super::scouted_variants::gate_round_ns;
use bakeoff_confine::Child;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::plan::{ReplicaSampling, Sampling};
use bakeoff_runner::announcement::Doing;
use std::time::{Duration, Instant};

/// Shares of the time: the most CPU time of all calls of a variant, for each that has such a bound.
pub(super) type Shares = Vec<(VariantIndex, Duration)>;

/// The share of the budget that all variants together may take however little the checks predict.
const BUDGET_SHARE: f64 = 0.5;
/// The least share: however small the budget is, all variants are tried out.
const SHARE_MIN: Duration = Duration::from_secs(1);
/// The number of calls of a variant on each case in the scout, where calls are long: three to warm up and one that is
/// timed, for each of two copies.
const SCOUT_ROUNDS: f64 = 8.0;
/// Factor by which a variant may exceed what its calls in the gate predict for the scout. Timed calls are quicker, since
/// their fuel is not counted.
const SCOUT_FACTOR: f64 = 1.5;
/// Factor by which a variant may exceed what the scout predicts for the pilot, in which it also warms up.
const PILOT_FACTOR: f64 = 4.0;

/// Returns the share of each of these variants in the scout: an equal part of half of the budget, or more if its calls
/// in the gate took longer. A variant of which the gate knows no time has no bound.
pub(super) fn of_scout(
    timed_variants: &[TimedVariant],
    live_variants: &[VariantIndex],
    drawn: Option<usize>,
    budget: Duration,
) -> Shares {
    let equal = equal_part(live_variants, budget);
    let share = |variant: &VariantIndex| {
        let round_ns = gate_round_ns(&timed_variants[*variant], drawn);
        let predicted = SCOUT_FACTOR * SCOUT_ROUNDS * round_ns / 1e9;
        (round_ns > 0.0).then(|| (*variant, Duration::from_secs_f64(predicted).max(equal)))
    };
    live_variants.iter().filter_map(share).collect()
}

/// Returns the share of each of these variants in a pilot of so many blocks: an equal part of half of the budget, or
/// more if the scout predicts it.
pub(super) fn of_pilot(
    sampling: &Sampling,
    own: &ReplicaSampling,
    blocks: u32,
    live_variants: &[VariantIndex],
    budget: Duration,
) -> Shares {
    let equal = equal_part(live_variants, budget);
    let share = |variant: &VariantIndex| {
        let calls = own.calls.iter().enumerate();
        let samples = calls.map(|(case, calls)| sampling.sample_seconds(*variant, case, *calls));
        let block: f64 = samples.sum();
        let predicted = Duration::from_secs_f64(PILOT_FACTOR * f64::from(blocks) * block);
        (*variant, predicted.max(equal))
    };
    live_variants.iter().map(share).collect()
}

fn equal_part(live_variants: &[VariantIndex], budget: Duration) -> Duration {
    let equal = budget.mul_f64(BUDGET_SHARE / live_variants.len().max(1) as f64);
    equal.max(SHARE_MIN)
}

/// The CPU time that the calls of each variant with a share took so far. From time to time it is seen whose call is in
/// progress, and all time since the look before is put to the account of who was called then: of many short calls, each
/// variant is seen as often as it takes time.
pub(super) struct Spending {
    left: Shares,
    /// CPU time of the child at the last look.
    seen: Option<Duration>,
    /// The time of the last look.
    looked: Instant,
}

impl Spending {
    pub(super) fn new(shares: &[(VariantIndex, Duration)], child: &Child) -> Self {
        Self {
            left: shares.to_vec(),
            seen: child_cpu(child),
            looked: Instant::now(),
        }
    }

    /// Counts the time since the last look for what was done then, and returns the variant that has used up its share
    /// by it. While a program works, which the child waits for, all time counts.
    pub(super) fn look(
        &mut self,
        doing: Option<Doing>,
        is_of_program: bool,
        child: &Child,
    ) -> Option<VariantIndex> {
        if self.left.is_empty() {
            return None;
        }
        let (before, now) = (self.seen, child_cpu(child));
        self.seen = now;
        let elapsed = self.looked.elapsed();
        self.looked = Instant::now();
        let Some(Doing::Calling { variant, .. }) = doing else {
            return None;
        };
        let time = if is_of_program {
            elapsed
        } else {
            now?.saturating_sub(before?)
        };
        self.spend(variant, time)
    }

    /// Counts time for a variant, and returns it if that is more than it has left.
    fn spend(&mut self, variant: VariantIndex, time: Duration) -> Option<VariantIndex> {
        let (_, left) = self.left.iter_mut().find(|(own, _)| *own == variant)?;
        let is_over = time > *left;
        *left = left.saturating_sub(time);
        is_over.then_some(variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_takes_long_in_the_checks_may_take_longer() {
        let variants = [
            TimedVariant::of_gate(&[1_000, 1_000]),
            TimedVariant::of_gate(&[500_000_000, 100_000_000]),
            TimedVariant::of_gate(&[0]),
            TimedVariant::of_gate(&[1_000]),
        ];
        let shares = of_scout(&variants, &[0, 1, 2], None, Duration::from_secs(12));
        let seconds = |seconds| Duration::from_secs_f64(seconds);
        // An equal part; 12 rounds of 600 ms; nothing is known.
        assert_eq!(shares, [(0, seconds(2.0)), (1, seconds(7.2))]);
        // One of two cases is called.
        let drawn = of_scout(&variants, &[1], Some(1), Duration::from_secs(1));
        assert_eq!(drawn, [(1, seconds(3.6))]);
    }

    #[test]
    fn who_has_no_more_is_named() {
        let ms = Duration::from_millis;
        let mut spending = Spending {
            left: vec![(1, ms(100)), (4, ms(50))],
            seen: None,
            looked: Instant::now(),
        };
        // Who has no share has no bound.
        assert_eq!(spending.spend(2, ms(1_000)), None);
        assert_eq!(spending.spend(1, ms(60)), None);
        assert_eq!(spending.spend(4, ms(50)), None);
        assert_eq!(spending.spend(1, ms(40)), None);
        assert_eq!(spending.spend(4, ms(1)), Some(4));
        assert_eq!(spending.spend(1, ms(1)), Some(1));
    }
}
