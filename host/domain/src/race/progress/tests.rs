//! Races whose verdicts so far are given.

use super::super::{RaceSettings, TimeSummary};
use super::*;
use crate::verdict::RatioInterval;
use Verdict::{Beaten, Beats, NoCall, Tie};

/// A verdict with the ratio of the times of both, and how far its interval reaches up and down.
fn pair(a: usize, b: usize, verdict: Verdict, ratio: f64, factor: f64) -> PairVerdict {
    PairVerdict {
        verdict,
        interval: RatioInterval {
            ratio: Some(ratio),
            low: Some(ratio / factor),
            high: Some(ratio * factor),
        },
        replicas: 10,
        ..PairVerdict::identical(a, b, None)
    }
}

/// A race after ten replicas, in which each variant takes a millisecond longer than the one before it.
fn analysis(variants: usize, overall: Vec<PairVerdict>) -> Analysis {
    let is_beaten = |variant: usize| {
        let mut pairs = overall.iter();
        pairs.any(|pair| match pair.verdict {
            Beats => pair.b == variant,
            Beaten => pair.a == variant,
            _ => false,
        })
    };
    let unbeaten: Vec<usize> = (0..variants).filter(|one| !is_beaten(*one)).collect();
    let time = |variant| TimeSummary {
        variant,
        case: 0,
        mean_ns: 1e6 * (1 + variant) as f64,
        low_ns: None,
        high_ns: None,
        replicas: 10,
        calls: 100,
        inputs: 100,
    };
    Analysis {
        settings: RaceSettings::new(variants, 1),
        replicas: 10,
        by_case: Vec::new(),
        cold_start: Vec::new(),
        winner: (unbeaten.len() == 1).then(|| unbeaten[0]),
        unbeaten,
        times: (0..variants).map(time).collect(),
        overall,
    }
}

/// A budget of 100 seconds of which this many are used.
fn after(seconds: f64) -> RemainingBudget {
    RemainingBudget {
        seconds: 100.0 - seconds,
        whole_seconds: 100.0,
    }
}

fn run(live_variants: &[usize]) -> NextStep {
    NextStep::Run {
        live_variants: live_variants.to_vec(),
    }
}

/// The next step where replicas take a second.
fn next(analysis: &Analysis, used: f64) -> NextStep {
    analysis.next(after(used), |_| 1.0)
}

fn open(a: usize, b: usize) -> PairVerdict {
    pair(a, b, NoCall, 0.99, 1.3)
}

#[test]
fn who_is_beaten_leaves() {
    let beaten = pair(0, 2, Beats, 0.5, 1.2);
    let race = analysis(3, vec![open(0, 1), beaten.clone(), open(1, 2)]);
    assert_eq!(next(&race, 10.0), run(&[0, 1]));
    let won = analysis(
        3,
        vec![pair(0, 1, Beats, 0.5, 1.2), beaten.clone(), open(1, 2)],
    );
    assert_eq!(next(&won, 10.0), NextStep::Stop(StopReason::Winner));
    let tied = analysis(3, vec![pair(0, 1, Tie, 1.0, 1.01), beaten, open(1, 2)]);
    assert_eq!(next(&tied, 10.0), NextStep::Stop(StopReason::Tied));
}

/// 0 beats 1 over two sizes, on the second of which 1 leads by this ratio.
fn leading(ratio: f64, factor: f64) -> Analysis {
    let mut race = analysis(2, vec![pair(0, 1, Beats, 0.5, 1.2)]);
    race.settings.case_weights = vec![1.0, 1.0];
    let on_case = |case, verdict, ratio| PairVerdict {
        case: Some(case),
        ..pair(0, 1, verdict, ratio, factor)
    };
    race.by_case = vec![on_case(0, Beats, 0.2), on_case(1, NoCall, ratio)];
    let second = race.times.clone().into_iter().map(|mut time| {
        time.case = 1;
        time
    });
    race.times.extend(second);
    race
}

