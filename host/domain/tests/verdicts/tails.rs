//! Variants that take far longer on rare inputs: most samples say nothing of it, total times do.

use super::claims;
use super::random::Noise;
use super::synthetic::{Order, World, begun, everybody, pilot, plan, session, session_of};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{Analysis, RaceSettings};
use bakeoff_domain::verdict::Verdict;

/// Variant 0 is faster on most inputs, and every replica of the race is changed.
fn race(effect: f64, seed: u64, change: impl Fn(&mut Replica)) -> Analysis {
    let world = World::busy(&[effect, 0.0]);
    session_of(&world, &RaceSettings::new(2, 1), seed, Order::Drawn, change).0
}

/// Makes one sample in `every` of variant 0 longer, and returns how many.
fn rarely(replica: &mut Replica, every: f64, longer: impl Fn(u64) -> u64) -> u32 {
    let first_ns = replica.samples.first().map_or(0, |sample| sample.cpu_ns);
    let mut random = Noise::new(first_ns + u64::from(replica.index));
    let samples = replica.samples.iter_mut();
    let mut hit = 0;
    for sample in samples.filter(|sample| sample.variant == 0) {
        if random.uniform() * every < 1.0 {
            sample.cpu_ns = longer(sample.cpu_ns);
            hit += 1;
        }
    }
    hit
}

#[test]
fn a_tail_on_a_tenth_of_the_samples_is_slower_and_is_said_to_be() {
    for effect in [-0.08_f64, -0.03] {
        let mut found = 0;
        for seed in 0..20 {
            let analysis = race(effect, seed, |replica| {
                rarely(replica, 10.0, |ns| 25 * ns);
            });
            let pair = &analysis.overall[0];
            assert_ne!(pair.verdict, Verdict::Beats, "{seed}: {pair:?}");
            found += u32::from(pair.verdict == Verdict::Beaten);
            let ratio = pair.interval.ratio.unwrap();
            assert!((1.5..8.0).contains(&ratio), "{seed}: {pair:?}");
            let typical = pair.typical.expect("most samples say something else");
            assert!((typical.ln() - effect).abs() < 0.1, "{seed}: {pair:?}");
        }
        assert!(found >= 18, "{effect}: {found}");
    }
}

#[test]
fn a_tail_that_only_some_replicas_see_wins_nothing() {
    // One sample in forty, and so one replica in three: it doubles the total time.
    let mut seen = 0;
    for seed in 0..40 {
        let hit = std::cell::Cell::new(0);
        let analysis = race(-0.08, seed, |replica| {
            hit.set(hit.get() + rarely(replica, 40.0, |ns| 45 * ns));
        });
        let pair = &analysis.overall[0];
        // What nobody saw is not known.
        let is_sure = pair.verdict == Verdict::Beats;
        assert!(hit.get() == 0 || !is_sure, "{seed}: {pair:?}");
        seen += u32::from(hit.get() > 0);
    }
    assert!(seen >= 36, "{seen}");
}

#[test]
fn a_call_in_seven_hundred_that_takes_a_second_wins_nothing() {
    // Samples of 20 calls of 50 µs.
    let mut seen = 0;
    for seed in 0..20 {
        let hit = std::cell::Cell::new(0);
        let analysis = race(-0.14, seed, |replica| {
            let more = rarely(replica, 700.0 / 20.0, |ns| ns + 1_000_000_000);
            hit.set(hit.get() + more);
        });
        if hit.get() > 0 {
            seen += 1;
            let pair = &analysis.overall[0];
            assert_ne!(
                pair.verdict,
                Verdict::Beats,
                "{seed} {}: {pair:?}",
                hit.get()
            );
        }
    }
    assert_eq!(seen, 20);
}

#[test]
fn a_single_interruption_of_the_machine_turns_no_verdict() {
    // In a sample of a millisecond, for ninety: that may as well have been the program.
    for seed in 0..20 {
        let analysis = race(-0.08, seed, |replica| {
            if replica.index == 1 {
                let mut samples = replica.samples.iter_mut();
                let first = samples.find(|sample| sample.variant == 0).unwrap();
                first.cpu_ns += 90_000_000;
            }
        });
        let pair = &analysis.overall[0];
        assert_ne!(pair.verdict, Verdict::Beaten, "{seed}: {pair:?}");
    }
}

#[test]
fn what_the_pilot_saw_of_a_tail_counts() {
    let world = World::busy(&[-0.08, 0.0]);
    let settings = RaceSettings::new(2, 1);
    for seed in 0..5 {
        let mut tail = pilot(&world, &settings, seed);
        let mut samples = tail.samples.iter_mut();
        samples.find(|sample| sample.variant == 0).unwrap().cpu_ns *= 500;
        let mut race = begun(&settings, &tail);
        for index in 0..12 {
            race.push(world.run(&plan(seed, index, 1, &everybody(2), Order::Drawn), seed));
        }
        let pair = race.analysis().overall[0].clone();
        assert_eq!(pair.verdict, Verdict::NoCall, "{seed}: {pair:?}");
        assert!(
            pair.interval.ratio > Some(1.5) && pair.typical < Some(1.0),
            "{pair:?}"
        );
    }
}

#[test]
fn ordinary_noise_withholds_hardly_anything() {
    // One sample in twenty of these has a Pareto tail, and one process in 200 is 1.7 × slower for life.
    let given = |effect: f64| {
        let world = World::busy(&[effect, 0.0]);
        let settings = RaceSettings::new(2, 1);
        let sessions = (0..200).map(|seed| session(&world, &settings, seed, Order::Drawn).0);
        sessions.map(|analysis| claims(&analysis)).sum::<usize>()
    };
    assert!(given(0.3_f64.ln_1p()) >= 199);
    assert!(given(0.02_f64.ln_1p()) >= 180);
}

#[test]
fn nothing_is_implied_that_total_times_contradict() {
    // The first beats the second and the second the third, by a little; a tail of the first two is
    // against the third alone.
    let world = World::busy(&[-0.08, -0.04, 0.0]);
    let settings = RaceSettings::new(3, 1);
    for seed in 0..5 {
        let (analysis, _) = session_of(&world, &settings, seed, Order::Drawn, |replica| {
            for sample in &mut replica.samples {
                if (sample.block + replica.index).is_multiple_of(9) && sample.variant < 2 {
                    sample.cpu_ns *= 25;
                }
            }
        });
        let against_the_third = analysis.overall.iter().filter(|pair| pair.b == 2);
        for pair in against_the_third {
            assert_ne!(pair.verdict, Verdict::Beats, "{seed}: {pair:?}");
        }
        assert_ne!(analysis.winner, Some(0));
    }
}
