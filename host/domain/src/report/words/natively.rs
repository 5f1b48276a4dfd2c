//! Sentences on sources that were also built for this machine.

use super::numbers::budget;
use super::speed::{pair, pair_brief};
use super::view::{about_first, listed, name, ordered_row, ranked};
use crate::failure::Failure;
use crate::report::{Natively, Report, VerdictRow};
use crate::verdict::Verdict;

/// The largest number of pairs that a sentence names.
const PAIRS_MAX: usize = 4;

/// The sentence on what programs of this machine can do to their times, and components cannot.
pub const NATIVELY_NOTE: &str = "Natively a source may keep what it likes from call to call, and read the clock, as no \
                                 component can: native times hold for sources that do not cheat.";

/// Sentences on the same sources as programs of this machine: what is otherwise there, a sentence for each pair of
/// ranked variants, the variants without a time there, and what the times hang on. None if they were not built so.
pub fn natively(report: &Report) -> Vec<String> {
    let Some(natively) = &report.natively else {
        return Vec::new();
    };
    let pairs = pairs(report, natively)
        .into_iter()
        .map(|(components, programs)| {
            format!(
                "{} against {}: natively {}; as components {}.",
                name(report, &programs.a),
                name(report, &programs.b),
                native_pair(report, &programs),
                pair_brief(&components),
            )
        });
    let failed = natively.failures.iter();
    let failed = failed.map(|(id, failure)| without_result(report, id, failure));
    let otherwise = natively_otherwise(report);
    let same = otherwise.is_empty().then(|| order(natively)).flatten();
    otherwise
        .into_iter()
        .chain(same)
        .chain(pairs)
        .chain(failed)
        .chain((!natively.times.is_empty()).then(|| NATIVELY_NOTE.to_owned()))
        .collect()
}

/// The verdict of programs about the first one of a row: `1.83 × faster, 1.79–1.88, sure`, or `no call`.
pub fn native_pair(report: &Report, row: &VerdictRow) -> String {
    pair(report, row).unwrap_or_else(|| pair_brief(row))
}

/// Sentences on what is otherwise where the sources are built for this machine: pairs of which another one is surely ahead,
/// pairs that only have a winner there, pairs that have none there, and recommended variants that have no result there; or
/// the sentence that nothing was timed.
pub fn natively_otherwise(report: &Report) -> Vec<String> {
    let Some(natively) = &report.natively else {
        return Vec::new();
    };
    let is_empty = natively.times.is_empty() && natively.failures.is_empty();
    if is_empty && natively.verdicts.is_empty() {
        return order(natively).into_iter().collect();
    }
    let (mut opposite, mut only_there, mut open_there) = (Vec::new(), Vec::new(), Vec::new());
    for (components, programs) in pairs(report, natively) {
        if Natively::contradicts(&components, &programs) {
            opposite.push(ahead(report, &programs));
        } else if Natively::settles(&programs) && !Natively::settles(&components) {
            only_there.push(ahead(report, &programs));
        } else if Natively::settles(&components) && programs.verdict == Verdict::NoCall {
            open_there.push(format!(
                "{} and {}",
                name(report, &programs.a),
                name(report, &programs.b)
            ));
        }
    }
    let sentence = |beginning: &str, pairs: Vec<String>| {
        (!pairs.is_empty()).then(|| format!("{beginning}{}.", listed(pairs, PAIRS_MAX)))
    };
    let recommended = &report.recommendation;
    let recommended = recommended.winner.iter().chain(&recommended.tied);
    let failed =
        recommended.filter_map(|id| Some(without_result(report, id, natively.failures.get(id)?)));
    [
        sentence(
            "Built for this machine the order is another one: ",
            opposite,
        ),
        sentence("Built for this machine, ", only_there),
        sentence(
            "Built for this machine, it is not known which is ahead: ",
            open_there,
        ),
    ]
    .into_iter()
    .flatten()
    .chain(failed)
    .collect()
}

/// Returns the verdicts about each pair of ranked variants, as components and as programs, about the same one of the two.
fn pairs(report: &Report, natively: &Natively) -> Vec<(VerdictRow, VerdictRow)> {
    let variants = ranked(report);
    let mut pairs = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            let components = ordered_row(report, &a.id, &b.id, None);
            pairs.extend(components.zip(natively.verdict(&a.id, &b.id)));
        }
    }
    pairs
}

/// `heap has no result natively: it panicked`.
fn without_result(report: &Report, id: &str, failure: &Failure) -> String {
    let first = failure.message.lines().next().unwrap_or_default();
    format!("{} has no result natively: {first}", name(report, id))
}

/// `heap is ahead of sort, 1.2 × faster`.
fn ahead(report: &Report, row: &VerdictRow) -> String {
    let row = match row.verdict {
        Verdict::Beaten => about_first(row, &row.b),
        _ => row.clone(),
    };
    format!(
        "{} is ahead of {}, {}",
        name(report, &row.a),
        name(report, &row.b),
        pair_brief(&row)
    )
}