#[test]
fn who_leads_clearly_at_a_size_stays_until_half_of_the_budget_is_used() {
    let won = NextStep::Stop(StopReason::Winner);
    // Nobody knows when a verdict about 20 % would come: the interval is far too wide.
    assert_eq!(next(&leading(1.2, 2.0), 49.0), run(&[0, 1]));
    assert_eq!(next(&leading(1.2, 2.0), 51.0), won);
    // 3 % are no clear lead.
    assert_eq!(next(&leading(1.03, 2.0), 10.0), won);
    // Where a verdict is near, it is waited for.
    assert_eq!(next(&leading(1.03, 1.031), 90.0), run(&[0, 1]));
    // Behind, or known to lead: nothing is open.
    assert_eq!(next(&leading(0.8, 2.0), 10.0), won);
    let mut known = leading(1.2, 1.1);
    known.by_case[1].verdict = Beaten;
    assert_eq!(next(&known, 10.0), won);
}

/// A race of four of which the last two are set aside.
fn with_two_aside(first: PairVerdict) -> Analysis {
    let unmet = |a, b| PairVerdict {
        verdict: NoCall,
        interval: RatioInterval::default(),
        ..PairVerdict::identical(a, b, None)
    };
    let pairs = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(a, b)| unmet(a, b));
    let mut race = analysis(4, [vec![first], pairs.to_vec()].concat());
    race.settings.aside = vec![2, 3];
    race
}

#[test]
fn who_is_set_aside_waits_until_the_others_are_settled() {
    assert_eq!(next(&with_two_aside(open(0, 1)), 10.0), run(&[0, 1]));
    let (tie, beats) = (pair(0, 1, Tie, 1.0, 1.01), pair(0, 1, Beats, 0.5, 1.2));
    for settled in [tie, beats] {
        assert_eq!(next(&with_two_aside(settled), 10.0), run(&[0, 2]));
    }
    // The leader is with it, whoever that is.
    let slower = pair(0, 1, Beaten, 2.0, 1.2);
    assert_eq!(next(&with_two_aside(slower), 10.0), run(&[1, 2]));
}

#[test]
fn who_is_set_aside_has_a_turn_after_three_quarters_of_the_budget() {
    let race = with_two_aside(open(0, 1));
    assert_eq!(next(&race, 74.0), run(&[0, 1]));
    assert_eq!(next(&race, 76.0), run(&[0, 2]));
}

#[test]
fn a_group_that_does_not_fit_leaves_its_time_to_another() {
    let race = with_two_aside(open(0, 1));
    let with = |seconds: fn(&[usize]) -> f64| race.next(after(90.0), seconds);
    assert_eq!(
        with(|group| if group == [0, 3] { 1.0 } else { 11.0 }),
        run(&[0, 3])
    );
    assert_eq!(
        with(|group| if group == [0, 1] { 9.9 } else { 11.0 }),
        run(&[0, 1])
    );
    assert_eq!(with(|_| 10.1), NextStep::Stop(StopReason::Budget));
    let plain = analysis(2, vec![open(0, 1)]);
    assert_eq!(
        plain.next(after(90.0), |_| 10.1),
        NextStep::Stop(StopReason::Budget)
    );
    assert_eq!(plain.next(after(90.0), |_| 9.9), run(&[0, 1]));
}

#[test]
fn those_that_are_set_aside_take_turns() {
    let mut race = with_two_aside(pair(0, 1, Beats, 0.5, 1.2));
    let met = |race: &mut Analysis, other, replicas, verdict| {
        let mut pairs = race.overall.iter_mut();
        let found = pairs.find(|pair| (pair.a, pair.b) == (0, other)).unwrap();
        (found.replicas, found.verdict) = (replicas, verdict);
    };
    met(&mut race, 2, 3, NoCall);
    assert_eq!(next(&race, 10.0), run(&[0, 3]));
    met(&mut race, 3, 4, NoCall);
    assert_eq!(next(&race, 10.0), run(&[0, 2]));
    // A pair that is settled needs no more of them.
    met(&mut race, 2, 3, Tie);
    assert_eq!(next(&race, 10.0), run(&[0, 3]));
}

