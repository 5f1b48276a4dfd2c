//! Neighbours that come and go: verdicts rest on what was measured on quiet cores.

use super::synthetic::{Order, World, session};
use super::{claims, false_max};
use bakeoff_domain::race::{Basis, RaceSettings};
use bakeoff_domain::verdict::Verdict;

/// Variant 0 is faster on a quiet core, and slower on a crowded one.
fn turning(crowded_blocks: f64) -> World {
    World {
        crowded_blocks: Some(crowded_blocks),
        crowded_effect: 0.4,
        ..World::busy(&[-0.08, 0.0])
    }
}

#[test]
fn a_verdict_is_one_about_quiet_cores_where_a_third_of_the_replicas_had_one() {
    for crowded_blocks in [0.0, 0.2, 0.5] {
        let (mut given, mut stated) = (0, 0);
        for seed in 0..30 {
            let settings = RaceSettings::new(2, 1);
            let (analysis, _) = session(&turning(crowded_blocks), &settings, seed, Order::Drawn);
            let pair = &analysis.overall[0];
            assert_eq!(
                analysis.settings.basis,
                Basis::Quiet,
                "{crowded_blocks} {seed}"
            );
            assert_ne!(pair.verdict, Verdict::Beaten, "{crowded_blocks} {seed}");
            given += u32::from(pair.verdict == Verdict::Beats);
            if let Some(inversion) = pair.sign_inversion.filter(|of| !of.withholds) {
                assert!(inversion.crowded > 1.0, "{inversion:?}");
                stated += 1;
            }
        }
        assert!(given >= 28, "{crowded_blocks}: {given}");
        // One with no neighbours has nothing to state.
        assert!(crowded_blocks > 0.0 || stated == 0, "{stated}");
    }
}

#[test]
fn where_hardly_a_core_was_quiet_verdicts_are_about_crowded_ones() {
    let settings = RaceSettings::new(2, 1);
    for seed in 0..30 {
        let (analysis, _) = session(&turning(0.97), &settings, seed, Order::Drawn);
        let pair = &analysis.overall[0];
        if analysis.settings.basis == Basis::All {
            assert_ne!(pair.verdict, Verdict::Beats, "{seed}");
            assert_eq!(analysis.replicas, analysis.launched);
        }
        let quiet = analysis.quiet_replicas().expect("the probe was read");
        assert_eq!(quiet.of, analysis.launched);
    }
}

#[test]
fn identical_variants_have_no_winner_whatever_the_neighbours_do() {
    let settings = RaceSettings::new(2, 1);
    for crowded_blocks in [0.3, 0.7] {
        let world = World {
            crowded_blocks: Some(crowded_blocks),
            ..World::busy(&[0.0, 0.0])
        };
        let runs = 60;
        let wrong = (0..runs).filter(|seed| {
            let (analysis, _) = session(&world, &settings, 700 + seed, Order::Drawn);
            claims(&analysis) > 0
        });
        let wrong = wrong.count() as f64;
        assert!(wrong <= false_max(runs as f64), "{crowded_blocks}: {wrong}");
    }
}
