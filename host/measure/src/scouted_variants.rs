//! Variants that the scout leaves out, because their calls take very long: they would use up the time in which all
//! others are tried out. Their calls in the gate stand for those that the scout did not make.

use super::race_types::TimedVariant;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_domain::plan::PilotTimes;
use bakeoff_domain::stats::median;

/// The shortest call in the gate, in nanoseconds, that shows how long a call takes without its fuel being counted.
const LONG_NS_MIN: f64 = 1_000_000.0;
/// The assumed ratio of a call's time without fuel counting to that with it, where no call shows it.
const COUNTED_SHARE: f64 = 0.5;
/// The share of the budget that all calls of one variant in the scout, one on each case, may take.
const BUDGET_SHARE: f64 = 0.02;
/// The time that these calls may take even if that share is less, in nanoseconds, and the share of the budget to which
/// it is bounded: the scout makes several rounds of them, which must leave the others most of a small budget.
const ROUND_NS: f64 = 2e8;
const ROUND_SHARE: f64 = 0.05;

/// Returns the variants that the scout leaves out: those whose calls, one on each case, take longer than their share,
/// judging by the gate. The quickest is never left out. `drawn` is the number of cases that are called, for a set of
/// instances.
pub(super) fn left_out(
    timed_variants: &[TimedVariant],
    budget_seconds: f64,
    drawn: Option<usize>,
) -> Vec<VariantIndex> {
    let round_ns = |variant| gate_round_ns(variant, drawn);
    let rounds: Vec<f64> = timed_variants.iter().map(round_ns).collect();
    let budget_ns = budget_seconds * 1e9;
    let round_ns = ROUND_NS.min(ROUND_SHARE * budget_ns);
    let allowed = round_ns.max(BUDGET_SHARE * budget_ns);
    let variants = 0..rounds.len();
    let quickest = variants
        .clone()
        .min_by(|a, b| rounds[*a].total_cmp(&rounds[*b]));
    let takes_long = |variant: &VariantIndex| COUNTED_SHARE * rounds[*variant] > allowed;
    variants
        .filter(|variant| Some(*variant) != quickest && takes_long(variant))
        .collect()
}

/// Returns the time that one call on each case took in the gate, in nanoseconds; 0 if it is not known. `drawn` is the
/// number of cases that are called, for a set of instances.
pub(super) fn gate_round_ns(variant: &TimedVariant, drawn: Option<usize>) -> f64 {
    let known = variant.gate_cpu_ns.iter().filter(|ns| **ns > 0);
    let (count, sum) = known.fold((0_usize, 0.0), |(count, sum), ns| {
        (count + 1, sum + *ns as f64)
    });
    let called = drawn.map_or(count, |drawn| drawn.min(count));
    sum * called as f64 / count.max(1) as f64
}

/// Returns the fuel of a call in the gate, by variant and case; 0 for an instance that was not checked.
pub(super) fn work(
    timed_variants: &[TimedVariant],
    cases: usize,
    live_variants: &[VariantIndex],
) -> Vec<Vec<u64>> {
    let of_variant = |(variant, timed): (usize, &TimedVariant)| {
        let mut fuel = timed.fuel.clone();
        fuel.resize(cases, 0);
        let live = live_variants.contains(&variant);
        if live { fuel } else { Vec::new() }
    };
    timed_variants.iter().enumerate().map(of_variant).collect()
}

/// Returns the time of the first call on a case in the gate, in nanoseconds, if it is known.
fn gate_ns(variant: &TimedVariant, case: CaseIndex) -> Option<u64> {
    variant.gate_cpu_ns.get(case).copied().filter(|ns| *ns > 0)
}

/// Adds the times of calls that the scout did not make: those of the gate, scaled by the ratio of scout to gate in the
/// calls that were made.
pub(super) fn assume(
    times: &mut PilotTimes,
    timed_variants: &[TimedVariant],
    left_out: &[VariantIndex],
) {
    let mut shares = Vec::new();
    for variant in times.variants() {
        let gate = timed_variants[variant].gate_cpu_ns.iter().enumerate();
        // Most of a shorter call in the gate is what stands around it, which says nothing of a long one.
        for (case, gate_ns) in gate.filter(|(_, ns)| **ns as f64 >= LONG_NS_MIN) {
            let scouted = times.call_ns(variant, case);
            shares.extend(scouted.map(|call_ns| call_ns / *gate_ns as f64));
        }
    }
    // With fuel counted nothing is quicker.
    let share = median(&mut shares).unwrap_or(COUNTED_SHARE).min(1.0);
    for &variant in left_out {
        for case in 0..timed_variants[variant].gate_cpu_ns.len() {
            if let Some(ns) = gate_ns(&timed_variants[variant], case) {
                times.assume(variant, case, share * ns as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::measurement::{Metric, Replica, Sample, Surroundings};

    #[test]
    fn who_would_use_up_the_time_of_the_others_is_left_out() {
        let variants = [
            TimedVariant::of_gate(&[200_000, 800_000]),
            TimedVariant::of_gate(&[10_000, 900_000]),
            TimedVariant::of_gate(&[210_000, 600_000_000]),
            TimedVariant::of_gate(&[9_000_000_000, 9_500_000_000]),
        ];
        assert_eq!(left_out(&variants, 1.0, None), [2, 3]);
        // A larger budget has room for one call of the third.
        assert_eq!(left_out(&variants, 20.0, None), [3]);
        // A small one has no room for rounds that take a large part of it.
        let brief = [
            TimedVariant::of_gate(&[10_000]),
            TimedVariant::of_gate(&[300_000_000]),
        ];
        assert_eq!(left_out(&brief, 2.0, None), [1]);
        assert!(left_out(&brief, 4.0, None).is_empty());
        // Somebody is always tried.
        assert!(left_out(&variants[3..], 1.0, None).is_empty());
        assert_eq!(
            left_out(&[variants[3].clone(), variants[3].clone()], 1.0, None),
            [1]
        );
        // Of a set, some instances are called.
        assert_eq!(left_out(&variants, 4.0, Some(1)), [3]);
        // A gate that did not keep times tells nothing.
        assert!(
            left_out(
                &[TimedVariant::of_gate(&[]), TimedVariant::of_gate(&[0])],
                5.0,
                None
            )
            .is_empty()
        );
    }

    #[test]
    fn what_was_not_called_is_taken_from_the_gate() {
        let variants = [
            TimedVariant::of_gate(&[200_000, 2_000_000]),
            TimedVariant::of_gate(&[210_000, 60_000_000]),
        ];
        // Half as long as in the gate.
        let sample = |(variant, case, cpu_ns)| Sample {
            variant,
            case,
            block: 0,
            position: 0,
            calls: 1,
            cpu_ns,
            wall_ns: cpu_ns,
        };
        let taken = [(0, 0, 100_000), (0, 1, 1_000_000)];
        let replica = Replica {
            index: 0,
            solo: true,
            samples: taken.into_iter().map(sample).collect(),
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        };
        let mut times = PilotTimes::new(&replica, Metric::Cpu);
        assume(&mut times, &variants, &[1]);
        let rounded = |variant, case| times.call_ns(variant, case).map(f64::round);
        assert_eq!(rounded(0, 1), Some(1_000_000.0));
        assert_eq!(rounded(1, 1), Some(30_000_000.0));
        assert_eq!(rounded(1, 0), Some(105_000.0));
    }
}
