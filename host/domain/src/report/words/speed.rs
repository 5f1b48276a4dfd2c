//! Verdicts by time in words.

use super::numbers::percent;
use crate::direction_words::{DirectionWords, is_small};
use crate::report::{Protocol, Report, VerdictRow};
use crate::verdict::{RatioInterval, Verdict};

/// The predicate of a sentence about the faster one:
/// `is 1.80 × faster than b (1.76–1.85)`, `takes 4 % less time than b (3–5 %)`. The row must be about
/// the faster one.
pub(super) fn faster(report: &Report, row: &VerdictRow, other: &str) -> String {
    let Some(ratio) = row.ratio.filter(|ratio| *ratio > 0.0) else {
        return format!("is faster than {other}");
    };
    let small = if row.below_threshold {
        format!(", {}", less_than_matters(&report.protocol))
    } else {
        typical(row).map_or_else(String::new, |typical| {
            format!(" in total, {typical} in most samples")
        })
    };
    let verb = if is_small(ratio) { "takes" } else { "is" };
    let (difference, ends) = difference(row.interval(), true);
    let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
    format!("{verb} {difference} than {other}{ends}{small}")
}

/// The verdict of a row in words: `1.83 × faster, 1.79–1.88, sure`,
/// `4 % less time, 3–5 %, sure`, `a tie within 1 %`. `None` without one.
pub(super) fn pair(report: &Report, row: &VerdictRow) -> Option<String> {
    let difference = match row.verdict {
        Verdict::NoCall => return None,
        Verdict::Tie => return Some(tie(&report.protocol)),
        Verdict::Beats | Verdict::Beaten => by_how_much(row),
    };
    let small = if row.below_threshold {
        format!(", but {}", less_than_matters(&report.protocol))
    } else {
        String::new()
    };
    let typical = typical(row).map(|typical| format!("; {typical} in most samples"));
    let typical = typical.unwrap_or_default();
    Some(format!("{difference}, sure{small}{typical}"))
}

/// Ratio of most samples in words, where it is not that of the total times: `1.6 × slower`.
pub(super) fn typical(row: &VerdictRow) -> Option<String> {
    row.typical.map(estimate)
}

/// `1.83 × slower, 1.79–1.88`, `4 % less time, 3–5 %`.
fn by_how_much(row: &VerdictRow) -> String {
    let (difference, ends) = difference(row.interval(), row.verdict == Verdict::Beats);
    let ends = ends.map(|ends| format!(", {ends}")).unwrap_or_default();
    format!("{difference}{ends}")
}

/// The verdict of a row in the fewest words: `1.83 × slower`, `4 % less time`, `a tie`, `no call`.
pub fn pair_brief(row: &VerdictRow) -> String {
    match row.verdict {
        Verdict::Tie | Verdict::NoCall => row.verdict.name().to_owned(),
        Verdict::Beats | Verdict::Beaten => {
            difference(row.interval(), row.verdict == Verdict::Beats).0
        }
    }
}

/// A ratio of times and the ends of its interval: `1.83 × slower` and `1.79–1.88`, `4 % less time` and `3–5 %`. The
/// first is without numbers if there is no ratio.
pub fn difference(found: RatioInterval, is_faster: bool) -> (String, Option<String>) {
    DirectionWords::TIME.difference(found, is_faster)
}

/// The ends of an interval that a verdict lacks: `from 0.2 % less to 1.2 % more time`, `from 1.3 × faster to
/// 1.5 × slower`.
pub fn span(low: f64, high: f64) -> String {
    DirectionWords::TIME.span(low, high)
}

/// A ratio of times without an interval: `1.2 × faster`, `4 % more time`.
pub fn estimate(ratio: f64) -> String {
    DirectionWords::TIME.estimate(ratio)
}

/// `less than you care about (1 %)`, of a sure difference.
fn less_than_matters(protocol: &Protocol) -> String {
    format!("less than you care about ({})", percent(protocol.practical))
}

