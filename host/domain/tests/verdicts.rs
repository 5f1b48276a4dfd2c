//! Whole races on a synthetic busy machine: what is said must be right, or not said.
//!
//! Everything follows from seeds, so these tests give the same result every time. The benchmark
//! `statistics` does the same in bulk.

#[path = "verdicts/budget.rs"]
mod budget;
#[path = "verdicts/instances.rs"]
mod instances;
#[path = "verdicts/layouts.rs"]
mod layouts;
#[path = "../benches/random/mod.rs"]
mod random;
#[path = "../benches/synthetic/mod.rs"]
mod synthetic;
#[path = "verdicts/tails.rs"]
mod tails;

use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{
    Analysis, NextStep, Race, RaceSettings, RemainingBudget, StopReason, analyse,
};
use bakeoff_domain::verdict::{PairVerdict, Verdict};
use synthetic::{Order, World, begun, everybody, pilot, plan, remaining, session};

fn claims(analysis: &Analysis) -> usize {
    let sure = |verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
    let overall = analysis.overall.iter().filter(|pair| sure(pair.verdict));
    overall.count()
}

/// Returns the number of false results that `runs` at 5 % exceed by chance less than once in 1,000 times.
fn false_max(runs: f64) -> f64 {
    0.05 * runs + 3.1 * (0.05 * 0.95 * runs).sqrt()
}

#[test]
fn identical_variants_have_no_winner() {
    for (variants, runs) in [(2, 300), (4, 120)] {
        let world = World::busy(&vec![0.0; variants]);
        let settings = RaceSettings::new(variants, 1);
        let wrong = (0..runs)
            .filter(|seed| claims(&session(&world, &settings, *seed, Order::Drawn).0) > 0)
            .count();
        assert!(
            wrong as f64 <= false_max(runs as f64),
            "{variants}: {wrong} of {runs}"
        );
    }
}

#[test]
fn whoever_runs_first_pays_and_still_nobody_wins() {
    let mut world = World::busy(&[0.0, 0.0]);
    world.first_penalty = 0.03;
    let settings = RaceSettings::new(2, 1);
    let wrong = |order| {
        let wins = |seed: &u64| claims(&session(&world, &settings, *seed, order).0) > 0;
        (0..100).filter(wins).count()
    };
    assert!(wrong(Order::Drawn) as f64 <= false_max(100.0));
    assert!(
        wrong(Order::Fixed) > 90,
        "a fixed order is what the drawn one protects from"
    );
}

#[test]
fn five_per_cent_are_found_with_the_right_sign() {
    let world = World::busy(&[0.05_f64.ln_1p(), 0.0]);
    let settings = RaceSettings::new(2, 1);
    let mut found = 0;
    for seed in 0..200 {
        let pair = &session(&world, &settings, seed, Order::Drawn).0.overall[0];
        assert!(
            matches!(pair.verdict, Verdict::Beaten | Verdict::NoCall),
            "{seed}: {pair:?}"
        );
        found += u32::from(pair.verdict == Verdict::Beaten);
    }
    // One sample in twenty has a tail, and a few of them take a hundred times as long.
    assert!(found >= 195, "{found}");
}

#[test]
fn a_quiet_machine_calls_identical_variants_a_tie() {
    let world = World {
        sample_sd: 0.001,
        wander_sd: 0.001,
        spikes: 0.0,
        slow_instances: 0.0,
        ..World::busy(&[0.0, 0.0, 0.0])
    };
    let settings = RaceSettings::new(3, 1);
    for seed in 0..20 {
        let (analysis, reason) = session(&world, &settings, seed, Order::Drawn);
        assert_eq!(reason, StopReason::Tied, "seed {seed}");
        assert_eq!(analysis.unbeaten, [0, 1, 2]);
    }
}

#[test]
fn the_best_of_eight_wins_and_the_slow_leave_early() {
    let effects: Vec<f64> = (0..8).map(|variant| 0.3 * f64::from(variant)).collect();
    let world = World::busy(&effects);
    let (analysis, reason) = session(&world, &RaceSettings::new(8, 1), 1, Order::Drawn);
    assert_eq!((analysis.winner, reason), (Some(0), StopReason::Winner));
    assert!(analysis.replicas < 24, "{}", analysis.replicas);
    for pair in &analysis.overall {
        assert!(pair.verdict != Verdict::Beaten, "{pair:?}");
    }
}

