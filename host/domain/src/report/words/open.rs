//! What is not known, said as such, with what it would take to know it.

use super::numbers::{budget, percent};
use super::speed;
use super::view::{name, ordered_row, ranked};
use crate::report::{Ended, Report, VerdictRow};
use crate::verdict::Verdict;

/// A budget this many times larger is not worth a suggestion.
const FACTOR_MAX: f64 = 30.0;

/// Why the first pair without a verdict among `ids` has none, for the headline:
/// `the budget ended at ±3 %; --budget 40s would likely settle it`.
pub(super) fn first_of(report: &Report, ids: &[String]) -> Option<String> {
    let mut pairs = ids
        .iter()
        .enumerate()
        .flat_map(|(place, a)| ids[place + 1..].iter().map(move |b| (a, b)));
    let open = pairs.find_map(|(a, b)| {
        let row = ordered_row(report, a, b, None)?;
        (row.verdict == Verdict::NoCall).then_some(row)
    })?;
    Some(why(report, &open))
}

/// All pairs of ranked variants that no verdict settles over all cases.
pub(super) fn no_calls(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    let mut sentences = Vec::new();
    for (place, a) in variants.iter().enumerate() {
        for b in &variants[place + 1..] {
            let row = ordered_row(report, &a.id, &b.id, None);
            let Some(row) = row.filter(|row| row.verdict == Verdict::NoCall) else {
                continue;
            };
            let (first, second) = (name(report, &a.id), name(report, &b.id));
            let known = speed::open(&row, &first, &second);
            let known = known.map(|known| format!(" So far, {known}."));
            sentences.push(format!(
                "No call between {first} and {second}: {}.{}",
                why(report, &row),
                known.unwrap_or_default()
            ));
        }
    }
    sentences
}

/// Why there is no verdict, and what would likely bring one.
fn why(report: &Report, row: &VerdictRow) -> String {
    let ended = match report.protocol.ended {
        Ended::Budget => "the budget ended",
        Ended::ReplicaLimit => "the limit of replicas was reached",
        Ended::Settled | Ended::NotMeasured => "measuring ended",
    };
    let Some(half) = half_width(row) else {
        return format!("{ended} before the difference was known at all");
    };
    let known = format!("{ended} at ±{}", percent(half.exp_m1()));
    if report.protocol.ended != Ended::Budget || report.protocol.budget_seconds <= 0.0 {
        return known;
    }
    match longer(report, row, half) {
        Some(seconds) => format!(
            "{known}; --budget {} would likely settle it",
            budget(seconds)
        ),
        None => format!("{known}, and the two are too close for a longer budget to settle soon"),
    }
}

/// Half the width of the interval, on the logarithm of the ratio.
fn half_width(row: &VerdictRow) -> Option<f64> {
    let (low, high) = (row.low?, row.high?);
    let half = (high.ln() - low.ln()) / 2.0;
    (half.is_finite() && half > 0.0).then_some(half)
}

/// The budget with which the interval would be narrow enough to exclude 0, or to lie within the
/// practical threshold, if it goes on narrowing with the square root of time.
fn longer(report: &Report, row: &VerdictRow, half: f64) -> Option<f64> {
    let apart = row.ratio?.ln().abs();
    let practical = report.protocol.practical.ln_1p();
    let wanted = apart.max(practical - apart);
    // A fifth on top: the estimate of the ratio itself will move.
    let factor = (half / wanted).powi(2) * 1.2;
    let factor = factor.max(1.5);
    (factor.is_finite() && factor <= FACTOR_MAX).then_some(report.protocol.budget_seconds * factor)
}