/// Returns the sentence on programs of which nothing is otherwise than of the components.
fn order(natively: &Natively) -> Option<String> {
    let mut overall = natively.verdicts.iter().filter(|row| row.case.is_none());
    if natively.times.is_empty() && natively.failures.is_empty() && !natively.too_short.is_empty() {
        return Some(
            "Natively nothing was timed: calls of less than a microsecond are too short for it. Give a larger --size."
                .to_owned(),
        );
    }
    if natively.times.is_empty() && natively.failures.is_empty() {
        return Some(format!(
            "Natively nothing was timed within the budget of {}: raise --budget, or give a smaller --size.",
            budget(natively.protocol.budget_seconds)
        ));
    }
    let is_any = overall.any(Natively::settles);
    is_any.then(|| "Built for this machine the order is the same.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::report::{rescore, with_natively};
    use serde_json::json;

    /// A report whose `best` is this much faster or slower than `new`.
    fn compared(verdict: &str, ratio: f64) -> Report {
        let row = fixture::row(
            "best",
            "new",
            &json!({ "verdict": verdict, "ratio": ratio, "replicas": 20 }),
        );
        fixture::report(json!({ "verdicts": [row] }))
    }

    #[test]
    fn an_opposite_order_is_the_first_thing_that_is_said() {
        let mut report = compared("beats", 0.5);
        let opposite = compared("beaten", 1.25);
        let programs = Natively::of(&report, opposite);
        assert_eq!(programs.opposite, [("best".to_owned(), "new".to_owned())]);
        report.natively = Some(programs);
        assert_eq!(
            natively(&report),
            [
                "Built for this machine the order is another one: new is ahead of best, 1.2 × faster.",
                "best against new: natively 1.2 × slower, sure; as components 2.0 × faster.",
            ]
        );
    }

    #[test]
    fn calls_that_are_too_short_are_the_reason_where_nothing_was_timed() {
        let mut report = compared("beats", 0.5);
        let mut programs = Natively::default();
        programs.too_short.push(crate::report::TooShortCase {
            case: crate::report::CaseLabel::Size(10),
            variant: "best".to_owned(),
            call_ns: 4.0,
            call_ns_min: 1_000.0,
        });
        report.natively = Some(programs);
        let said = natively(&report).join(" ");
        assert!(
            said.contains("calls of less than a microsecond") && !said.contains("budget"),
            "{said}"
        );
    }

    #[test]
    fn the_answer_says_it_last_also_with_other_weights_and_no_more_without_the_programs() {
        let components = compared("beats", 0.5);
        let programs = Natively::of(&components, compared("beaten", 1.25));
        let report = with_natively(components, Some(programs));
        let sentence =
            " Built for this machine the order is another one: new is ahead of best, 1.2 × faster.";
        let said = |report: &Report| report.recommendation.text.ends_with(sentence);
        assert!(said(&report), "{}", report.recommendation.text);
        let weights = report.criteria.iter().map(|one| (one.name.clone(), 2.0));
        let rescored = rescore(&report, &weights.collect()).unwrap();
        assert!(said(&rescored), "{}", rescored.recommendation.text);
        assert!(!said(&with_natively(report, None)));
    }

    #[test]
    fn the_same_order_and_a_tie_are_no_contradiction_and_no_call_is_said() {
        for (verdict, ratio, otherwise) in [("beats", 0.8, 0), ("tie", 1.0, 0), ("no-call", 1.1, 1)]
        {
            let mut report = compared("beats", 0.5);
            let programs = compared(verdict, ratio);
            report.natively = Some(Natively::of(&report, programs));
            let said = natively_otherwise(&report);
            assert_eq!(said.len(), otherwise, "{verdict}");
            assert_eq!(natively(&report).len(), 2, "{verdict}");
            let open = "Built for this machine, it is not known which is ahead: best and new.";
            assert!(said.iter().all(|sentence| sentence == open), "{said:?}");
        }
    }

    #[test]
    fn a_winner_there_alone_and_a_recommended_one_that_fails_there_are_said() {
        let mut report = compared("no-call", 0.9);
        let mut programs = Natively::of(&report, compared("beaten", 1.25));
        programs.failures.insert(
            "best".to_owned(),
            Failure {
                class: crate::failure::FailureClass::Exited,
                message: "it panicked\nat the second line".to_owned(),
                phase: crate::failure::Phase::Measure,
                limit: None,
            },
        );
        report.natively = Some(programs);
        report.recommendation.winner = Some("best".to_owned());
        assert_eq!(
            natively_otherwise(&report),
            [
                "Built for this machine, new is ahead of best, 1.2 × faster.",
                "best has no result natively: it panicked",
            ]
        );
        // So is one of those that share the first place.
        report.recommendation.winner = None;
        report.recommendation.tied = vec!["new".to_owned(), "best".to_owned()];
        let said = natively_otherwise(&report);
        assert_eq!(
            said.last().unwrap(),
            "best has no result natively: it panicked"
        );
    }

    #[test]
    fn times_hang_on_sources_that_do_not_cheat() {
        let mut report = compared("beats", 0.5);
        let mut programs = Natively::of(&report, compared("beats", 0.8));
        let time = json!({ "value": 5.0, "low": 4.0, "high": 6.0, "unit": "ns" });
        let time = serde_json::from_value(time).unwrap();
        programs.times.insert("best".to_owned(), time);
        report.natively = Some(programs);
        assert_eq!(natively(&report).last().unwrap(), NATIVELY_NOTE);
    }

    #[test]
    fn nothing_is_said_where_nothing_was_built() {
        assert!(natively(&compared("beats", 0.5)).is_empty());
    }
}