#[test]
fn who_is_beaten_on_few_inputs_stays_for_a_while() {
    let mut race = analysis(
        3,
        vec![
            pair(0, 1, Beats, 0.5, 1.1),
            pair(0, 2, Beats, 0.2, 1.1),
            pair(1, 2, Beats, 0.4, 1.1),
        ],
    );
    let next = |race: &Analysis, seconds: f64| race.next(after(seconds), |_| 0.0);
    assert_eq!(next(&race, 1.0), NextStep::Stop(StopReason::Winner));
    let all = NextStep::Run {
        live_variants: vec![0, 1, 2],
    };
    for time in &mut race.times {
        time.inputs = 59;
    }
    assert_eq!(next(&race, 24.0), all);
    assert_eq!(next(&race, 26.0), NextStep::Stop(StopReason::Winner));
    // Somebody far slower does not hold the others up, nor does a set, whose instances are all there are.
    race.settings.aside = vec![2];
    assert_eq!(
        next(&race, 1.0),
        NextStep::Run {
            live_variants: vec![0, 1]
        }
    );
    race.settings.instances = true;
    assert_eq!(next(&race, 1.0), NextStep::Stop(StopReason::Winner));
}

#[test]
fn fewer_inputs_are_enough_for_who_is_far_ahead() {
    let mut race = analysis(2, vec![pair(0, 1, Beats, 1.0 / 50.0, 1.1)]);
    let next = |race: &Analysis| race.next(after(1.0), |_| 0.0);
    let both = run(&[0, 1]);
    // An input that takes 300 times as long turns 50 × round where it is more frequent than one in six.
    let met = |inputs: u64, race: &mut Analysis| {
        race.times.iter_mut().for_each(|time| time.inputs = inputs);
        next(race)
    };
    assert_eq!(met(17, &mut race), both);
    assert_eq!(met(19, &mut race), NextStep::Stop(StopReason::Winner));
    race.overall = vec![pair(0, 1, Beats, 1.0 / 10.0, 1.1)];
    assert_eq!(met(59, &mut race), both);
    race.overall[0].interval.ratio = None;
    assert_eq!(met(59, &mut race), both);
}

#[test]
fn who_has_no_time_for_more_inputs_leaves_and_holds_nobody_up() {
    let beats = [
        pair(0, 1, Beats, 0.5, 1.1),
        pair(0, 2, Beats, 0.1, 1.1),
        pair(1, 2, Beats, 0.2, 1.1),
    ];
    let mut race = analysis(3, beats.to_vec());
    race.times.iter_mut().for_each(|time| time.inputs = 8);
    // A replica with the slowest takes a fifth of the budget.
    let predict = |group: &[usize]| if group.contains(&2) { 20.0 } else { 1.0 };
    let next = |race: &Analysis, seconds: f64| race.next(after(seconds), predict);
    assert_eq!(next(&race, 1.0), run(&[0, 1, 2]));
    assert_eq!(next(&race, 6.0), run(&[0, 1]));
    // What the leader alone does is compared with nothing.
    let mut two = analysis(3, beats.to_vec());
    two.times[0].inputs = 8;
    two.times[2].inputs = 8;
    assert_eq!(next(&two, 6.0), NextStep::Stop(StopReason::Winner));
}

/// The next step for these variants after ten replicas, where replicas take a second.
fn next_of(analysis: &Analysis, wanted: &[usize], used: f64) -> NextStep {
    analysis.next_of(wanted, after(used), |_| 1.0)
}

#[test]
fn a_race_that_is_won_goes_on_with_those_that_are_wanted_as_long_as_there_is_room() {
    let won = analysis(
        3,
        vec![pair(0, 1, Beats, 0.5, 1.2), pair(0, 2, Beats, 0.1, 5.0)],
    );
    assert_eq!(next(&won, 10.0), NextStep::Stop(StopReason::Winner));
    assert_eq!(next_of(&won, &[0, 2], 10.0), run(&[0, 2]));
    assert_eq!(
        next_of(&won, &[0, 2], 99.5),
        NextStep::Stop(StopReason::Budget)
    );
    let mut full = won.clone();
    full.replicas = full.settings.replicas_max;
    assert_eq!(
        next_of(&full, &[0, 2], 10.0),
        NextStep::Stop(StopReason::ReplicaLimit)
    );
    // One that was set aside runs with the leader alone, after the others.
    let mut aside = won;
    aside.settings.aside = vec![2];
    assert_eq!(next_of(&aside, &[0, 2], 10.0), run(&[0, 2]));
    assert_eq!(next_of(&aside, &[0, 1, 2], 10.0), run(&[0, 1]));
    assert_eq!(next_of(&aside, &[1, 2], 10.0), run(&[1, 2]));
}
