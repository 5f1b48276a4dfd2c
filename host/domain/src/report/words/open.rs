//! Pairs without a verdict: the reason, and the budget that would likely bring one.

use super::numbers::{budget, percent, reading};
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
        let before = match report.protocol.replicas {
            0 => "the first replica",
            _ => "there was an interval",
        };
        if !is_out_of_budget(report) {
            return format!("{ended} before {before}");
        }
        return format!(
            "{ended} before {before}; {}",
            least(report, row.settle_seconds)
        );
    };
    let known = format!("{ended} at ±{}", percent(half.exp_m1()));
    if !is_out_of_budget(report) {
        return known;
    }
    match longer(report, row, half) {
        Some(seconds) if is_more(report, seconds) => format!(
            "{known}; --budget {} would likely settle it",
            budget(seconds)
        ),
        Some(_) => format!("{known}; a larger --budget would likely settle it"),
        None => format!("{known}; the difference is too small for a longer budget to settle it"),
    }
}

/// The reason why there is not one replica, if the budget is to blame, and what would bring a verdict.
pub(super) fn without_a_replica(report: &Report) -> Option<String> {
    if !is_out_of_budget(report) || report.protocol.replicas > 0 {
        return None;
    }
    let given = reading(report.protocol.budget_seconds * 1e9, "ns");
    let overall = report.verdicts.iter().filter(|row| row.case.is_none());
    let mut open = overall
        .filter(|row| row.verdict == Verdict::NoCall)
        .peekable();
    if open.peek().is_none() {
        return Some(format!(
            "the budget of {given} ended before every variant was called once on each case; choose \
             smaller sizes, or a larger --budget"
        ));
    }
    let seconds = open.filter_map(|row| row.settle_seconds).reduce(f64::max);
    Some(format!(
        "the budget of {given} ended before the first replica; {}",
        least(report, seconds)
    ))
}

/// The least budget for a verdict, if it is known and more than what was given.
fn least(report: &Report, seconds: Option<f64>) -> String {
    match seconds.filter(|seconds| is_more(report, *seconds)) {
        Some(seconds) => format!("a verdict takes at least --budget {}", budget(seconds)),
        None => "a larger --budget would tell more".to_owned(),
    }
}

/// Returns true if this budget is larger than the one that was given.
fn is_more(report: &Report, seconds: f64) -> bool {
    seconds > report.protocol.budget_seconds
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
    let factor = factor * 1.2;
    (factor.is_finite() && factor <= FACTOR_MAX).then_some(spent * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A report of two variants without a verdict, measured with a budget of 20 s.
    fn report(replicas: u32, row: &serde_json::Value) -> Report {
        let mut verdict = json!({
            "a": "new", "b": "old", "case": null, "verdict": "no-call", "below_threshold": false,
            "ratio": null, "low": null, "high": null,
        });
        let fields = verdict.as_object_mut().unwrap();
        fields.extend(row.as_object().unwrap().clone());
        let report = json!({
            "schema_version": 1,
            "experiment": { "id": "", "name": "", "problem": "", "seed": 1 },
            "environment": {
                "engine": "", "compiler": "", "cpu": "", "cores": 2, "system": "", "confinement": "",
            },
            "criteria": [],
            "variants": [],
            "verdicts": [verdict],
            "recommendation": {
                "winner": null, "tied": [], "alternatives": [], "flip_distance": null, "text": "",
            },
            "pareto": [],
            "cost": {
                "seconds": 0, "trials": 0, "tokens": 0, "usd": 0, "workers": [], "success_rate": 1,
                "files": 0, "source_lines": 0,
            },
            "protocol": {
                "confidence": 0.95, "practical": 0.01, "budget_seconds": 20.0, "replicas": replicas,
                "ended": "budget",
            },
        });
        serde_json::from_value(report).unwrap()
    }

    fn why(replicas: u32, row: &serde_json::Value) -> String {
        let report = report(replicas, row);
        reason(&report, &report.verdicts[0])
    }

    #[test]
    fn no_budget_is_named_that_is_not_more_than_the_given_one() {
        assert_eq!(
            why(2, &json!({ "settle_seconds": 33.0 })),
            "the budget ended before there was an interval; a verdict takes at least --budget 40s"
        );
        assert_eq!(
            why(2, &json!({ "settle_seconds": 4.2 })),
            "the budget ended before there was an interval; a larger --budget would tell more"
        );
        let near = json!({ "ratio": 1.0, "low": 0.98, "high": 1.02, "settle_seconds": 30.0 });
        assert_eq!(
            why(9, &near),
            "the budget ended at ±2 %; --budget 40s would likely settle it"
        );
        let nearer = json!({ "ratio": 1.0, "low": 0.98, "high": 1.02, "settle_seconds": 12.0 });
        assert_eq!(
            why(9, &nearer),
            "the budget ended at ±2 %; a larger --budget would likely settle it"
        );
    }

    #[test]
    fn a_budget_without_a_replica_is_said_to_be_the_reason() {
        let some = report(1, &json!({}));
        assert_eq!(without_a_replica(&some), None);
        let known = report(0, &json!({ "settle_seconds": 55.0 }));
        assert_eq!(
            without_a_replica(&known).unwrap(),
            "the budget of 20 s ended before the first replica; a verdict takes at least --budget 60s"
        );
        let mut unpiloted = report(0, &json!({}));
        unpiloted.verdicts.clear();
        let why = without_a_replica(&unpiloted).unwrap();
        assert!(why.contains("smaller sizes"), "{why}");
    }
}
