//! Whom the scout tries out, and how: one whose calls take very long is called once, or not at all, so
//! that it does not use up the time in which all others are tried out.

use super::race_types::TimedVariant;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_domain::plan::{LiveVariant, PilotTimes, SingleCalls};
use bakeoff_domain::stats::median;

/// One whose call took this many times as long as the quickest in the gate, on a case, is called once
/// there, without a warm-up.
const LONG_RATIO: f64 = 10.0;
/// Such a one took this many times as much fuel, too. Else what made it long may be its first touch of many pages,
/// which no later call pays for.
const LONG_FUEL_RATIO: f64 = 5.0;
/// Shorter calls are warmed up in any case: a single cold one says too little of them.
const LONG_NS_MIN: f64 = 1_000_000.0;
/// One whose calls took this many times as long is far slower on any engine: none is made, and what the
/// gate saw stands for them. The time is that of the others, and on a busy machine it is several times
/// what the call takes.
const FAR_SLOWER_RATIO: f64 = 100.0;
/// The share of a call's time with fuel counted that it takes without, where no call tells.
const COUNTED_SHARE: f64 = 0.5;
/// The share of the budget that all those calls of one variant may take. Beyond it none is made either.
const BUDGET_SHARE: f64 = 0.1;

/// Returns the variants whose calls took long in the gate: those that make a single call in the scout on
/// some cases, and those that make none there (`every` is 0).
pub(super) fn long_calls(timed_variants: &[TimedVariant], budget_seconds: f64) -> Vec<SingleCalls> {
    let cases = timed_variants
        .iter()
        .map(|one| one.gate_cpu_ns.len())
        .max()
        .unwrap_or(0);
    let ns = |variant, case| gate_ns(&timed_variants[variant], case);
    let quickest = |case: CaseIndex| (0..timed_variants.len()).filter_map(|v| ns(v, case)).min();
    let is_long = |variant: VariantIndex, case: CaseIndex| match (ns(variant, case), quickest(case))
    {
        (Some(ns), Some(quickest)) => {
            takes_long(ns as f64, quickest as f64) && is_more_work(timed_variants, variant, case)
        }
        _ => false,
    };
    let of_variant = |variant: VariantIndex| {
        let long: Vec<CaseIndex> = (0..cases).filter(|case| is_long(variant, *case)).collect();
        let far_slower = |case: &CaseIndex| match (ns(variant, *case), quickest(*case)) {
            (Some(ns), Some(quickest)) => is_far_slower(ns as f64, quickest as f64),
            _ => false,
        };
        let all_ns: u64 = long.iter().filter_map(|case| ns(variant, *case)).sum();
        let fits = all_ns as f64 / 1e9 <= BUDGET_SHARE * budget_seconds;
        let is_called = fits && !long.iter().all(far_slower);
        (!long.is_empty()).then_some(SingleCalls {
            variant,
            cases: long,
            every: u32::from(is_called),
        })
    };
    (0..timed_variants.len()).filter_map(of_variant).collect()
}

/// The same on a set of instances, of which the scout draws some: a variant that takes long in the mean
/// over those that all were checked on makes single calls on all of the set, or none.
pub(super) fn long_calls_on_set(
    timed_variants: &[TimedVariant],
    budget_seconds: f64,
    instances: usize,
    drawn: usize,
) -> Vec<SingleCalls> {
    let is_common = |case: &CaseIndex| {
        let mut variants = timed_variants.iter();
        variants.all(|one| gate_ns(one, *case).is_some())
    };
    let common: Vec<CaseIndex> = (0..instances).filter(is_common).collect();
    let mean = |variant: VariantIndex| {
        let known = common.iter();
        let sum: u64 = known
            .filter_map(|case| gate_ns(&timed_variants[variant], *case))
            .sum();
        sum as f64 / common.len() as f64
    };
    let variants = 0..timed_variants.len();
    let quickest = variants.clone().map(mean).fold(f64::INFINITY, f64::min);
    let long = variants.filter(|variant| {
        let mut cases = common.iter();
        takes_long(mean(*variant), quickest)
            && cases.any(|case| is_more_work(timed_variants, *variant, *case))
    });
    let single_calls = long.map(|variant| {
        let fits = mean(variant) * drawn as f64 / 1e9 <= BUDGET_SHARE * budget_seconds;
        SingleCalls {
            variant,
            cases: (0..instances).collect(),
            every: u32::from(fits && !is_far_slower(mean(variant), quickest)),
        }
    });
    single_calls.collect()
}

