//! Variants that take far longer on rare inputs: most samples say nothing of it, total times do.

use super::claims;
use super::random::Noise;
use super::synthetic::{Order, World, session, session_of};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::{Analysis, Basis, RaceSettings, StopReason};
use bakeoff_domain::verdict::Verdict;

/// A race of which every replica is changed.
fn race(
    world: &World,
    settings: &RaceSettings,
    seed: u64,
    change: impl Fn(&mut Replica),
) -> (Analysis, StopReason) {
    session_of(world, settings, seed, Order::Drawn, change)
}

/// Makes one sample in `every` of variant 0 longer.
fn rarely(replica: &mut Replica, every: f64, longer: impl Fn(u64) -> u64) {
    let mut random = Noise::new(u64::from(replica.index) + 77);
    let own = replica
        .samples
        .iter_mut()
        .filter(|sample| sample.variant == 0);
    for sample in own {
        if random.uniform() * every < 1.0 {
            sample.cpu_ns = longer(sample.cpu_ns);
        }
    }
}

#[test]
fn a_tail_on_a_tenth_of_the_samples_wins_nothing() {
    for effect in [-0.08_f64, -0.03] {
        let world = World::busy(&[effect, 0.0]);
        let settings = RaceSettings::new(2, 1);
        for seed in 0..20 {
            let (analysis, reason) = race(&world, &settings, seed, |replica| {
                rarely(replica, 10.0, |ns| 25 * ns);
            });
            let pair = &analysis.overall[0];
            assert_eq!(pair.verdict, Verdict::NoCall, "{seed}: {pair:?}");
            assert_eq!(analysis.winner, None);
            let totals = pair.totals.expect("total times");
            assert!(totals.withhold && totals.ratio > 2.5, "{totals:?}");
            assert!((totals.slowest / 25.0).ln().abs() < 0.7, "{totals:?}");
            assert!(
                (2..=40).contains(&(100 * totals.slow / totals.samples)),
                "{totals:?}"
            );
            assert!(pair.interval.high >= Some(totals.ratio), "{pair:?}");
            assert_eq!(reason, StopReason::Settled);
            assert!(analysis.replicas <= 60, "{}", analysis.replicas);
        }
    }
}

/// Most of what shows it may be seen while others use the core.
#[test]
fn a_tail_wins_nothing_where_verdicts_rest_on_quiet_cores() {
    for crowded_blocks in [0.0, 0.4, 0.6] {
        let world = World {
            crowded_blocks: Some(crowded_blocks),
            ..World::busy(&[-0.5, 0.0])
        };
        let settings = RaceSettings::new(2, 1);
        let (mut quiet, mut won) = (0, 0);
        for seed in 0..30 {
            let (analysis, _) = race(&world, &settings, seed, |replica| {
                rarely(replica, 16.0, |ns| 35 * ns);
            });
            quiet += u32::from(analysis.settings.basis == Basis::Quiet);
            won += u32::from(analysis.winner == Some(0));
        }
        assert!(quiet >= 25, "{crowded_blocks}: {quiet}");
        assert_eq!(won, 0, "{crowded_blocks}");
    }
}

#[test]
fn a_call_in_seven_hundred_that_takes_a_second_wins_nothing() {
    // Samples of 20 calls.
    let world = World::busy(&[-0.14, 0.0]);
    let settings = RaceSettings::new(2, 1);
    let mut seen = 0;
    for seed in 0..20 {
        let hit = std::cell::Cell::new(0);
        let (analysis, _) = race(&world, &settings, seed, |replica| {
            rarely(replica, 700.0 / 20.0, |ns| {
                hit.set(hit.get() + 1);
                ns + 1_000_000_000
            });
        });
        if hit.get() > 0 {
            seen += 1;
            assert_eq!(analysis.overall[0].verdict, Verdict::NoCall, "{seed}");
        }
    }
    assert_eq!(seen, 20);
}

#[test]
fn a_single_interruption_of_the_machine_withholds_nothing() {
    let world = World::busy(&[-0.08, 0.0]);
    let settings = RaceSettings::new(2, 1);
    for seed in 0..20 {
        let (analysis, _) = race(&world, &settings, seed, |replica| {
            if replica.index == 1 {
                // In a sample of a millisecond.
                replica
                    .samples
                    .iter_mut()
                    .filter(|s| s.variant == 0)
                    .take(1)
                    .for_each(|sample| {
                        sample.cpu_ns += 90_000_000;
                    });
            }
        });
        assert_eq!(analysis.winner, Some(0), "{seed}: {:?}", analysis.overall);
        assert_eq!(analysis.overall[0].totals, None);
    }
}

#[test]
fn ordinary_noise_withholds_hardly_anything() {
    // Of 200 races, how many end without a verdict because of total times. One sample in twenty of these
    // has a Pareto tail, and one process in 200 is 1.7 × slower for life.
    let withheld = |effect: f64| {
        let settings = RaceSettings::new(2, 1);
        let world = World::busy(&[effect, 0.0]);
        let sessions = (0..200).map(|seed| session(&world, &settings, seed, Order::Drawn).0);
        let held = sessions.filter(|analysis| {
            let pair = &analysis.overall[0];
            assert!(effect == 0.0 || claims(analysis) == 1, "{pair:?}");
            pair.is_withheld_by_totals()
        });
        held.count()
    };
    assert_eq!(withheld(0.3_f64.ln_1p()), 0);
    assert_eq!(withheld(0.02_f64.ln_1p()), 0);
    assert!(withheld(0.0) <= 4);
}

#[test]
fn nothing_is_implied_that_total_times_contradict() {
    // The first beats the second and the second the third, by a little; a tail of the first is against
    // the third alone, because the second has it too.
    let world = World::busy(&[-0.08, -0.04, 0.0]);
    let settings = RaceSettings::new(3, 1);
    for seed in 0..5 {
        let (analysis, _) = race(&world, &settings, seed, |replica| {
            for sample in &mut replica.samples {
                if (sample.block + replica.index).is_multiple_of(9) && sample.variant < 2 {
                    sample.cpu_ns *= 25;
                }
            }
        });
        let against_the_third = analysis.overall.iter().filter(|pair| pair.b == 2);
        for pair in against_the_third {
            assert_eq!(pair.verdict, Verdict::NoCall, "{seed}: {pair:?}");
        }
        assert_eq!(analysis.winner, None);
    }
}
