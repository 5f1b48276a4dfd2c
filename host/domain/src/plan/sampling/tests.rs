//! Samplings of pilots whose times are given.

use super::*;
use crate::measurement::{Metric, Replica, Sample, SampleKind, Surroundings};

/// A pilot with the given call times, by variant, by case.
fn pilot(times_ns: &[&[u64]]) -> PilotTimes {
    let mut samples = Vec::new();
    for block in 0..8 {
        for (variant, cases) in times_ns.iter().enumerate() {
            for (case, time_ns) in cases.iter().enumerate() {
                samples.push(Sample {
                    kind: SampleKind::Full,
                    variant,
                    case,
                    block,
                    position: 0,
                    calls: 10,
                    cpu_ns: 10 * time_ns,
                    wall_ns: 10 * time_ns,
                    core_contention: None,
                });
            }
        }
    }
    let replica = Replica {
        index: 0,
        solo: true,
        samples,
        baselines: Vec::new(),
        cold_ns: Vec::new(),
        parts: Vec::new(),
        surroundings: Surroundings::default(),
    };
    PilotTimes::new(&replica, Metric::Cpu)
}

fn conditions(cases: usize) -> SamplingConstraints {
    SamplingConstraints {
        clock_ns: 500.0,
        startup_seconds: 0.003,
        wall_per_cpu: 1.0,
        overheads: vec![CaseOverhead::default(); cases],
        calls_max: vec![1_000_000; cases],
        instances_per_block: None,
        short_calls: ShortCalls::default(),
        inputs_are_alike: false,
        seconds: 60.0,
        workers: 2,
        threshold: 4.0,
        replicas_max: 96,
        practical_log: 0.01,
    }
}

fn racing(variants: &[VariantIndex]) -> Vec<LiveVariant> {
    let variants = variants.iter().copied();
    variants.map(LiveVariant::full).collect()
}

#[test]
fn a_sample_of_the_quickest_is_about_as_long_as_it_should_be() {
    let pilot = pilot(&[&[20_000, 900_000], &[50_000, 400_000]]);
    let sampling = choose(&pilot, WarmUp::Normal, &conditions(2));
    // 1000 q is 0.5 ms; nine tenths of 28 calls of 20 µs are 0.504 ms.
    // One call of 0.4 ms is nearer to it than two.
    assert_eq!(sampling.calls, [28, 1]);
    assert!(sampling.too_short.is_empty() && sampling.single_calls.is_empty());
    let mut small = conditions(2);
    small.calls_max = vec![11, 1];
    assert_eq!(choose(&pilot, WarmUp::Normal, &small).calls, [10, 1]);
}

fn single(variant: VariantIndex, cases: &[CaseIndex], every: u32) -> SingleCalls {
    SingleCalls {
        variant,
        cases: cases.to_vec(),
        every,
    }
}

#[test]
fn a_variant_makes_single_calls_on_the_cases_where_it_is_slow() {
    let pilot = pilot(&[&[25_000, 9_000_000], &[20_000, 30_000], &[30_000, 30_000]]);
    let sampling = choose(&pilot, WarmUp::Normal, &conditions(2));
    assert_eq!(sampling.single_calls, [single(0, &[1], 1)]);
    assert_eq!(sampling.calls, [28, 19]);
}

#[test]
fn a_slow_variant_that_costs_too_much_makes_its_calls_seldom() {
    let of = |slow_ns: u64| {
        let times: &[&[u64]] = &[&[20_000], &[20_000], &[slow_ns]];
        choose(&pilot(times), WarmUp::Normal, &conditions(1)).single_calls[0].every
    };
    // Two workers have 96 s in 60: a quarter of it is for eight calls of 1.49 s, which an obvious
    // verdict needs, or for six of 1.9 s, in 96 replicas, each with the one that comes before it.
    assert_eq!(of(1_490_000_000), 1);
    assert_eq!(of(1_900_000_000), 16);
    assert_eq!(of(12_500_000_000), 0);
}

#[test]
fn calls_below_twenty_resolutions_are_not_timed() {
    let pilot = pilot(&[&[9_000, 100_000], &[30_000, 100_000]]);
    let sampling = choose(&pilot, WarmUp::Normal, &conditions(2));
    assert_eq!(sampling.calls[0], 0);
    assert_eq!(sampling.case_weights(&[1.0, 2.0]), [0.0, 2.0]);
    assert_eq!(sampling.too_short.len(), 1);
    assert_eq!(
        (sampling.too_short[0].variant, sampling.too_short[0].case),
        (0, 0)
    );
    assert_eq!(sampling.too_short[0].call_ns_min, 10_000.0);
}