/// Returns the fuel of a call in the gate, by variant and case; 0 for an instance that was not checked.
pub(super) fn work(
    timed_variants: &[TimedVariant],
    cases: usize,
    live_variants: &[LiveVariant],
) -> Vec<Vec<u64>> {
    let of_variant = |(variant, timed): (usize, &TimedVariant)| {
        let mut fuel = timed.fuel.clone();
        fuel.resize(cases, 0);
        let live = live_variants.iter().any(|one| one.variant == variant);
        if live { fuel } else { Vec::new() }
    };
    timed_variants.iter().enumerate().map(of_variant).collect()
}

/// Whether a variant took several times as much fuel in the gate as the one that took the least, on a case;
/// also where that is not known.
fn is_more_work(timed_variants: &[TimedVariant], variant: VariantIndex, case: CaseIndex) -> bool {
    let fuel = |one: &TimedVariant| one.fuel.get(case).copied().filter(|fuel| *fuel > 0);
    let least = timed_variants.iter().filter_map(fuel).min();
    match (fuel(&timed_variants[variant]), least) {
        (Some(fuel), Some(least)) => fuel as f64 > LONG_FUEL_RATIO * least as f64,
        _ => true,
    }
}

/// Those of the scout's single calls that a pilot need not try: whose work is several times as much as that of
/// others. One sample says too little of the rest, which a stall may have hit.
pub(super) fn surely_single(
    timed_variants: &[TimedVariant],
    single_calls: &[SingleCalls],
) -> Vec<SingleCalls> {
    let surely = |own: &SingleCalls| {
        let is_sure = |case: &&CaseIndex| is_more_work(timed_variants, own.variant, **case);
        let cases: Vec<CaseIndex> = own.cases.iter().filter(is_sure).copied().collect();
        (!cases.is_empty()).then(|| SingleCalls {
            cases,
            ..own.clone()
        })
    };
    single_calls.iter().filter_map(surely).collect()
}

/// Returns the time of the first call on a case in the gate, in nanoseconds, if it is known.
fn gate_ns(variant: &TimedVariant, case: CaseIndex) -> Option<u64> {
    variant.gate_cpu_ns.get(case).copied().filter(|ns| *ns > 0)
}

fn takes_long(ns: f64, quickest: f64) -> bool {
    ns >= LONG_NS_MIN && ns > LONG_RATIO * quickest
}

fn is_far_slower(ns: f64, quickest: f64) -> bool {
    takes_long(ns, quickest) && ns > FAR_SLOWER_RATIO * quickest
}

