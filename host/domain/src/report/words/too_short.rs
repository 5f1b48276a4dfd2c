//! Cases that are left out because calls on them are shorter than can be timed.

use super::numbers::reading;
use super::view::{self, listed, name, time_criterion};
use crate::report::{CaseLabel, Report, TooShortCase};
use crate::spec::RecommendationStyle;
use std::cmp::Ordering;

/// The largest number of cases that are named.
const CASES_MAX: usize = 5;

/// Shortest time of a call that is shown as such, in nanoseconds: below it nothing is known but that it is shorter.
const SHOWN_NS_MIN: f64 = 100.0;

/// Advice that makes calls long enough.
const ADVICE: &str = "choose larger inputs, or do more work in one call";

/// The reason why nothing could be timed, with what to do, if calls are too short on every case:
/// `every call is too short to be timed. One of heap takes 3.1 µs at size 1000, and the shortest that
/// can be timed takes 11.0 µs: choose larger inputs, …`.
pub(super) fn everywhere(report: &Report) -> Option<String> {
    if report.too_short.len() < report.experiment.cases.len() {
        return None;
    }
    let by_time = |a: &&TooShortCase, b: &&TooShortCase| a.call_ns.total_cmp(&b.call_ns);
    let longest = report.too_short.iter().max_by(by_time)?;
    let took = match longest.call_ns.partial_cmp(&SHOWN_NS_MIN) {
        Some(Ordering::Greater) => reading(longest.call_ns, "ns"),
        _ => format!("less than {}", reading(SHOWN_NS_MIN, "ns")),
    };
    let at = match &longest.case {
        CaseLabel::Size(_) | CaseLabel::Texts(_) => {
            format!("at size {}", view::case(&longest.case))
        }
        CaseLabel::Call(_) => format!("for {}", view::case(&longest.case)),
        CaseLabel::Instance { .. } => format!("on {}", view::case(&longest.case)),
    };
    Some(format!(
        "every call is too short to be timed. One of {} takes {took} {at}, and the shortest that can be \
         timed takes {}: {ADVICE}",
        name(report, &longest.variant),
        shortest(longest)
    ))
}

/// A sentence about the cases that are left out, if calls are too short on some and not on all:
/// `Sizes 10 and 100 are left out: calls there are shorter than can be timed (11 µs).`
pub(super) fn somewhere(report: &Report) -> Option<String> {
    let first = report.too_short.first()?;
    if report.too_short.len() >= report.experiment.cases.len() {
        return None;
    }
    let cases = report.too_short.iter().map(|short| view::case(&short.case));
    let cases = listed(cases.collect(), CASES_MAX);
    let (what, are) = match (&first.case, report.too_short.len()) {
        (CaseLabel::Size(_) | CaseLabel::Texts(_), 1) => ("Size", "is"),
        (CaseLabel::Size(_) | CaseLabel::Texts(_), _) => ("Sizes", "are"),
        (CaseLabel::Call(_), 1) => ("The call", "is"),
        (CaseLabel::Call(_), _) => ("The calls", "are"),
        (CaseLabel::Instance { .. }, 1) => ("The instance", "is"),
        (CaseLabel::Instance { .. }, _) => ("The instances", "are"),
    };
    Some(format!(
        "{what} {cases} {are} left out of all times: a call takes less than the {} that it takes to be \
         timed.",
        shortest(first)
    ))
}

/// Returns true if the headline says which cases are left out of the times: there is one, and a
/// criterion that counts is about times.
pub(super) fn is_in_headline(report: &Report) -> bool {
    report.options.recommendation != RecommendationStyle::None && time_criterion(report).is_some()
}

/// The reason why nothing could be timed, as a sentence of its own.
pub(super) fn nowhere_timed(report: &Report) -> Option<String> {
    Some(format!("There are no times: {}.", everywhere(report)?))
}

fn shortest(short: &TooShortCase) -> String {
    reading(short.call_ns_min, "ns")
}

#[cfg(test)]
mod tests {
    use super::super::{fixture, narrative};
    use super::*;
    use crate::report::words::headline;
    use crate::report::{VariantStatus, rescore};
    use serde_json::json;
    use std::collections::BTreeMap;

    /// A report where calls of `new` are too short at these sizes, and what follows from it.
    fn report(sizes: &[u32]) -> Report {
        let short = |size: &u32| {
            let call_ns = f64::from(*size) * 4.0;
            json!({ "case": size, "variant": "new", "call_ns": call_ns, "call_ns_min": 10_600.0 })
        };
        let too_short: Vec<_> = sizes.iter().map(short).collect();
        let mut report = fixture::report(json!({ "too_short": too_short }));
        report.verdicts = [("best", "new"), ("best", "old"), ("new", "old")]
            .map(|(a, b)| fixture::row(a, b, &json!({})))
            .to_vec();
        if sizes.len() < report.experiment.cases.len() {
            for row in &mut report.verdicts {
                (row.ratio, row.low, row.high) = (Some(0.5), Some(0.4), Some(0.6));
                row.verdict = crate::verdict::Verdict::Beats;
            }
        }
        rescore(&report, &BTreeMap::new()).unwrap()
    }

    #[test]
    fn calls_too_short_everywhere_are_the_reason_in_the_headline_and_no_budget_is_advised() {
        let report = report(&[10, 100, 1000]);
        assert_eq!(
            report.recommendation.text,
            "Nothing can be recommended: every call is too short to be timed. One of new takes 4 µs at \
             size 1000, and the shortest that can be timed takes 10.6 µs: choose larger inputs, or do \
             more work in one call."
        );
        for variant in &report.variants {
            assert_eq!(variant.status, VariantStatus::Unranked);
            let reason = variant.reason.as_deref().unwrap();
            assert_eq!(
                reason,
                "no score for speed: calls are too short to be timed"
            );
        }
        let mut nothing_known = report;
        nothing_known.too_short[2].call_ns = -3.0;
        assert!(headline(&nothing_known).contains("takes 400 ns at size 100,"));
        nothing_known
            .too_short
            .iter_mut()
            .for_each(|short| short.call_ns = 0.0);
        assert!(headline(&nothing_known).contains("takes less than 100 ns at"));
    }

    #[test]
    fn sizes_that_are_left_out_are_named_once() {
        let some = report(&[10, 100]);
        assert_eq!(
            some.recommendation.text,
            "Take best: it is 2.00 × faster than new (1.67–2.50). Sizes 10 and 100 are left out of all \
             times: a call takes less than the 10.6 µs that it takes to be timed."
        );
        assert_eq!(
            report(&[]).recommendation.text.matches("left out").count(),
            0
        );
        let said = |report: &Report| {
            let sections = narrative(report).into_iter();
            let sentences: Vec<String> = sections.flat_map(|section| section.sentences).collect();
            let all = format!("{} {}", headline(report), sentences.join(" "));
            all.matches("left out").count() + all.matches("There are no times").count()
        };
        assert_eq!(said(&some), 1);
        // Without a headline, or one that is about times, it stands by the sizes.
        for mut report in [report(&[10]), report(&[10, 100, 1000])] {
            report.options.recommendation = RecommendationStyle::None;
            assert_eq!(said(&report), 1);
        }
    }
}
