//! Results of rounds, by comparisons that are made up.

use super::*;
use crate::completion::AgentVerification;
use bakeoff_domain::reading_verdict::Claim;
use bakeoff_domain::report::RankingOutcome;
use bakeoff_domain::series::{CaseValues, Quantity, SeriesEnd, SeriesVariant, SeriesVerdict};

fn completion(variant: &str, outcome: AgentWorkOutcome) -> Completion {
    let has_commit = matches!(
        outcome,
        AgentWorkOutcome::Passed | AgentWorkOutcome::VerificationFailed
    );
    Completion {
        commit: has_commit.then(|| format!("commit of {variant}")),
        base_verifications: vec![base_verification(true)],
        ..Completion::begun(variant, &"0".repeat(40), outcome)
    }
}

fn base_verification(passed: bool) -> AgentVerification {
    AgentVerification {
        command: "true".to_owned(),
        passed,
        seconds: 0.0,
        reason: String::new(),
    }
}

/// Returns a comparison of means with these verdicts of pairs, and no verdict of all others.
fn compared(means: &[(&str, f64)], beats: &[(&str, &str)], winner: Option<&str>) -> SeriesReport {
    let variant = |(name, mean): &(&str, f64)| SeriesVariant {
        name: (*name).to_owned(),
        command: None,
        failure: mean.is_nan().then(|| "it failed".to_owned()),
        values: vec![CaseValues {
            case: None,
            count: 10,
            mean: *mean,
            low: None,
            high: None,
        }],
        also: Vec::new(),
    };
    let verdict = |(a, b): &(&str, &str)| SeriesVerdict {
        a: (*a).to_owned(),
        b: (*b).to_owned(),
        case: None,
        verdict: Verdict::Beats,
        below_threshold: false,
        claim: Claim::Ratio,
        value: Some(0.5),
        low: Some(0.4),
        high: Some(0.6),
        typical: None,
        blocks: 10,
        settled_by: None,
    };
    SeriesReport {
        schema_version: 1,
        quantity: Quantity::time("wall time"),
        confidence: 0.95,
        practical: 0.02,
        blocks: 10,
        cases: Vec::new(),
        ended: SeriesEnd::Settled,
        variants: means.iter().map(variant).collect(),
        verdicts: beats.iter().map(verdict).collect(),
        outcome: RankingOutcome::NoCall,
        winner: winner.map(str::to_owned),
        unbeaten: Vec::new(),
        text: "What was measured.".to_owned(),
        warnings: Vec::new(),
        notes: Vec::new(),
        block_seconds: None,
        seed: None,
    }
}

/// Returns the best variant of the second of three rounds, whether it is sure, and whether another one follows.
fn result(
    completions: &[Completion],
    report: Option<&SeriesReport>,
) -> (Option<(String, bool)>, bool) {
    let ended = EndedRound {
        round: 2,
        count: 3,
        completions,
        measures: report.is_some(),
        report,
    };
    let result = ended.result();
    let last = EndedRound { round: 3, ..ended };
    assert!(!last.result().goes_on);
    let best = result.best.map(|best| (best.variant, best.is_sure));
    (best, result.goes_on)
}

fn passed(names: &[&str]) -> Vec<Completion> {
    let passed = names
        .iter()
        .map(|name| completion(name, AgentWorkOutcome::Passed));
    passed.collect()
}

fn sure(name: &str) -> Option<(String, bool)> {
    Some((name.to_owned(), true))
}

#[test]
fn without_a_measurement_only_one_that_passed_is_the_best_and_ends_the_rounds() {
    let mut one = passed(&["a"]);
    one.push(completion("b", AgentWorkOutcome::VerificationFailed));
    assert_eq!(result(&one, None), (sure("a"), false));
    assert_eq!(result(&passed(&["a", "b"]), None), (None, false));
}

#[test]
fn where_none_passed_another_round_begins_unless_no_agent_left_anything() {
    let failed = [
        completion("a", AgentWorkOutcome::VerificationFailed),
        completion("b", AgentWorkOutcome::AgentFailed),
    ];
    assert_eq!(result(&failed, None), (None, true));
    assert_eq!(result(&failed[1..], None), (None, false));
}

#[test]
fn one_that_is_surely_ahead_is_the_best_and_a_base_that_nobody_beats_ends_the_rounds() {
    let both = passed(&["a", "b"]);
    let means = [(THE_BASE, 3.0), ("a", 1.0), ("b", 2.0)];
    let beats = [("a", THE_BASE), ("a", "b"), ("b", THE_BASE)];
    let ahead = compared(&means, &beats, Some("a"));
    assert_eq!(result(&both, Some(&ahead)), (sure("a"), true));
    let slower = compared(&means, &[(THE_BASE, "a")], Some(THE_BASE));
    assert_eq!(result(&both, Some(&slower)), (None, false));
    // Ahead by less than what matters: it is the best, and nothing more is to be had.
    let mut slightly = ahead;
    slightly.verdicts[0].below_threshold = true;
    assert_eq!(result(&both, Some(&slightly)), (sure("a"), false));
}

#[test]
fn of_several_that_are_ahead_of_the_base_alone_the_quickest_is_a_guess() {
    let all = passed(&["a", "b", "c"]);
    let means = [(THE_BASE, 3.0), ("a", 1.1), ("b", 1.0), ("c", 0.5)];
    let beats = [("a", THE_BASE), (THE_BASE, "c"), ("b", THE_BASE)];
    let found = compared(&means, &beats, None);
    let guess = Some(("b".to_owned(), false));
    assert_eq!(result(&all, Some(&found)), (guess, true));
    let only = compared(&means, &beats[..2], None);
    assert_eq!(result(&all, Some(&only)), (sure("a"), true));
}

#[test]
fn a_base_that_fails_the_verification_or_cannot_be_measured_is_no_rival() {
    let mut wrong = passed(&["a"]);
    wrong[0].base_verifications = vec![base_verification(false)];
    let means = [(THE_BASE, 1.0), ("a", 2.0)];
    let slower = compared(&means, &[(THE_BASE, "a")], Some(THE_BASE));
    assert_eq!(result(&wrong, Some(&slower)), (sure("a"), true));
    let means = [(THE_BASE, f64::NAN), ("a", 2.0), ("b", 1.0)];
    let alone = compared(&means, &[("b", "a")], None);
    assert_eq!(
        result(&passed(&["a", "b"]), Some(&alone)),
        (sure("b"), true)
    );
    // Nobody who passed could be measured: nothing says what is best.
    let means = [(THE_BASE, 1.0), ("a", f64::NAN), ("b", f64::NAN)];
    let none = compared(&means, &[], None);
    assert_eq!(result(&passed(&["a", "b"]), Some(&none)), (None, false));
}
