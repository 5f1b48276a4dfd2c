//! Verdicts by time in words.

use super::numbers::{percent, significant, with_ends};
use crate::report::{Protocol, VerdictRow};
use crate::verdict::Verdict;

/// Below this factor a difference is written as a percentage.
const FACTOR_MIN: f64 = 1.1;

/// The predicate of a sentence about the faster one:
/// `is 1.8 × faster than b (1.76–1.85)`, `takes 4 % less time than b (3–5 %)`. The row must be about
/// the faster one.
pub(super) fn faster(row: &VerdictRow, other: &str, protocol: &Protocol) -> String {
    let threshold = percent(protocol.practical);
    let Some(ratio) = row.ratio.filter(|ratio| *ratio > 0.0) else {
        return format!("is faster than {other}");
    };
    let small = if row.below_threshold {
        format!(", a difference below the practical threshold of {threshold}")
    } else {
        String::new()
    };
    if 1.0 / ratio < FACTOR_MIN {
        let ends = match (row.low, row.high) {
            (Some(low), Some(high)) => format!(" ({})", percents(1.0 - high, 1.0 - low)),
            (None, Some(high)) => format!(" (at least {})", percent(1.0 - high)),
            _ => String::new(),
        };
        let less = significant((1.0 - ratio) * 100.0, 2);
        return format!("takes {less} % less time than {other}{ends}{small}");
    }
    let inverse = row.interval().inverse();
    let (factor, ends) = with_ends(1.0 / ratio, inverse.low, inverse.high);
    let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
    format!("is {factor} × faster than {other}{ends}{small}")
}

/// The verdict of a row in words: `1.83 × faster, 1.79–1.88, sure`,
/// `4 % less time, 3–5 %, sure`, `a tie within 1 %`. `None` without one.
pub(super) fn pair(row: &VerdictRow, protocol: &Protocol) -> Option<String> {
    let difference = match row.verdict {
        Verdict::NoCall => return None,
        Verdict::Tie => return Some(tie(protocol)),
        Verdict::Beats | Verdict::Beaten => by_how_much(row),
    };
    let small = if row.below_threshold {
        format!(
            ", but below the practical threshold of {}",
            percent(protocol.practical)
        )
    } else {
        String::new()
    };
    Some(format!("{difference}, sure{small}"))
}

/// `1.83 × slower, 1.79–1.88`, `4 % less time, 3–5 %`.
fn by_how_much(row: &VerdictRow) -> String {
    let beats = row.verdict == Verdict::Beats;
    let (faster, less) = if beats {
        ("faster", "less")
    } else {
        ("slower", "more")
    };
    let Some(ratio) = row.ratio.filter(|ratio| *ratio > 0.0) else {
        return faster.to_owned();
    };
    if ratio.max(1.0 / ratio) < FACTOR_MIN {
        let apart = |ratio: f64| (1.0 - ratio) * if beats { 1.0 } else { -1.0 };
        let (least, most) = match beats {
            true => (row.high.map(apart), row.low.map(apart)),
            false => (row.low.map(apart), row.high.map(apart)),
        };
        let ends = match (least, most) {
            (Some(least), Some(most)) => format!(", {}", percents(least, most)),
            (Some(least), None) => format!(", at least {}", percent(least)),
            _ => String::new(),
        };
        let apart = trimmed(significant(apart(ratio) * 100.0, 2));
        return format!("{apart} % {less} time{ends}");
    }
    let inverse = row.interval().inverse();
    let (factor, ends) = match beats {
        true => with_ends(1.0 / ratio, inverse.low, inverse.high),
        false => with_ends(ratio, row.low, row.high),
    };
    let ends = ends.map(|ends| format!(", {ends}")).unwrap_or_default();
    format!("{factor} × {faster}{ends}")
}

/// A ratio of times without an interval: `1.2 × faster`, `4 % more time`.
pub(super) fn estimate(ratio: f64) -> String {
    let factor = ratio.max(1.0 / ratio);
    if factor >= FACTOR_MIN {
        let way = if ratio < 1.0 { "faster" } else { "slower" };
        return format!("{} × {way}", significant(factor, 2));
    }
    let way = if ratio < 1.0 { "less" } else { "more" };
    let apart = trimmed(significant((1.0 - ratio).abs() * 100.0, 2));
    format!("{apart} % {way} time")
}

/// A range of fractions as percentages, of a sure verdict: an end that is not above 0 comes from
/// rounding and is shown as 0.
fn percents(low: f64, high: f64) -> String {
    let shown = |x: f64| match x > 5e-5 {
        true => trimmed(significant(x * 100.0, if x < 0.01 { 1 } else { 2 })),
        false => "0".to_owned(),
    };
    format!("{}–{} %", shown(low), shown(high))
}

/// The number without trailing zeros: `4` for `4.0`.
fn trimmed(number: String) -> String {
    match number.contains('.') {
        true => number
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        false => number,
    }
}

/// `a tie within 1 %`.
pub(super) fn tie(protocol: &Protocol) -> String {
    format!("a tie within {}", percent(protocol.practical))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(verdict: Verdict, ratio: f64, low: Option<f64>, high: Option<f64>) -> String {
        let row = VerdictRow {
            a: "a".to_owned(),
            b: "b".to_owned(),
            case: None,
            verdict,
            below_threshold: (ratio - 1.0).abs() < 0.01,
            ratio: Some(ratio),
            low,
            high,
            settle_seconds: None,
            sign_inversion: None,
        };
        pair(&row, &Protocol::default()).unwrap_or_default()
    }

    #[test]
    fn a_pair_is_worded_by_its_size_and_side() {
        let beats =
            |ratio: f64, low: f64, high: f64| text(Verdict::Beats, ratio, Some(low), Some(high));
        assert_eq!(
            beats(1.0 / 1.83, 1.0 / 1.88, 1.0 / 1.79),
            "1.8 × faster, 1.79–1.88, sure"
        );
        assert_eq!(beats(0.96, 0.95, 0.97), "4 % less time, 3–5 %, sure");
        assert_eq!(
            beats(0.995, 0.993, 0.998),
            "0.5 % less time, 0.2–0.7 %, sure, but below the practical threshold of 1 %"
        );
        assert_eq!(beats(0.9, 0.8, 1.0 + 1e-9), "1.1 × faster, 1.00–1.25, sure");
        assert_eq!(beats(0.95, 0.9, 1.0 + 1e-9), "5 % less time, 0–10 %, sure");
        let beaten = |ratio: f64, low: f64| text(Verdict::Beaten, ratio, Some(low), None);
        assert_eq!(beaten(8.8, 8.1), "8.8 × slower, at least 8.10, sure");
        assert_eq!(beaten(1.04, 1.03), "4 % more time, at least 3 %, sure");
        assert_eq!(text(Verdict::Tie, 1.0, None, None), "a tie within 1 %");
        assert_eq!(text(Verdict::NoCall, 1.0, None, None), "");
        assert_eq!(estimate(0.75), "1.3 × faster");
        assert_eq!(estimate(1.08), "8 % more time");
    }
}