/// A replica with variant n as variant `new[n]`.
fn relabelled(replica: &Replica, new: &[usize]) -> Replica {
    let mut replica = replica.clone();
    for sample in &mut replica.samples {
        sample.variant = new[sample.variant];
    }
    replica
}

#[test]
fn the_order_of_the_file_changes_no_verdict() {
    let mut world = World::busy(&[0.0; 3]);
    world.effects = vec![vec![0.0, 0.0], vec![0.04, 0.02], vec![0.3, 4.0]];
    let settings = RaceSettings::new(3, 2);
    let replicas: Vec<Replica> = (0..30)
        .map(|index| world.run(&plan(5, index, 2, &everybody(3), Order::Drawn), 5))
        .collect();
    let pilot = pilot(&world, &settings, 5);
    let before = analyse(&settings, Some(&pilot), &replicas);
    for new in [[1, 0, 2], [2, 0, 1], [2, 1, 0]] {
        let replicas: Vec<Replica> = replicas.iter().map(|one| relabelled(one, &new)).collect();
        let after = analyse(&settings, Some(&relabelled(&pilot, &new)), &replicas);
        let pairs = before.overall.iter().chain(&before.by_case);
        for pair in pairs {
            let (a, b) = (new[pair.a], new[pair.b]);
            let expected = PairVerdict {
                a,
                b,
                ..pair.clone()
            };
            let expected = if a < b { expected } else { expected.mirrored() };
            let all = after.overall.iter().chain(&after.by_case);
            let key = |pair: &PairVerdict| (pair.a, pair.b, pair.case);
            let found = all
                .clone()
                .find(|found| key(found) == key(&expected))
                .unwrap();
            assert_eq!(
                (found.verdict, found.replicas),
                (expected.verdict, expected.replicas)
            );
            let ends = |pair: &PairVerdict| {
                let interval = pair.interval;
                [interval.low, interval.ratio, interval.high].map(|end| end.unwrap_or(0.0).ln())
            };
            for (one, other) in ends(found).into_iter().zip(ends(&expected)) {
                assert!(
                    one == other || (one - other).abs() < 1e-9,
                    "{found:?} {expected:?}"
                );
            }
        }
    }
}

#[test]
fn each_case_gets_a_verdict_of_its_own() {
    let mut world = World::busy(&[0.0, 0.0]);
    world.effects = vec![vec![-0.5, 0.2, 0.9], vec![0.0, 0.0, 0.0]];
    let settings = RaceSettings::new(2, 3);
    let (analysis, reason) = session(&world, &settings, 3, Order::Drawn);
    assert_eq!((analysis.winner, reason), (Some(1), StopReason::Winner));
    let verdicts: Vec<Verdict> = analysis.by_case.iter().map(|pair| pair.verdict).collect();
    assert_eq!(verdicts, [Verdict::Beats, Verdict::Beaten, Verdict::Beaten]);
}

#[test]
fn step_by_step_in_any_order_of_finishing_is_the_same_as_all_at_once() {
    let world = World::busy(&[0.02, 0.0, 0.01]);
    let settings = RaceSettings::new(3, 1);
    let mut replicas: Vec<_> = (0..24)
        .filter(|index| *index != 5)
        .map(|index| world.run(&plan(4, index, 1, &everybody(3), Order::Drawn), 4))
        .collect();
    let at_once = analyse(&settings, None, &replicas);
    let mut race = Race::new(settings, None);
    // Neighbours overtake each other, and number 5 was discarded.
    replicas
        .chunks_exact_mut(2)
        .for_each(|pair| pair.swap(0, 1));
    for replica in replicas {
        race.push(replica);
        race.analysis();
    }
    assert_eq!(race.analysis().replicas, 5);
    race.skip(5);
    let by_step = race.analysis();
    assert_eq!(by_step.replicas, 23);
    for (one, other) in by_step.overall.iter().zip(&at_once.overall) {
        assert_eq!(one.verdict, other.verdict);
        let ends = |pair: &PairVerdict| {
            [pair.interval.low, pair.interval.high].map(|end| end.unwrap_or(0.0))
        };
        for (one, other) in ends(one).into_iter().zip(ends(other)) {
            assert!((one - other).abs() < 1e-5, "{one} {other}");
        }
    }
}

#[test]
fn a_variant_that_fails_is_not_spoken_of() {
    let world = World::busy(&[0.1, 0.0, 0.3]);
    let mut settings = RaceSettings::new(3, 1);
    settings.withdrawn = vec![1];
    let mut race = Race::new(settings, None);
    for index in 0..20 {
        race.push(world.run(&plan(2, index, 1, &everybody(3), Order::Drawn), 2));
    }
    let analysis = race.analysis();
    assert_eq!(analysis.overall.len(), 1);
    assert_eq!((analysis.winner, analysis.unbeaten), (Some(0), vec![0]));
}

