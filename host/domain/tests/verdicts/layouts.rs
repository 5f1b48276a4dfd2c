//! Races of components whose code lies in fewer places than that of others.

use super::synthetic::{Order, World, session};
use bakeoff_domain::race::{Analysis, RaceSettings, StopReason};
use bakeoff_domain::verdict::Verdict;

/// A race of two that are so far apart in logarithms, with code in so many places.
fn race(apart: f64, layouts: &[u32]) -> (Analysis, StopReason) {
    let settings = RaceSettings {
        layouts: layouts.to_vec(),
        ..RaceSettings::new(2, 1)
    };
    session(&World::busy(&[0.0, apart]), &settings, 5, Order::Drawn)
}

#[test]
fn what_may_come_from_where_code_lies_is_not_sure() {
    let known = race(0.03, &[8, 8]).0.overall[0].clone();
    assert_eq!(known.verdict, Verdict::Beats);
    assert_eq!(
        race(0.03, &[]).0.overall[0],
        known,
        "of older results nothing is known"
    );
    for layouts in [[8, 4], [8, 1], [1, 8], [2, 2]] {
        let (analysis, stop) = race(0.03, &layouts);
        let pair = &analysis.overall[0];
        assert_eq!(pair.verdict, Verdict::NoCall, "{layouts:?}");
        assert_eq!(analysis.winner, None);
        // More replicas would not tell, and so the race ends.
        assert!(!pair.is_open(), "{pair:?}");
        assert_eq!(stop, StopReason::Settled, "{layouts:?}");
        assert!(analysis.replicas < 60, "{}", analysis.replicas);
    }
}

#[test]
fn identical_code_in_few_places_is_no_tie() {
    assert_eq!(race(0.0, &[8, 8]).0.overall[0].verdict, Verdict::Tie);
    let (analysis, stop) = race(0.0, &[8, 2]);
    assert_eq!(analysis.overall[0].verdict, Verdict::NoCall);
    assert_eq!(stop, StopReason::Settled);
}

#[test]
fn what_is_beyond_that_is_sure_with_a_wider_interval() {
    let pair = race(0.15, &[8, 1]).0.overall[0].clone();
    assert_eq!(pair.verdict, Verdict::Beats);
    let high = pair.interval.high.unwrap();
    assert!((0.86..1.0).contains(&high), "{high}");
    let replicas = race(0.15, &[8, 8]).0.overall[0].replicas;
    assert!(pair.replicas >= replicas, "{} {replicas}", pair.replicas);
}
