//! Races over a set of instances whose calls differ a thousandfold in length.

use super::synthetic::{World, begun, everybody, remaining};
use super::{claims, false_max};
use bakeoff_domain::measurement::{Baseline, Replica, VariantIndex};
use bakeoff_domain::plan::{ReplicaSpec, ReplicaStage, RunSeed, WarmUp, draw};
use bakeoff_domain::race::{Analysis, NextStep, RaceSettings, StopReason, analyse};
use bakeoff_domain::verdict::Verdict;

/// The logarithm of the length of an instance's calls: from a thirtieth to thirty times the usual.
fn length(instance: usize, instances: usize) -> f64 {
    7.0 * instance as f64 / instances as f64 - 3.5
}

/// A machine with variants whose effects differ by instance.
fn world(variants: usize, instances: usize, effect: impl Fn(usize, usize) -> f64) -> World {
    let mut world = World::busy(&vec![0.0; variants]);
    let row = |variant| {
        let on = |instance| length(instance, instances) + effect(variant, instance);
        (0..instances).map(on).collect()
    };
    world.effects = (0..variants).map(row).collect();
    world
}

fn settings(variants: usize, instances: usize) -> RaceSettings {
    RaceSettings {
        instances: true,
        ..RaceSettings::new(variants, instances)
    }
}

/// Runs one replica, of which each block draws four instances.
fn replica(world: &World, seed: u64, index: u32, live_variants: &[VariantIndex]) -> Replica {
    let instances = world.cases();
    let calls = |instance| (20.0 / length(instance, instances).exp()).max(1.0) as u32;
    let plan = draw(&ReplicaSpec {
        secret: RunSeed::Named(seed).race_secret(),
        index,
        stage: ReplicaStage::Race,
        calls: &(0..instances).map(calls).collect::<Vec<_>>(),
        instances_per_block: Some(4),
        blocks: 6,
        warm_up: WarmUp::Normal,
        short_cases: &[],
        live_variants,
        layouts: &[],
    });
    let mut replica = world.run(&plan, seed);
    replica.baselines.fill(Baseline::default());
    replica
}

fn session(world: &World, settings: &RaceSettings, seed: u64) -> (Analysis, StopReason) {
    let everybody = everybody(settings.variants);
    let pilot = replica(world, !seed.rotate_left(17), 0, &everybody);
    let mut race = begun(settings, &pilot);
    for index in 0.. {
        match race.analysis().next(remaining(settings, index), |_| 1.0) {
            NextStep::Stop(reason) => return (race.analysis(), reason),
            NextStep::Run { live_variants } => {
                race.push(replica(world, seed, index, &live_variants));
            }
        }
    }
    (race.analysis(), StopReason::ReplicaLimit)
}

#[test]
fn identical_variants_have_no_winner_on_instances_of_very_different_length() {
    for instances in [3, 12, 500] {
        let mut world = world(3, instances, |_, _| 0.0);
        world.first_penalty = 0.03;
        let settings = settings(3, instances);
        let wins = |seed: &u64| claims(&session(&world, &settings, *seed).0) > 0;
        let wrong = (0..60).filter(wins).count();
        assert!(wrong as f64 <= false_max(60.0), "{instances}: {wrong}");
    }
}

#[test]
fn the_claim_is_about_the_mean_over_the_whole_set() {
    // Twice as fast on a sixth of the set, 5 % slower on the rest: 8 % faster in the geometric mean,
    // though the total time hardly changes, and most instances say the opposite.
    let effect = |variant, instance: usize| match (variant, instance % 6) {
        (0, 0) => -(2.0_f64.ln()),
        (0, _) => 0.05_f64.ln_1p(),
        _ => 0.0,
    };
    let mean = (5.0 * 0.05_f64.ln_1p() - 2.0_f64.ln()) / 6.0;
    for instances in [12, 300] {
        let world = world(2, instances, effect);
        let mut covered = 0;
        for seed in 0..10 {
            let (analysis, _) = session(&world, &settings(2, instances), seed);
            let pair = &analysis.overall[0];
            assert_eq!(pair.verdict, Verdict::Beats, "{instances} {seed}");
            let inside = pair.interval.low.zip(pair.interval.high);
            let inside = inside.is_some_and(|(low, high)| (low..=high).contains(&mean.exp()));
            covered += u32::from(inside);
            assert!(analysis.by_case.is_empty());
        }
        assert!(covered >= 9, "{instances}: {covered}");
    }
}

#[test]
fn every_instance_counts_the_same_in_the_time_that_is_shown() {
    let world = world(2, 4, |_, _| 0.0);
    let replicas: Vec<Replica> = (0..9)
        .map(|index| replica(&world, 3, index, &everybody(2)))
        .collect();
    let analysis = analyse(&settings(2, 4), None, &replicas);
    assert_eq!(analysis.times.len(), 2);
    let lengths = (0..4).map(|instance| length(instance, 4));
    let expected = 50_000.0 * (lengths.sum::<f64>() / 4.0).exp();
    for time in &analysis.times {
        assert!((time.mean_ns / expected).ln().abs() < 0.05, "{time:?}");
    }
}
