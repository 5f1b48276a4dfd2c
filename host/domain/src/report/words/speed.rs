//! How a verdict by time is said.

use super::numbers::{percent, significant, with_ends};
use crate::report::{Protocol, VerdictRow};

/// Below this factor a difference is said as a percentage.
const FACTOR_MIN: f64 = 1.1;

/// By how much the faster one is faster, as the end of a sentence that begins with it:
/// `is 1.8 × faster than b (1.76–1.85)`, `takes 4 % less time than b (3–5 %)`. The row must speak
/// of the faster one.
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
    let inverse = |x: Option<f64>| x.filter(|x| *x > 0.0).map(|x| 1.0 / x);
    let (factor, ends) = with_ends(1.0 / ratio, inverse(row.high), inverse(row.low));
    let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
    format!("is {factor} × faster than {other}{ends}{small}")
}

/// A range of fractions as percentages.
fn percents(low: f64, high: f64) -> String {
    let digits = if low.abs() < 0.01 { 1 } else { 2 };
    let (low, high) = (low * 100.0, high * 100.0);
    format!("{}–{} %", significant(low, digits), significant(high, 2))
}

/// How near a tie is: `a tie within 1 %`.
pub(super) fn tie(protocol: &Protocol) -> String {
    format!("a tie within {}", percent(protocol.practical))
}

/// What is known about a pair without a verdict: `a takes between 0.97 and 1.04 times as long as b`.
pub(super) fn open(row: &VerdictRow, first: &str, other: &str) -> Option<String> {
    let bounds = match (row.low, row.high) {
        (Some(low), Some(high)) => {
            format!(
                "between {} and {}",
                significant(low, 3),
                significant(high, 3)
            )
        }
        (Some(low), None) => format!("at least {}", significant(low, 3)),
        (None, Some(high)) => format!("at most {}", significant(high, 3)),
        (None, None) => return None,
    };
    Some(format!("{first} takes {bounds} times as long as {other}"))
}
