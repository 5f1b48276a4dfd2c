//! Who makes single calls, and how often.

use super::live_variant::SingleCalls;
use super::pilot::{PilotTimes, single_call_variants};
use crate::measurement::{CaseIndex, VariantIndex};

/// The share of the budget, and of what is left of it before a replica, that single calls may take where at
/// least two variants make none: the others are told apart in the rest.
pub(crate) const SINGLE_CALLS_SHARE: f64 = 0.25;

/// Those whose single calls take more than their share in every replica make them in every so many-th at
/// most.
const EVERY_MIN: u32 = 16;

/// The variants that make single calls on some of these cases, in every replica. One whose calls on a case
/// take less than `least_ns` of it makes full samples there, however slow it is: a single call says
/// nothing of what is that short.
pub(super) fn find(
    pilot: &PilotTimes,
    cases: &[CaseIndex],
    least_ns: impl Fn(CaseIndex) -> f64,
) -> Vec<SingleCalls> {
    let mut found: Vec<SingleCalls> = Vec::new();
    for variant in pilot.variants() {
        let slow = |case: &CaseIndex| {
            let call_ns = pilot.call_ns(variant, *case).unwrap_or(f64::INFINITY);
            call_ns >= least_ns(*case) && pilot.single_calls_on(*case).contains(&variant)
        };
        let cases: Vec<CaseIndex> = cases.iter().copied().filter(slow).collect();
        if !cases.is_empty() {
            found.push(SingleCalls {
                variant,
                cases,
                every: 1,
            });
        }
    }
    found
}

/// The variants that make single calls on every instance of a set, in every replica: those whose
/// samples on these cases, of so many calls each, take more than 10 × as long in the mean as the best
/// one's. A variant never makes single calls on some instances only, since its pairs would be
/// compared on what is left of the set.
pub(super) fn find_on_set(
    pilot: &PilotTimes,
    cases: &[CaseIndex],
    calls: &[u32],
) -> Vec<SingleCalls> {
    let log_mean = |variant: VariantIndex| {
        let sample = |case: &CaseIndex| {
            let ns = pilot.call_ns(variant, *case)?;
            Some(f64::from(calls[*case]) * ns)
        };
        let samples: Vec<f64> = cases.iter().filter_map(sample).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        mean.is_finite().then_some((variant, mean.ln()))
    };
    let times: Vec<_> = pilot.variants().into_iter().filter_map(log_mean).collect();
    let slow = single_call_variants(&times).into_iter();
    let single_calls = slow.map(|variant| SingleCalls {
        variant,
        cases: cases.to_vec(),
        every: 1,
    });
    single_calls.collect()
}

/// The room that a race has for single calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// The budget, in nanoseconds, of all workers together.
    pub(super) budget_ns: f64,
    /// The number of variants that make no single calls.
    pub(super) others: usize,
    /// The number of replicas that an obvious verdict needs.
    pub(super) needed: u32,
    /// The number of replicas that the race is expected to have.
    pub(super) replicas: f64,
}

/// For each variant, given the time of its single calls in one replica in nanoseconds: in every which
/// replica it makes them, 0 for none.
///
/// Those that leave the others their share of the budget, if an obvious verdict about each took all
/// the replicas that it needs, make them in every replica, and so leave the race soon. The rest divide
/// what remains, each spreading its part over the replicas of the race; one whose part is less than a
/// round makes none.
pub(super) fn every(rounds_ns: &[f64], room: &Room) -> Vec<u32> {
    let share = if room.others >= 2 {
        SINGLE_CALLS_SHARE
    } else {
        1.0
    };
    let mut left_ns = share * room.budget_ns;
    let mut cheapest_first: Vec<usize> = (0..rounds_ns.len()).collect();
    cheapest_first.sort_by(|one, other| rounds_ns[*one].total_cmp(&rounds_ns[*other]));
    let mut costly = Vec::new();
    let mut every = vec![1; rounds_ns.len()];
    for place in cheapest_first {
        let needed_ns = f64::from(room.needed) * rounds_ns[place];
        if costly.is_empty() && needed_ns <= left_ns {
            left_ns -= needed_ns;
        } else {
            costly.push(place);
        }
    }
    let part_ns = left_ns / costly.len().max(1) as f64;
    for place in costly {
        let round_ns = rounds_ns[place];
        let spread = (room.replicas * round_ns / part_ns.max(1.0))
            .ceil()
            .max(1.0);
        every[place] = match round_ns <= part_ns {
            true => (spread as u32).next_power_of_two().max(EVERY_MIN),
            false => 0,
        };
    }
    every
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: f64 = 1e9;

    fn every_of(seconds: &[f64], others: usize) -> Vec<u32> {
        let room = Room {
            budget_ns: 100.0 * SECOND_NS,
            others,
            needed: 8,
            replicas: 90.0,
        };
        let rounds: Vec<f64> = seconds.iter().map(|seconds| seconds * SECOND_NS).collect();
        every(&rounds, &room)
    }

    #[test]
    fn single_calls_leave_several_others_three_quarters_of_the_budget() {
        assert_eq!(every_of(&[3.0], 2), [1]);
        // 90 replicas with one in 13: the 25 s hold seven calls, and 16 is the next power of two.
        assert_eq!(every_of(&[3.5], 2), [16]);
        assert_eq!(every_of(&[26.0], 2), [0]);
        // A race of a few replicas only is not made of them.
        let room = Room {
            budget_ns: 4.0 * SECOND_NS,
            others: 2,
            needed: 8,
            replicas: 4.0,
        };
        assert_eq!(every(&[0.5 * SECOND_NS], &room), [16]);
        // With a single other variant nobody waits.
        assert_eq!(every_of(&[12.0], 1), [1]);
    }

    #[test]
    fn the_slowest_costs_the_less_slow_nothing() {
        assert_eq!(every_of(&[26.0, 1.5], 2), [0, 1]);
        assert_eq!(every_of(&[2.5, 1.0, 1.5], 3), [64, 1, 1]);
        // What is left is divided: 12.5 s for each.
        assert_eq!(every_of(&[5.0, 4.5], 2), [64, 64]);
        assert!(every_of(&[], 2).is_empty());
    }
}
