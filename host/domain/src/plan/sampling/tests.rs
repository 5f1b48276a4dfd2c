//! Samplings of pilots whose times are given.

use super::*;
use crate::measurement::{Metric, Replica, Sample, Surroundings};

/// A pilot with the given call times, by variant, by case.
fn pilot(times_ns: &[&[u64]]) -> PilotTimes {
    let mut samples = Vec::new();
    for block in 0..8 {
        for (variant, cases) in times_ns.iter().enumerate() {
            for (case, time_ns) in cases.iter().enumerate() {
                samples.push(Sample {
                    variant,
                    case,
                    block,
                    position: 0,
                    calls: 10,
                    cpu_ns: 10 * time_ns,
                    wall_ns: 10 * time_ns,
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
        seconds: 60.0,
        workers: 2,
        threshold: 4.0,
        block_threshold: 4.9,
        replicas_max: 96,
        practical_log: 0.01,
    }
}

fn chosen(times_ns: &[&[u64]]) -> Sampling {
    let conditions = conditions(times_ns[0].len());
    choose(&pilot(times_ns), WarmUp::Normal, &conditions)
}

#[test]
fn a_sample_of_the_quickest_is_about_as_long_as_it_should_be() {
    let times: &[&[u64]] = &[&[20_000, 900_000], &[50_000, 400_000]];
    let sampling = chosen(times);
    // 1000 q is 0.5 ms; nine tenths of 28 calls of 20 µs are 0.504 ms.
    // One call of 0.4 ms is nearer to it than two.
    assert_eq!(sampling.calls, [28, 1]);
    assert!(sampling.too_short.is_empty() && sampling.aside.is_empty());
    let mut small = conditions(2);
    small.calls_max = vec![11, 1];
    assert_eq!(choose(&pilot(times), WarmUp::Normal, &small).calls, [10, 1]);
}

#[test]
fn samples_are_shorter_beside_somebody_far_slower() {
    // 200 q is 0.1 ms; nine tenths of 6 calls of 20 µs are 0.108 ms.
    assert_eq!(chosen(&[&[20_000], &[59_000]]).calls, [28]);
    let sampling = chosen(&[&[20_000], &[25_000], &[61_000]]);
    assert_eq!(sampling.calls, [6]);
    // Those that are left once the slow one is beaten are told apart by longer ones.
    assert_eq!(sampling.of_replica(&[0, 1]).calls, [28]);
    assert_eq!(sampling.of_replica(&[1, 2]).calls, [22]);
    // It is the geometric mean over the cases that counts: here 2.8.
    assert_eq!(
        chosen(&[&[20_000, 20_000], &[160_000, 20_000]]).calls,
        [28, 28]
    );
    assert_eq!(
        chosen(&[&[20_000, 20_000], &[200_000, 20_000]]).calls,
        [6, 6]
    );
}

#[test]
fn all_are_far_apart_where_every_two_are() {
    let sampling = chosen(&[&[20_000], &[250_000], &[70_000], &[900_000]]);
    assert!(sampling.are_all_far_apart(&[0, 1, 2, 3]));
    let sampling = chosen(&[&[20_000], &[250_000], &[50_000], &[900_000]]);
    assert!(!sampling.are_all_far_apart(&[0, 1, 2, 3]));
    assert!(sampling.is_far_apart(&[0, 1, 2, 3]) && sampling.are_all_far_apart(&[1, 2, 3]));
}

#[test]
fn samples_are_shortest_beside_somebody_who_is_slower_by_far_more() {
    // 50 q is 25 µs: about nine tenths of 2 calls of 12 µs; 200 q is 0.1 ms.
    let short = |slow_ns: u64| chosen(&[&[12_000], &[slow_ns]]).calls;
    assert_eq!((short(350_000), short(370_000)), (vec![9], vec![2]));
    // 5 q is 2.5 µs: one call.
    assert_eq!(short(12_100_000), [1]);
}

#[test]
fn a_sample_never_has_less_time_than_a_precise_clock_tells() {
    let calls = |slow_ns: u64| {
        let mut conditions = conditions(1);
        conditions.clock_ns = 40.0;
        choose(
            &pilot(&[&[10_000], &[slow_ns]]),
            WarmUp::Normal,
            &conditions,
        )
        .calls
    };
    // 0.3 ms, and 0.1 ms beside somebody far slower.
    assert_eq!((calls(12_000), calls(40_000)), (vec![33], vec![11]));
}

#[test]
fn an_obvious_pair_gets_the_blocks_that_two_processes_need() {
    // 8 blocks are enough for a factor of 2; half of that, and one more.
    assert_eq!(blocks_needed(conditions(1).block_threshold), 8);
    let sampling = chosen(&[&[200_000], &[400_000], &[300_000]]);
    assert_eq!(sampling.blocks, 5);
    // Without the slowest there is nothing obvious: as many as take twice as long as the start.
    assert!(sampling.of_replica(&[0, 2]).blocks > 5);
    assert!(chosen(&[&[200_000], &[340_000]]).blocks > 5);
    // Many claims need more evidence.
    let mut many = conditions(1);
    many.block_threshold = 12.0;
    let blocks = choose(&pilot(&[&[200_000], &[400_000]]), WarmUp::Normal, &many).blocks;
    assert_eq!(blocks, blocks_needed(12.0).div_ceil(2) + 1);
    assert!(blocks > 5);
}

#[test]
fn an_obvious_pair_meets_enough_inputs_where_more_blocks_cost_little() {
    let times: &[&[u64]] = &[&[1_000_000], &[2_000_000]];
    // Fifteen blocks of single calls in each of four processes would be sixty inputs, and nine of 3 ms take as long
    // as twice the start of 13 ms.
    assert_eq!(chosen(times).blocks, 9);
    let short: &[&[u64]] = &[&[60_000, 600_000], &[120_000, 1_200_000]];
    assert_eq!(chosen(short).calls.iter().min(), Some(&1));
    assert!(chosen(short).blocks > 5);
    // All instances of a set are known.
    let mut set = conditions(1);
    set.instances_per_block = Some(1);
    assert_eq!(choose(&pilot(times), WarmUp::Normal, &set).blocks, 5);
}

#[test]
fn somebody_far_slower_is_set_aside_if_others_would_wait() {
    let aside = |times_ns: &[&[u64]]| chosen(times_ns).aside;
    const MS: u64 = 1_000_000;
    let quick: &[u64] = &[20_000];
    // Two processes with everybody, each of a call to warm up and four blocks of one, may take half a minute.
    assert!(aside(&[quick, quick, &[2_400 * MS]]).is_empty());
    assert_eq!(aside(&[quick, &[4_000 * MS], quick]), [1]);
    // The dearest goes first; who may stay, stays.
    assert_eq!(aside(&[quick, &[90_000 * MS], quick, &[2_400 * MS]]), [1]);
    assert_eq!(
        aside(&[quick, &[90_000 * MS], quick, &[4_000 * MS]]),
        [1, 3]
    );
    // Ten times as slow as the quickest is no reason, nor is there one where two are left.
    assert!(aside(&[&[3_000 * MS], &[3_000 * MS], &[29_000 * MS]]).is_empty());
    assert!(aside(&[quick, &[90_000 * MS]]).is_empty());
    assert_eq!(aside(&[quick, &[90_000 * MS], &[80_000 * MS]]), [1]);
}

#[test]
fn who_is_set_aside_does_not_shorten_the_samples_of_the_others() {
    let sampling = chosen(&[&[20_000], &[22_000], &[9_000_000_000]]);
    assert_eq!(
        (sampling.calls.as_slice(), &sampling.aside[..]),
        (&[28][..], &[2][..])
    );
    assert_eq!(sampling.of_replica(&[0, 1]).blocks, sampling.blocks);
    assert_eq!(sampling.of_replica(&[0, 2]).calls, [1]);
}

#[test]
fn calls_below_twenty_resolutions_are_not_timed() {
    let sampling = chosen(&[&[9_000, 100_000], &[30_000, 100_000]]);
    assert_eq!(sampling.calls[0], 0);
    assert_eq!(sampling.of_replica(&[0, 1]).calls[0], 0);
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
    let sampling = chosen(&[&[1_000_000], &[1_500_000]]);
    assert_eq!(sampling.calls, [1]);
    assert!((sampling.of_replica(&[0, 1]).block_seconds - 0.0025).abs() < 1e-9);
    // 3 ms to start, twice 5 ms to warm up, and the blocks.
    let expected = 0.013 + f64::from(sampling.blocks) * 0.0025;
    assert!((sampling.of_replica(&[0, 1]).seconds - expected).abs() < 1e-9);
    // Twice the start takes 26 ms, which is more than 10 blocks of 2.5 ms.
    assert_eq!(sampling.blocks, 11);
    assert!((sampling.sample_seconds(1, 0, 3) - 0.0045).abs() < 1e-9);
    assert_eq!(sampling.sample_seconds(2, 0, 3), 0.0);
}

#[test]
fn a_replica_without_somebody_far_slower_is_predicted_by_its_own_samples() {
    let sampling = chosen(&[&[20_000], &[25_000], &[1_000_000]]);
    let blocks = |variants: &[VariantIndex]| f64::from(sampling.of_replica(variants).blocks);
    // 3 ms to start, 5 ms to warm up each, and blocks of a call or of 28.
    let all = 0.018 + blocks(&[0, 1, 2]) * 1_045e-6;
    assert!((sampling.of_replica(&[0, 1, 2]).seconds - all).abs() < 1e-9);
    let two = 0.013 + blocks(&[0, 1]) * 28.0 * 45e-6;
    assert!((sampling.of_replica(&[0, 1]).seconds - two).abs() < 1e-9);
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
    let block = sampling.of_replica(&[0, 1]).block_seconds;
    assert!((block - expected).abs() < 1e-9, "{block}");
    // The warm-up takes 20 calls, 10 on each case; both have the same inputs.
    let start = sampling.of_replica(&[0, 1]).seconds - f64::from(sampling.blocks) * block;
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
    let block = sampling.of_replica(&[0, 1]).block_seconds;
    assert!((block - 0.036).abs() < 1e-9, "{block}");
    // A rotation of four drawn instances takes longer than the 5 ms of the rule.
    let start = sampling.of_replica(&[0, 1]).seconds - f64::from(sampling.blocks) * block;
    let rotation = (5.0 * 60e-6 + 2.0 * 600e-6 + 60e-3) / 2.0;
    assert!((start - 0.003 - rotation).abs() < 1e-9, "{start}");
}

#[test]
fn two_processes_have_the_blocks_that_tell_where_the_budget_has_room_for_them() {
    let mut hasty = conditions(1);
    // With three variants, nine blocks.
    hasty.block_threshold = (3.0_f64 * 2.0 / (0.05 * 0.3)).ln();
    let times: &[&[u64]] = &[&[1_000_000], &[2_000_000], &[400_000_000]];
    let with = |seconds: f64, hasty: &SamplingConstraints| {
        let conditions = SamplingConstraints {
            seconds,
            ..hasty.clone()
        };
        choose(&pilot(times), WarmUp::Normal, &conditions).of_replica(&[0, 2])
    };
    let found = [3.0, 1.5].map(|seconds| with(seconds, &hasty).blocks);
    assert_eq!(found, [5, BLOCKS_MIN]);
    let sampling = choose(&pilot(times), WarmUp::Normal, &hasty);
    let replicas = |variants: &[VariantIndex]| sampling.obvious_replicas(variants);
    assert_eq!((replicas(&[0, 2]), replicas(&[0, 1])), (Some(2), Some(2)));
    let close = choose(&pilot(&[&[10], &[11]]), WarmUp::Normal, &conditions(1));
    assert_eq!(close.obvious_replicas(&[0, 1]), None);
    let few = with(1.5, &hasty);
    let [one, three] = [1, 3].map(|replicas| sampling.seconds_of(replicas, &[0, 2]));
    assert!(few.seconds > 0.0 && (three / one - 2.0).abs() < 1e-9);
}

#[test]
fn a_short_budget_means_few_blocks() {
    let pilot = pilot(&[&[1_000_000], &[1_500_000]]);
    let mut hasty = conditions(1);
    let replicas = 3.0 * f64::from(replicas_needed(hasty.threshold));
    // Two workers share three times the replicas of a clear difference, of 13 ms and six blocks of 2.5 ms.
    hasty.seconds = replicas * 0.0285 / 2.0;
    assert_eq!(choose(&pilot, WarmUp::Normal, &hasty).blocks, 6);
    hasty.seconds = 0.01;
    assert_eq!(choose(&pilot, WarmUp::Normal, &hasty).blocks, BLOCKS_MIN);
}

#[test]
fn beside_other_programs_calls_take_longer() {
    let pilot = pilot(&[&[20_000], &[30_000], &[400_000_000]]);
    let with = |wall_per_cpu: f64| {
        let mut busy = conditions(1);
        busy.wall_per_cpu = wall_per_cpu;
        choose(&pilot, WarmUp::Normal, &busy)
    };
    let block = |sampling: &Sampling| sampling.of_replica(&[0, 1]).block_seconds;
    assert!((block(&with(3.0)) / block(&with(1.0)) - 3.0).abs() < 1e-9);
    assert_eq!(with(0.5), with(1.0));
    // A budget is wall time, so somebody slow is set aside earlier.
    assert_eq!((with(1.0).aside, with(20.0).aside), (vec![], vec![2]));
}
