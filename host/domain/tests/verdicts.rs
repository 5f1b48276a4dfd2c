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
#[path = "verdicts/quiet.rs"]
mod quiet;
#[path = "../benches/random/mod.rs"]
mod random;
#[path = "../benches/synthetic/mod.rs"]
mod synthetic;
#[path = "verdicts/tails.rs"]
mod tails;

use bakeoff_domain::measurement::Replica;
use bakeoff_domain::plan::{Isolation, LiveVariant, SingleCalls, isolation};
use bakeoff_domain::race::{
    Analysis, Basis, NextStep, Race, RaceSettings, RemainingBudget, SoloComparison, StopReason,
    analyse,
};
use bakeoff_domain::verdict::{PairVerdict, Verdict};
use synthetic::{Order, World, everybody, plan, session, with_pilot};

/// More than any race needs.
const PLENTY: RemainingBudget = RemainingBudget {
    seconds: 60.0,
    replica_seconds: 0.1,
};

fn claims(analysis: &Analysis) -> usize {
    let sure = |verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
    let overall = analysis.overall.iter().filter(|pair| sure(pair.verdict));
    overall.count()
}

/// At 5 %, so many false results in `runs` are exceeded by chance less than once in 1,000.
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
    for seed in 0..200 {
        let (analysis, reason) = session(&world, &settings, seed, Order::Drawn);
        assert_eq!(analysis.winner, Some(1), "seed {seed}");
        assert_eq!(reason, StopReason::Winner);
        assert_eq!(analysis.overall[0].verdict, Verdict::Beaten);
        assert!(analysis.overall[0].interval.low > Some(1.0));
    }
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

/// Two identical variants and one that is far slower on the second of two cases, where it makes single
/// calls; a call before the warm-up takes longer.
fn with_a_slow_third() -> (World, RaceSettings) {
    let mut world = World::busy(&[0.0; 3]);
    world.effects = vec![vec![0.0, 0.0], vec![0.0, 0.0], vec![0.3, 4.0]];
    let mut settings = RaceSettings::new(3, 2);
    settings.single_calls = vec![SingleCalls {
        variant: 2,
        cases: vec![1],
        every: 1,
    }];
    (world, settings)
}

#[test]
fn a_slow_variant_gets_its_verdict_from_single_calls_and_the_others_keep_theirs() {
    let (world, settings) = with_a_slow_third();
    let live_variants: Vec<LiveVariant> = (0..3)
        .map(|variant| LiveVariant::new(variant, &settings.single_calls))
        .collect();
    for seed in 0..20 {
        let replicas: Vec<Replica> = (0..40)
            .map(|index| world.run(&plan(seed, index, 2, &live_variants, Order::Drawn), seed))
            .collect();
        let analysis = analyse(&with_pilot(&world, &settings, seed), &replicas);
        let pair = |a, b, case| {
            let all = analysis.overall.iter().chain(&analysis.by_case);
            let mut of = all.filter(move |pair| (pair.a, pair.b, pair.case) == (a, b, case));
            of.next().unwrap().clone()
        };
        for other in [0, 1] {
            assert_eq!(pair(other, 2, None).verdict, Verdict::Beats, "seed {seed}");
            // Single calls against single calls: that they take longer makes no difference.
            let ratio = pair(other, 2, Some(1)).interval.ratio.unwrap();
            assert!((ratio.ln() + 4.0).abs() < 0.1, "seed {seed}: {ratio}");
        }
        // The others have full samples of everything, and are as precise as without the third.
        let width = pair(0, 1, Some(1)).half_width().unwrap_or(1.0);
        assert!(width < 0.1, "seed {seed}: {width}");
    }
}

#[test]
fn identical_variants_of_which_one_makes_single_calls_have_no_winner() {
    let mut world = World::busy(&[0.0, 0.0]);
    world.cold = 1.0;
    let mut settings = RaceSettings::new(2, 1);
    settings.single_calls = vec![SingleCalls {
        variant: 1,
        cases: vec![0],
        every: 1,
    }];
    let wins = |seed: &u64| claims(&session(&world, &settings, *seed, Order::Drawn).0) > 0;
    let wrong = (0..100).filter(wins).count();
    assert!(wrong as f64 <= false_max(100.0), "{wrong}");
}

