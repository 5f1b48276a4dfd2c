//! `--fail-if-slower`: tests whether a file is slower than another by more than a limit.
//!
//! Both are measured in the same run, in the same blocks: times of two runs are never compared.

use crate::render::escape::Plain;
use bakeoff_domain::report::{Report, VerdictRow, words};

/// The result of the test of a variant against the baseline.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Regression {
    /// The variant is slower by more than the limit.
    Slower {
        /// Lower end of the ratio.
        low: f64,
    },
    /// The variant is not slower by more than the limit.
    NotSlower,
    /// The interval of the ratio contains the limit.
    Unknown {
        /// Lower end of the ratio.
        low: Option<f64>,
        /// Upper end of the ratio.
        high: Option<f64>,
    },
    /// The order of the two depends on what else runs on the core.
    Reversal,
    /// The two were not timed against each other.
    NotTimed,
}

/// Tests a variant against the baseline; `allowed` is a fraction, 0.02 for 2 %.
pub(super) fn against(report: &Report, baseline: &str, later: &str, allowed: f64) -> Regression {
    let Some(row) = words::ordered_row(report, later, baseline, None) else {
        return Regression::NotTimed;
    };
    judge(&row, allowed)
}

/// Tests a verdict of the variant against the baseline.
fn judge(row: &VerdictRow, allowed: f64) -> Regression {
    let limit = 1.0 + allowed;
    match (row.low, row.high) {
        (Some(low), Some(high)) if low > high => Regression::NotTimed,
        (Some(low), _) if low > limit => Regression::Slower { low },
        _ if row.sign_inversion.is_some() => Regression::Reversal,
        (_, Some(high)) if high <= limit => Regression::NotSlower,
        (None, None) if row.ratio.is_none() => Regression::NotTimed,
        (low, high) => Regression::Unknown { low, high },
    }
}

impl Regression {
    /// The result as a line of text. `baseline` and `later` are ids of the report.
    pub(super) fn line(&self, baseline: &str, later: &str, allowed: f64) -> String {
        let (baseline, later) = (Plain(baseline), Plain(later));
        let allowed = format!("{} %", rounded(100.0 * allowed));
        match self {
            Self::Slower { low } => format!(
                "{later} is slower than {baseline} by more than {allowed}: it takes at least \
                 {low:.3} times as long"
            ),
            Self::NotSlower => {
                format!("{later} is not slower than {baseline} by more than {allowed}")
            }
            Self::Unknown { low, high } => format!(
                "not known whether {later} is slower than {baseline} by more than {allowed}: {}; try \
                 a larger --budget",
                interval_text(*low, *high)
            ),
            Self::Reversal => format!(
                "not known whether {later} is slower than {baseline} by more than {allowed}: their \
                 order depends on what else runs on the core; measure on dedicated cores"
            ),
            Self::NotTimed => format!(
                "not known whether {later} is slower than {baseline}: they were not timed against \
                 each other"
            ),
        }
    }
}

fn interval_text(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("it takes between {low:.3} and {high:.3} times as long")
        }
        (Some(low), None) => format!("it takes at least {low:.3} times as long"),
        (None, Some(high)) => format!("it takes at most {high:.3} times as long"),
        (None, None) => "the slowdown could not be estimated".to_owned(),
    }
}

/// A number without the error of binary fractions: 2, not 2.0000000000000004.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::verdict::Verdict;

    fn row(low: Option<f64>, high: Option<f64>) -> VerdictRow {
        VerdictRow {
            a: "new".to_owned(),
            b: "old".to_owned(),
            case: None,
            verdict: Verdict::NoCall,
            below_threshold: false,
            ratio: low.or(high),
            low,
            high,
            settle_seconds: None,
            sign_inversion: None,
        }
    }

    #[test]
    fn only_an_interval_beyond_the_limit_is_slower() {
        let judge = |low, high| judge(&row(low, high), 0.02);
        assert_eq!(
            judge(Some(1.03), Some(1.2)),
            Regression::Slower { low: 1.03 }
        );
        assert_eq!(judge(Some(1.03), None), Regression::Slower { low: 1.03 });
        assert_eq!(judge(Some(0.5), Some(1.02)), Regression::NotSlower);
        let unknown = |low, high| Regression::Unknown { low, high };
        assert_eq!(judge(Some(1.01), Some(1.2)), unknown(Some(1.01), Some(1.2)));
        assert_eq!(judge(Some(1.02), None), unknown(Some(1.02), None));
        assert_eq!(judge(None, None), Regression::NotTimed);
    }

    #[test]
    fn the_line_has_the_known_ends_of_the_interval() {
        let line = |result: Regression| result.line("old", "new", 0.07);
        assert!(
            line(Regression::Slower { low: 1.25 })
                .contains("by more than 7 %: it takes at least 1.250")
        );
        let unknown = Regression::Unknown {
            low: Some(1.0),
            high: None,
        };
        assert!(line(unknown).contains("at least 1.000 times as long; try a larger --budget"));
    }
}