#[test]
fn a_race_ends_when_its_ratio_is_known_as_closely_as_was_asked_for() {
    let world = World::busy(&[0.0, 0.0]);
    let mut settings = RaceSettings::new(2, 1);
    settings.practical = 0.0005;
    let (whole, reason) = session(&world, &settings, 12, Order::Drawn);
    assert_eq!((whole.replicas, reason), (96, StopReason::ReplicaLimit));
    settings.precision = Some(0.05);
    let (early, reason) = session(&world, &settings, 12, Order::Drawn);
    assert_eq!(reason, StopReason::Precision);
    assert!(early.replicas < 96, "{}", early.replicas);
    assert!(early.overall[0].half_width().unwrap() <= 0.05_f64.ln_1p());
}

#[test]
fn the_race_ends_at_its_limits() {
    let time = |seconds| RemainingBudget {
        seconds,
        whole_seconds: 10.0,
    };
    let world = World::busy(&[0.0, 0.0]);
    let mut settings = RaceSettings::new(2, 1);
    settings.replicas_max = 5;
    let mut race = Race::new(settings, None);
    assert_eq!(
        race.analysis().next(time(1.0), |_| 2.0),
        NextStep::Stop(StopReason::Budget)
    );
    for index in 0..5 {
        let NextStep::Run { live_variants } = race.analysis().next(time(2.0), |_| 1.0) else {
            panic!("nothing is settled after {index} replicas");
        };
        race.push(world.run(&plan(0, index, 1, &live_variants, Order::Drawn), 0));
    }
    assert_eq!(
        race.analysis().next(time(2.0), |_| 1.0),
        NextStep::Stop(StopReason::ReplicaLimit)
    );
}

#[test]
fn there_is_nothing_to_compare_alone_and_nothing_to_time_without_cases() {
    let world = World::busy(&[0.0]);
    let (analysis, reason) = session(&world, &RaceSettings::new(1, 1), 0, Order::Drawn);
    assert_eq!((analysis.replicas, reason), (8, StopReason::Alone));
    assert!(analysis.times[0].low_ns.is_some());
    let mut settings = RaceSettings::new(2, 1);
    settings.case_weights = vec![0.0];
    let nothing = analyse(&settings, None, &[]).next(remaining(&settings, 0), |_| 1.0);
    assert_eq!(nothing, NextStep::Stop(StopReason::NothingToTime));
}

#[test]
fn twice_as_slow_is_known_after_a_few_replicas() {
    let world = World::busy(&[0.0, 2.0_f64.ln()]);
    let settings = RaceSettings::new(2, 1);
    let mut early = 0;
    for seed in 0..40 {
        let (analysis, reason) = session(&world, &settings, seed, Order::Drawn);
        assert_eq!((analysis.winner, reason), (Some(0), StopReason::Winner));
        early += u32::from(analysis.replicas <= 3);
    }
    assert!(early >= 36, "{early}");
}

#[test]
fn who_is_set_aside_gets_a_verdict_against_the_leader() {
    let world = World::busy(&[0.0, 0.1, 6.0]);
    let settings = RaceSettings {
        aside: vec![2],
        ..RaceSettings::new(3, 1)
    };
    for seed in 0..10 {
        let mut race = begun(&settings, &pilot(&world, &settings, seed));
        let mut groups = Vec::new();
        for index in 0.. {
            let analysis = race.analysis();
            let NextStep::Run { live_variants } =
                analysis.next(remaining(&settings, index), |_| 1.0)
            else {
                assert_eq!(analysis.winner, Some(0), "{seed}");
                let verdict = |pair: &PairVerdict| ((pair.a, pair.b), pair.verdict);
                let verdicts: Vec<_> = analysis.overall.iter().map(verdict).collect();
                let (beats, unmet) = (Verdict::Beats, Verdict::NoCall);
                let expected = [((0, 1), beats), ((0, 2), beats), ((1, 2), unmet)];
                assert_eq!(verdicts, expected, "{seed}");
                break;
            };
            race.push(world.run(&plan(seed, index, 1, &live_variants, Order::Drawn), seed));
            groups.push(live_variants);
        }
        groups.dedup();
        assert_eq!(groups, [vec![0, 1], vec![0, 2]], "{seed}");
    }
}