#[test]
fn predictions_add_up() {
    let pilot = pilot(&[&[1_000_000], &[2_000_000]]);
    let sampling = choose(&pilot, WarmUp::Normal, &conditions(1));
    assert_eq!(sampling.calls, [1]);
    assert!((sampling.block_seconds(&racing(&[0, 1])) - 0.003).abs() < 1e-9);
    // 3 ms to start, 5 and 6 ms to warm up, and the blocks.
    let expected = 0.003 + 0.005 + 0.006 + f64::from(sampling.blocks) * 0.003;
    assert!((sampling.replica_seconds(&racing(&[0, 1]), 0) - expected).abs() < 1e-9);
    // Twice the start takes 28 ms, which is more than 9 blocks of 3 ms.
    assert_eq!(sampling.blocks, 10);
}

#[test]
fn what_is_around_the_calls_of_one_case_is_no_cost_of_another() {
    let pilot = pilot(&[&[20_000, 480_000], &[20_000, 480_000]]);
    let mut dear = conditions(2);
    dear.overheads[1] = CaseOverhead {
        input_ns: 50e6,
        judge_ns: 10e6,
        call_ns: 1e6,
    };
    let sampling = choose(&pilot, WarmUp::Normal, &dear);
    assert_eq!(sampling.calls, [28, 1]);
    // 28 calls of 20 µs and one of 1.48 ms for each of both, and an input that they share.
    let expected = 2.0 * (28.0 * 20e-6 + 1.48e-3) + 60e-3;
    let block = sampling.block_seconds(&racing(&[0, 1]));
    assert!((block - expected).abs() < 1e-9, "{block}");
    // The warm-up takes 20 calls, 10 on each case; both have the same inputs.
    let start = sampling.replica_seconds(&racing(&[0, 1]), 0) - f64::from(sampling.blocks) * block;
    let expected = 0.003 + 2.0 * 10.0 * (20e-6 + 1.48e-3) + 10.0 * 50e-3;
    assert!((start - expected).abs() < 1e-9, "{start}");
}

#[test]
fn samples_of_instances_are_planned_one_by_one_and_a_block_costs_what_it_draws() {
    let mut pilot = pilot(&[&[20_000], &[40_000]]);
    // Of eight instances one was timed; by their fuel the others take 20 µs to 20 ms.
    let work = [1, 1, 1, 1, 10, 10, 1_000, 0].map(|units| 100 * units);
    pilot.estimate_by_work(&[work.to_vec(), work.to_vec()]);
    let mut conditions = conditions(8);
    conditions.instances_per_block = Some(4);
    let sampling = choose(&pilot, WarmUp::Normal, &conditions);
    assert_eq!(sampling.calls, [28, 28, 28, 28, 3, 3, 1, 28]);
    // Half of the set: (5 · 28 · 60 µs + 2 · 3 · 600 µs + 60 ms) ÷ 2.
    let block = sampling.block_seconds(&racing(&[0, 1]));
    assert!((block - 0.036).abs() < 1e-9, "{block}");
    // A rotation of four drawn instances takes longer than the 5 ms of the rule.
    let start = sampling.replica_seconds(&racing(&[0, 1]), 0) - 4.0 * block;
    let rotation = (5.0 * 60e-6 + 2.0 * 600e-6 + 60e-3) / 2.0;
    assert!((start - 0.003 - rotation).abs() < 1e-9, "{start}");
}

#[test]
fn a_variant_makes_single_calls_on_all_instances_or_on_none() {
    let mut conditions = conditions(3);
    conditions.instances_per_block = Some(3);
    let single_calls = |slow: &[u64]| {
        let pilot = pilot(&[&[20_000, 20_000, 20_000], slow]);
        choose(&pilot, WarmUp::Normal, &conditions).single_calls
    };
    assert!(single_calls(&[20_000, 20_000, 400_000]).is_empty());
    let found = single_calls(&[20_000, 20_000, 4_000_000]);
    assert_eq!(found, [single(1, &[0, 1, 2], 1)]);
}

#[test]
fn a_short_budget_means_few_blocks() {
    let pilot = pilot(&[&[1_000_000], &[2_000_000]]);
    let mut hasty = conditions(1);
    hasty.seconds = 0.35;
    assert_eq!(choose(&pilot, WarmUp::Normal, &hasty).blocks, 6);
    hasty.seconds = 0.01;
    assert_eq!(choose(&pilot, WarmUp::Normal, &hasty).blocks, BLOCKS_MIN);
}

