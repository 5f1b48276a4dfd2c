//! Pairs without a verdict: the reason, and the budget that would likely bring one.

use super::numbers::{budget, percent};
use super::speed;
use super::view::ordered_row;
use crate::report::{Ended, Report, VerdictRow};
use crate::verdict::{SignInversion, Verdict};

/// A budget is suggested if it is at most this many times the present one.
const FACTOR_MAX: f64 = 30.0;

/// The reason why the first pair without a verdict among `ids` has none, for the headline:
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
    Some(reason(report, &open))
}

/// The reason in a few words: `no call at ±3 %`.
pub(super) fn short(row: &VerdictRow) -> String {
    if row.sign_inversion.is_some() {
        return "no call: the sign depends on the load".to_owned();
    }
    match half_width(row) {
        Some(half) => format!("no call at ±{}", percent(half.exp_m1())),
        None => "no call".to_owned(),
    }
}

/// The reason why there is no verdict, and the budget that would likely bring one.
pub(super) fn reason(report: &Report, row: &VerdictRow) -> String {
    if let Some(SignInversion { quiet, crowded }) = row.sign_inversion {
        return format!(
            "the sign depends on the load of the core: {} on a quiet core, {} on a crowded one",
            speed::estimate(quiet),
            speed::estimate(crowded)
        );
    }
    let ended = match report.protocol.ended {
        Ended::Budget => "the budget ended",
        Ended::ReplicaLimit => "the limit of replicas was reached",
        Ended::Precision => "the precision that was asked for was reached",
        Ended::Settled | Ended::NotMeasured => "measuring ended",
    };
    let Some(half) = half_width(row) else {
        let least = row.settle_seconds.filter(|_| is_out_of_budget(report));
        let least =
            least.map(|seconds| format!("; it takes at least --budget {}", budget(seconds)));
        return format!(
            "{ended} before there was an interval{}",
            least.unwrap_or_default()
        );
    };
    let known = format!("{ended} at ±{}", percent(half.exp_m1()));
    if !is_out_of_budget(report) {
        return known;
    }
    match longer(report, row, half) {
        Some(seconds) => format!(
            "{known}; --budget {} would likely settle it",
            budget(seconds)
        ),
        None => format!("{known}; the difference is too small for a longer budget to settle it"),
    }
}

fn is_out_of_budget(report: &Report) -> bool {
    report.protocol.ended == Ended::Budget && report.protocol.budget_seconds > 0.0
}

/// Half the width of the interval, on the logarithm of the ratio.
fn half_width(row: &VerdictRow) -> Option<f64> {
    let (low, high) = (row.low?, row.high?);
    let half = (high.ln() - low.ln()) / 2.0;
    (half.is_finite() && half > 0.0).then_some(half)
}

/// The budget in seconds that would likely bring a verdict: by the forecast, or, without one, the time
/// in which the interval would exclude 0 or lie within the practical threshold if its width shrinks
/// with the square root of time.
fn longer(report: &Report, row: &VerdictRow, half: f64) -> Option<f64> {
    let spent = report.protocol.budget_seconds;
    let factor = match row.settle_seconds {
        Some(seconds) => seconds / spent,
        None => {
            let apart = row.ratio?.ln().abs();
            let practical = report.protocol.practical.ln_1p();
            (half / apart.max(practical - apart)).powi(2)
        }
    };
    // A fifth on top: the estimate of the ratio itself will move.
    let factor = (factor * 1.2).max(1.5);
    (factor.is_finite() && factor <= FACTOR_MAX).then_some(spent * factor)
}