/// Adds the times of calls that the scout did not make: those of the gate, in proportion to how much
/// longer the calls that were made took there.
pub(super) fn assume_long_calls(
    times: &mut PilotTimes,
    timed_variants: &[TimedVariant],
    long_calls: &[SingleCalls],
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
    for own in long_calls.iter().filter(|own| own.every == 0) {
        for &case in &own.cases {
            if let Some(ns) = gate_ns(&timed_variants[own.variant], case) {
                times.assume(own.variant, case, share * ns as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::measurement::{Metric, Replica, Sample, SampleKind, Surroundings};

    fn timed(gate_cpu_ns: &[u64]) -> TimedVariant {
        TimedVariant {
            timed: Vec::new().into(),
            our_allocator: false,
            files: None,
            recodes: false,
            gains_by_state: false,
            peak_bytes: 0,
            dearest_call: None,
            fuel: Vec::new(),
            gate_cpu_ns: gate_cpu_ns.to_vec(),
        }
    }

    /// Variants on two cases: ordinary, short, long on the second, and longer than a scout may last.
    fn variants() -> Vec<TimedVariant> {
        [
            [200_000, 800_000],
            [10_000, 900_000],
            [210_000, 60_000_000],
            [9_000_000_000, 9_500_000_000],
        ]
        .map(|ns| timed(&ns))
        .to_vec()
    }

    #[test]
    fn who_is_far_slower_in_the_gate_is_called_once_or_not_at_all() {
        let single = |variant, cases: &[usize], every| SingleCalls {
            variant,
            cases: cases.to_vec(),
            every,
        };
        let of = |budget| long_calls(&variants(), budget);
        assert_eq!(of(1.0), [single(2, &[1], 1), single(3, &[0, 1], 0)]);
        assert_eq!(of(0.1), [single(2, &[1], 0), single(3, &[0, 1], 0)]);
        // A budget with room for its calls does not make it one of the others.
        assert_eq!(of(1_000.0), [single(2, &[1], 1), single(3, &[0, 1], 0)]);
        // Who only takes long to touch its pages for the first time is warmed up, and tried in full.
        let fuels = [
            [9_000, 9_000],
            [9_000, 9_000],
            [9_000, 40_000],
            [9_000_000, 9_000],
        ];
        let mut pages = variants();
        for (one, fuel) in pages.iter_mut().zip(fuels) {
            one.fuel = fuel.to_vec();
        }
        assert_eq!(long_calls(&pages, 1.0), [single(3, &[0], 0)]);
        let found = [single(2, &[1], 1), single(3, &[0, 1], 0)];
        assert_eq!(surely_single(&pages, &found), [single(3, &[0], 0)]);
        assert_eq!(surely_single(&variants(), &found), found);
        // A gate of a version that did not keep times tells nothing.
        assert_eq!(long_calls(&[timed(&[]), timed(&[0])], 5.0), []);
    }

    #[test]
    fn of_a_set_one_is_called_on_all_of_it_or_on_nothing() {
        // The last of them was checked on two of three instances only.
        let variants = [
            timed(&[200_000, 400_000, 300_000]),
            timed(&[900_000, 40_000_000, 100_000]),
            timed(&[7_000_000_000, 20]),
        ];
        let of = |variants: &[TimedVariant], budget| {
            let found = long_calls_on_set(variants, budget, 3, 2).into_iter();
            let found = found.map(|own| (own.variant, own.cases, own.every));
            found.collect::<Vec<_>>()
        };
        let all = vec![0, 1, 2];
        assert_eq!(of(&variants[..2], 5.0), [(1, all.clone(), 1)]);
        assert_eq!(of(&variants[..2], 0.1), [(1, all.clone(), 0)]);
        assert_eq!(of(&variants, 5.0), [(1, all.clone(), 1), (2, all, 0)]);
        assert_eq!(of(&[timed(&[]), timed(&[1])], 5.0), []);
    }

    #[test]
    fn what_was_not_called_is_taken_from_the_gate() {
        // Half as long as in the gate.
        let sample = |(variant, case, cpu_ns)| Sample {
            kind: SampleKind::Full,
            variant,
            case,
            block: 0,
            position: 0,
            calls: 1,
            cpu_ns,
            wall_ns: cpu_ns,
            core_contention: None,
        };
        let taken = [(0, 0, 100_000), (0, 1, 400_000), (2, 0, 105_000)];
        let mut times = PilotTimes::new(
            &Replica {
                index: 0,
                solo: true,
                samples: taken.into_iter().map(sample).collect(),
                baselines: Vec::new(),
                cold_ns: Vec::new(),
                parts: Vec::new(),
                surroundings: Surroundings::default(),
            },
            Metric::Cpu,
        );
        assume_long_calls(&mut times, &variants(), &long_calls(&variants(), 5.0));
        let rounded = |variant, case| times.call_ns(variant, case).map(f64::round);
        assert_eq!(rounded(2, 1), None);
        assert_eq!(rounded(3, 1), Some(4_750_000_000.0));
        assert_eq!(rounded(3, 0), Some(4_500_000_000.0));
        assert_eq!(rounded(1, 0), None);
    }
}