#[test]
fn a_slow_variant_costs_a_warm_call_of_everybody() {
    let pilot = pilot(&[&[20_000], &[4_000_000]]);
    let sampling = choose(&pilot, WarmUp::Normal, &conditions(1));
    let live_variants = [0, 1].map(|variant| sampling.live_variant(variant));
    let more = sampling.replica_seconds(&live_variants, 3)
        - sampling.replica_seconds(&live_variants[..1], 3);
    // Two calls come before the one of 4 ms, and 250 or 251 before that of 20 µs.
    let expected = 3.0 * 0.004 + 0.005_02;
    assert!((more - expected).abs() < 0.000_021, "{more}");
    let mut seldom = sampling.clone();
    seldom.single_calls[0].every = 2;
    let live_variants = [0, 1].map(|variant| seldom.live_variant(variant));
    let with = |index| seldom.replica_seconds(&live_variants, index);
    assert!((with(3) - with(2) - more).abs() < 1e-9);
}

#[test]
fn rounds_share_the_time_that_warms_up_for_single_calls() {
    let times: &[&[u64]] = &[&[20_000, 20_000, 20_000], &[50_000_000; 3]];
    let sampling = choose(&pilot(times), WarmUp::Normal, &conditions(3));
    let both = [0, 1].map(|variant| sampling.live_variant(variant));
    let more = sampling.replica_seconds(&both, 0) - sampling.replica_seconds(&both[..1], 0);
    // On each of three cases two calls of the slow one, and 5 ms / 3 of the other and its single call.
    let expected = 3.0 * (2.0 * 0.05 + 0.005 / 3.0 + 0.000_02);
    assert!((more - expected).abs() < 3.0 * 0.000_04, "{more}");
    // However many they are, nobody's caches are cold.
    assert_eq!(WarmUp::Normal.round_time_ns(1), 5_000_000);
    assert_eq!(WarmUp::Normal.round_time_ns(1_000), 300_000);
}

#[test]
fn beside_other_programs_calls_take_longer_and_single_calls_come_less_often() {
    let pilot = pilot(&[&[20_000], &[30_000], &[40_000_000]]);
    let every = |wall_per_cpu: f64| {
        let mut busy = conditions(1);
        (busy.seconds, busy.wall_per_cpu) = (10.0, wall_per_cpu);
        choose(&pilot, WarmUp::Normal, &busy).single_calls
    };
    assert_eq!(every(1.0), [single(2, &[0], 1)]);
    assert_eq!(every(0.5), every(1.0));
    assert_eq!(every(20.0), [single(2, &[0], 16)]);
    let mut busy = conditions(1);
    busy.wall_per_cpu = 3.0;
    let three_times = choose(&pilot, WarmUp::Normal, &busy);
    let alone = choose(&pilot, WarmUp::Normal, &conditions(1));
    let block = |sampling: &Sampling| sampling.block_seconds(&racing(&[0, 1]));
    assert!((block(&three_times) / block(&alone) - 3.0).abs() < 1e-9);
    let (call_ns, ratio) = alone.longest_single_call(2).unwrap();
    assert!((call_ns - 4e7).abs() < 1.0 && (ratio - 2_000.0).abs() < 1e-6);
    assert_eq!(alone.longest_single_call(0), None);
}

#[test]
fn an_obvious_difference_takes_few_blocks_where_inputs_are_alike() {
    let blocks = |times_ns: &[&[u64]], change: fn(&mut SamplingConstraints)| {
        let mut conditions = SamplingConstraints {
            inputs_are_alike: true,
            ..conditions(times_ns[0].len())
        };
        change(&mut conditions);
        choose(&pilot(times_ns), WarmUp::Normal, &conditions).blocks
    };
    let same = |_: &mut SamplingConstraints| {};
    assert_eq!(blocks(&[&[200_000], &[400_000]], same), BLOCKS_MIN);
    // Close ones take their time, whoever is far behind both.
    assert!(blocks(&[&[200_000], &[240_000]], same) > BLOCKS_MIN);
    assert!(blocks(&[&[200_000], &[400_000], &[220_000]], same) > BLOCKS_MIN);
    // It is the mean over the cases that counts: here 1.41.
    assert!(blocks(&[&[200_000, 200_000], &[400_000, 200_000]], same) > BLOCKS_MIN);
    // What a few inputs may add takes many calls to be seen.
    let unlike: fn(&mut SamplingConstraints) = |conditions| conditions.inputs_are_alike = false;
    assert!(blocks(&[&[200_000], &[400_000]], unlike) > BLOCKS_MIN);
}
