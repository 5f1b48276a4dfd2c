//! Sentences about kinds of texts, where times by kind were measured.

use super::view::{self, joined, name, ranked};
use super::{numbers, speed};
use crate::report::{CaseLabel, Report, VerdictRow};
use crate::texts::SizedTexts;
use crate::verdict::Verdict;

/// The most pairs whose times by kind of texts are told in the answer.
const PAIRS_MAX: usize = 3;

/// Exception to taking the recommended variant, as the end of a sentence: `, but not on letters of several scripts`.
/// `None` if it surely loses on no kind of texts by more than the practical threshold.
pub(super) fn beaten_on(report: &Report, winner: &str) -> Option<String> {
    let mut kinds = Vec::new();
    for other in ranked(report) {
        for (texts, row) in by_texts(report, &other.id, winner) {
            let kind = texts.texts.words().to_owned();
            if row.verdict == Verdict::Beats && !row.below_threshold && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    (!kinds.is_empty()).then(|| format!(", but not on {}", joined(&kinds)))
}

/// A sentence about the times by kind of texts of each of a few pairs, those of variants that are recommended first:
/// `By the texts (size 1024): on words of ASCII letters a is 2.4 × faster than b (2.3–2.5), and on letters of several
/// scripts b is 1.9 × faster than a (1.8–2.0).`
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    let mut pairs = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            let rows = by_texts(report, &a.id, &b.id);
            let has = |verdict| rows.iter().any(|(_, row)| row.verdict == verdict);
            let (won, lost) = (has(Verdict::Beats), has(Verdict::Beaten));
            let mut ids = [&a.id, &b.id].into_iter();
            let is_behind = ids.all(|id| Some(&**id) != report.recommendation.ahead());
            if won || lost {
                pairs.push(((is_behind, won != lost), rows));
            }
        }
    }
    pairs.sort_by_key(|(order, _)| *order);
    let first = pairs.iter().take(PAIRS_MAX);
    first.map(|(_, rows)| sentence(report, rows)).collect()
}

/// The sentence about the verdicts of a pair by kind of texts.
fn sentence(report: &Report, rows: &[(SizedTexts, VerdictRow)]) -> String {
    let part = |(texts, row): &(SizedTexts, VerdictRow)| {
        let row = match row.verdict {
            Verdict::Beaten => view::about_first(row, &row.b),
            _ => row.clone(),
        };
        let (a, b) = (name(report, &row.a), name(report, &row.b));
        let what = match row.verdict {
            Verdict::Tie => format!("it is {}", speed::tie(&report.protocol)),
            Verdict::NoCall => format!("there is no call between {a} and {b}"),
            Verdict::Beats | Verdict::Beaten => {
                format!("{a} {}", speed::faster(report, &row, &b))
            }
        };
        format!("on {} {what}", texts.texts.words())
    };
    let parts: Vec<String> = rows.iter().map(part).collect();
    let mut sizes: Vec<u32> = rows.iter().map(|(texts, _)| texts.size).collect();
    sizes.dedup();
    let sizes = sizes.iter().map(|size| numbers::count(u64::from(*size)));
    let sizes: Vec<String> = sizes.collect();
    format!(
        "By the texts (size {}): {}.",
        joined(&sizes),
        parts.join(", and ")
    )
}

/// The verdicts about `a` against `b` by kind of texts, in the order of the cases.
fn by_texts(report: &Report, a: &str, b: &str) -> Vec<(SizedTexts, VerdictRow)> {
    let rows = view::rows_by_case(report, a, b);
    let cases = report.experiment.cases.iter();
    let found = cases.filter_map(|case| {
        let CaseLabel::Texts(texts) = case else {
            return None;
        };
        let row = rows.iter().find(|row| row.case.as_ref() == Some(case))?;
        Some((*texts, row.clone()))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::report::words::headline;
    use crate::texts::TextKind;
    use serde_json::json;

    fn report(words: (&str, f64), scripts: (&str, f64)) -> Report {
        let mut report = fixture::report(json!({
            "recommendation": { "winner": "best", "outcome": "winner" },
        }));
        let row = |texts: &str, (verdict, ratio): (&str, f64)| {
            let case = json!({ "size": 1024, "texts": texts });
            let of = json!({ "case": case, "verdict": verdict, "ratio": ratio });
            fixture::row("best", "new", &of)
        };
        report.verdicts = vec![
            fixture::row("best", "new", &json!({ "verdict": "beats", "ratio": 0.8 })),
            fixture::row("best", "old", &json!({ "verdict": "beats", "ratio": 0.5 })),
            row("words", words),
            row("scripts", scripts),
        ];
        let kinds = [TextKind::Words, TextKind::Scripts];
        let cases = kinds.map(|kind| CaseLabel::texts(1024, kind));
        report.experiment.cases.extend(cases);
        report
    }

    #[test]
    fn who_is_faster_on_which_texts_is_in_the_answer() {
        let report = report(("beats", 0.5), ("beaten", 2.5));
        let said = headline(&report);
        for part in [
            "Take best, but not on letters of several scripts: ",
            "By the texts (size 1024): on words of ASCII letters best is 2.0 × faster than new, and on letters of \
             several scripts new is 2.5 × faster than best.",
        ] {
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn what_is_not_sure_of_a_kind_of_texts_is_not_claimed() {
        let one = report(("beats", 0.5), ("no-call", 2.5));
        assert_eq!(beaten_on(&one, "best"), None);
        assert_eq!(
            sentences(&one),
            [
                "By the texts (size 1024): on words of ASCII letters best is 2.0 × faster than new, and on letters of \
                 several scripts there is no call between best and new."
            ]
        );
        assert!(sentences(&report(("no-call", 0.5), ("no-call", 2.5))).is_empty());
        assert!(sentences(&fixture::report(json!({}))).is_empty());
    }
}