/// `a tie within 1 %`.
pub(super) fn tie(protocol: &Protocol) -> String {
    format!("a tie within {}", percent(protocol.practical))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use serde_json::json;

    fn row(verdict: Verdict, ratio: f64, low: Option<f64>, high: Option<f64>) -> VerdictRow {
        VerdictRow {
            verdict,
            below_threshold: (ratio - 1.0).abs() < 0.01,
            ratio: Some(ratio),
            low,
            high,
            ..fixture::row("new", "old", &json!({}))
        }
    }

    fn text(verdict: Verdict, ratio: f64, low: Option<f64>, high: Option<f64>) -> String {
        let report = fixture::report(json!({}));
        pair(&report, &row(verdict, ratio, low, high)).unwrap_or_default()
    }

    #[test]
    fn a_pair_is_worded_by_its_size_and_side() {
        let beats =
            |ratio: f64, low: f64, high: f64| text(Verdict::Beats, ratio, Some(low), Some(high));
        assert_eq!(
            beats(1.0 / 1.83, 1.0 / 1.88, 1.0 / 1.79),
            "1.83 × faster, 1.79–1.88, sure"
        );
        assert_eq!(beats(0.96, 0.95, 0.97), "4 % less time, 3–5 %, sure");
        assert_eq!(
            beats(0.959, 0.948, 0.97),
            "4.1 % less time, 3.0–5.2 %, sure"
        );
        assert_eq!(
            beats(0.995, 0.993, 0.998),
            "0.5 % less time, 0.2–0.7 %, sure, but less than you care about (1 %)"
        );
        assert_eq!(
            beats(0.9, 0.8, 1.0 + 1e-9),
            "1.11 × faster, 1.00–1.25, sure"
        );
        assert_eq!(beats(0.95, 0.9, 1.0 + 1e-9), "5 % less time, 0–10 %, sure");
        let beaten = |ratio: f64, low: f64| text(Verdict::Beaten, ratio, Some(low), None);
        assert_eq!(beaten(8.8, 8.1), "8.80 × slower, at least 8.10, sure");
        assert_eq!(beaten(1.04, 1.03), "4 % more time, at least 3 %, sure");
        assert_eq!(text(Verdict::Tie, 1.0, None, None), "a tie within 1 %");
        assert_eq!(text(Verdict::NoCall, 1.0, None, None), "");
        let brief = |verdict| pair_brief(&row(verdict, 1.04, Some(1.03), None));
        assert_eq!(brief(Verdict::Beaten), "4 % more time");
        assert_eq!(brief(Verdict::NoCall), "no call");
        assert_eq!(estimate(0.75), "1.3 × faster");
        assert_eq!(estimate(1.08), "8 % more time");
    }

    #[test]
    fn both_ends_of_an_open_interval_are_shown() {
        assert_eq!(span(0.998, 1.012), "from 0.2 % less to 1.2 % more time");
        assert_eq!(span(0.97, 1.029), "from 3.0 % less to 2.9 % more time");
        assert_eq!(span(1.01, 1.05), "from 1 % more to 5 % more time");
        assert_eq!(span(0.75, 1.5), "from 1.3 × faster to 1.5 × slower");
        assert_eq!(span(0.995, 1.5), "from 0.5 % less time to 1.5 × slower");
    }

    #[test]
    fn what_most_inputs_say_stands_beside_the_total_where_it_differs() {
        let report = fixture::report(json!({}));
        let mut row = row(Verdict::Beats, 0.5, Some(0.4), Some(0.7));
        row.typical = Some(1.3);
        assert_eq!(
            pair(&report, &row).unwrap(),
            "2.00 × faster, 1.43–2.50, sure; 1.3 × slower in most samples"
        );
        assert_eq!(
            faster(&report, &row, "old"),
            "is 2.00 × faster than old (1.43–2.50) in total, 1.3 × slower in most samples"
        );
        row.typical = Some(0.9);
        assert!(
            pair(&report, &row)
                .unwrap()
                .ends_with("; 1.1 × faster in most samples")
        );
        row.typical = None;
        assert_eq!(
            faster(&report, &row, "old"),
            "is 2.00 × faster than old (1.43–2.50)"
        );
    }
}