#[test]
fn a_costly_variant_makes_more_single_calls_once_nothing_else_is_open() {
    let (world, mut settings) = with_a_slow_third();
    settings.single_calls[0].every = 16;
    let every = |race: &mut Race| match race.analysis().next(PLENTY) {
        NextStep::Run { live_variants } => live_variants.last().map(|one| one.single_calls_every),
        NextStep::Stop(reason) => panic!("{reason:?}"),
    };
    let mut race = Race::new(settings.clone());
    assert_eq!(every(&mut race), Some(16));
    settings.withdrawn = vec![1];
    let mut alone = Race::new(settings);
    assert_eq!(every(&mut alone), Some(1));
    let live_variants = everybody(3);
    race.push(world.run(&plan(1, 0, 2, &live_variants, Order::Drawn), 1));
    assert_eq!(every(&mut race), Some(16));
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
    let (mut world, settings) = with_a_slow_third();
    world.effects[1] = vec![0.04, 0.02];
    let live_variants: Vec<LiveVariant> = (0..3)
        .map(|variant| LiveVariant::new(variant, &settings.single_calls))
        .collect();
    let replicas: Vec<Replica> = (0..30)
        .map(|index| world.run(&plan(5, index, 2, &live_variants, Order::Drawn), 5))
        .collect();
    let before = analyse(&settings, &replicas);
    for new in [[1, 0, 2], [2, 0, 1], [2, 1, 0]] {
        let replicas: Vec<Replica> = replicas.iter().map(|one| relabelled(one, &new)).collect();
        let mut settings = settings.clone();
        for own in &mut settings.single_calls {
            own.variant = new[own.variant];
        }
        let after = analyse(&settings, &replicas);
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
fn an_effect_that_comes_with_time_is_annotated() {
    let settings = RaceSettings::new(2, 1);
    let mut race = Race::new(settings);
    for index in 0..32 {
        let world = World::busy(&[0.02 * f64::from(index), 0.0]);
        let plan = plan(9, index, 1, &everybody(2), Order::Drawn);
        race.push(world.run(&plan, 9));
    }
    let dependences = race.analysis().dependences;
    assert_eq!(dependences.len(), 1, "{dependences:?}");
    assert!(dependences[0].rho > 0.9 && dependences[0].p < 0.01);
}

#[test]
fn step_by_step_in_any_order_of_finishing_is_the_same_as_all_at_once() {
    let world = World::busy(&[0.02, 0.0, 0.01]);
    let settings = RaceSettings::new(3, 1);
    let mut replicas: Vec<_> = (0..24)
        .filter(|index| *index != 5)
        .map(|index| world.run(&plan(4, index, 1, &everybody(3), Order::Drawn), 4))
        .collect();
    let at_once = analyse(&settings, &replicas);
    let mut race = Race::new(settings);
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
    let mut race = Race::new(settings);
    for index in 0..20 {
        race.push(world.run(&plan(2, index, 1, &everybody(3), Order::Drawn), 2));
    }
    let analysis = race.analysis();
    assert_eq!(analysis.overall.len(), 1);
    assert_eq!((analysis.winner, analysis.unbeaten), (Some(0), vec![0]));
}

#[test]
fn a_ranking_that_holds_only_side_by_side_is_noticed() {
    let settings = RaceSettings::new(2, 1);
    let run = |alone: f64, together: f64| {
        let mut race = Race::new(settings.clone());
        for index in 0..32 {
            let isolation = isolation(index, 2);
            let effect = match isolation {
                Isolation::Solo => alone,
                Isolation::Shared => together,
            };
            let plan = plan(6, index, 1, &everybody(2), Order::Drawn);
            let mut replica = World::busy(&[effect, 0.0]).run(&plan, 6);
            replica.solo = isolation == Isolation::Solo;
            race.push(replica);
        }
        race.analysis().solo_comparison
    };
    assert_eq!(run(0.1, 0.1), SoloComparison::Agrees);
    assert_eq!(run(0.0, 0.1), SoloComparison::Agrees);
    let differs = SoloComparison::Differs {
        pairs: vec![(0, 1)],
    };
    assert_eq!(run(-0.1, 0.1), differs);
    assert_eq!(
        Race::new(settings).analysis().solo_comparison,
        SoloComparison::Unknown
    );
}

#[test]
fn after_the_fallback_only_solo_replicas_count() {
    let world = World::busy(&[0.1, 0.0]);
    let mut replicas: Vec<_> = (0..24)
        .map(|index| world.run(&plan(8, index, 1, &everybody(2), Order::Drawn), 8))
        .collect();
    replicas
        .iter_mut()
        .step_by(2)
        .for_each(|replica| replica.solo = true);
    let mut settings = RaceSettings::new(2, 1);
    settings.basis = Basis::Solo;
    let analysis = analyse(&settings, &replicas);
    assert_eq!((analysis.replicas, analysis.winner), (12, Some(1)));
}

/// Replicas of which every other ran on a crowded core, where the effect of variant 0 is another.
fn on_and_off(quiet: f64, crowded: f64, solo: bool) -> Race {
    let mut race = Race::new(RaceSettings::new(2, 1));
    for index in 0..24 {
        let (effect, contention_probe_ns) = match index % 2 {
            0 => (quiet, 34e3),
            _ => (crowded, 51e3 + f64::from(index)),
        };
        let plan = plan(3, index, 1, &everybody(2), Order::Drawn);
        let mut replica = World::busy(&[effect, 0.0]).run(&plan, 3);
        replica.solo = solo;
        replica.surroundings.contention_probe_ns = Some(contention_probe_ns);
        race.push(replica);
    }
    race
}

#[test]
fn a_pair_that_turns_with_the_neighbours_gets_no_verdict() {
    let constant = on_and_off(-0.4, -0.4, true).analysis();
    assert_eq!(constant.winner, Some(0));
    let sure = on_and_off(-0.4, -0.05, true).analysis();
    assert_eq!(sure.overall[0].sign_inversion, None);

    let mut race = on_and_off(-0.4, 0.1, true);
    assert!(!race.should_fall_back_to_solo(), "all of them ran alone");
    let inverting = race.analysis();
    let pair = &inverting.overall[0];
    assert_eq!((inverting.winner, pair.verdict), (None, Verdict::NoCall));
    let inversion = pair.sign_inversion.expect("an inversion");
    assert!(
        inversion.quiet < 0.8 && inversion.crowded > 1.05,
        "{inversion:?}"
    );
    assert!(pair.interval.low < Some(0.8) && pair.interval.high > Some(1.05));
    assert_eq!(inverting.next(PLENTY), NextStep::Stop(StopReason::Settled));
    assert!(on_and_off(-0.4, 0.1, false).should_fall_back_to_solo());
    assert!(!on_and_off(-0.4, -0.4, false).should_fall_back_to_solo());
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
    let time = |seconds, replica_seconds| RemainingBudget {
        seconds,
        replica_seconds,
    };
    let world = World::busy(&[0.0, 0.0]);
    let mut settings = RaceSettings::new(2, 1);
    settings.replicas_max = 5;
    let mut race = Race::new(settings);
    assert_eq!(
        race.analysis().next(time(1.0, 2.0)),
        NextStep::Stop(StopReason::Budget)
    );
    for index in 0..5 {
        let NextStep::Run { live_variants } = race.analysis().next(time(2.0, 1.0)) else {
            panic!("nothing is settled after {index} replicas");
        };
        race.push(world.run(&plan(0, index, 1, &live_variants, Order::Drawn), 0));
    }
    assert_eq!(
        race.analysis().next(time(2.0, 1.0)),
        NextStep::Stop(StopReason::ReplicaLimit)
    );
}

#[test]
fn there_is_nothing_to_compare_alone_and_nothing_to_time_without_cases() {
    let endless = RemainingBudget {
        seconds: 1.0,
        replica_seconds: 0.0,
    };
    let world = World::busy(&[0.0]);
    let (analysis, reason) = session(&world, &RaceSettings::new(1, 1), 0, Order::Drawn);
    assert_eq!((analysis.replicas, reason), (8, StopReason::Alone));
    assert!(analysis.times[0].low_ns.is_some());
    let mut settings = RaceSettings::new(2, 1);
    settings.case_weights = vec![0.0];
    let nothing = analyse(&settings, &[]).next(endless);
    assert_eq!(nothing, NextStep::Stop(StopReason::NothingToTime));
}
