//! `--fail-if-slower`: whether a file is surely slower than another by more than is allowed.
//!
//! Both were measured in the same run, in the same blocks: times of two runs are never compared.

use crate::render::inert::Plain;
use bakeoff_domain::report::{Report, VerdictRow, words};

/// What is known about the time of a variant against the baseline and what is allowed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finding {
    /// Surely more than what is allowed: at least so many times the baseline's.
    Slower {
        /// Lower end of the ratio.
        low: f64,
    },
    /// Surely no more than what is allowed.
    Within,
    /// The interval of the ratio holds what is allowed, as far as its ends are known.
    Open {
        /// Lower end of the ratio.
        low: Option<f64>,
        /// Upper end of the ratio.
        high: Option<f64>,
    },
    /// Who is slower depends on what else runs on the core.
    Turns,
    /// One of the two was not timed.
    Missing,
}

/// Looks a variant up against the baseline; `allowed` is a fraction, 0.02 for two per cent.
pub(super) fn against(report: &Report, baseline: &str, later: &str, allowed: f64) -> Finding {
    let Some(row) = words::ordered_row(report, later, baseline, None) else {
        return Finding::Missing;
    };
    judge(&row, allowed)
}

/// `row` speaks of the later one against the baseline.
fn judge(row: &VerdictRow, allowed: f64) -> Finding {
    let limit = 1.0 + allowed;
    match (row.low, row.high) {
        (Some(low), Some(high)) if low > high => Finding::Missing,
        (Some(low), _) if low > limit => Finding::Slower { low },
        _ if row.reversal.is_some() => Finding::Turns,
        (_, Some(high)) if high <= limit => Finding::Within,
        (None, None) if row.ratio.is_none() => Finding::Missing,
        (low, high) => Finding::Open { low, high },
    }
}

impl Finding {
    /// One line for people about it. Names are ids of the report.
    pub(super) fn line(&self, baseline: &str, later: &str, allowed: f64) -> String {
        let (baseline, later) = (Plain(baseline), Plain(later));
        let allowed = format!("{} %", rounded(100.0 * allowed));
        match self {
            Self::Slower { low } => format!(
                "{later} is slower than {baseline} by more than {allowed}: it takes at least \
                 {low:.3} times as long"
            ),
            Self::Within => {
                format!("{later} is not slower than {baseline} by more than {allowed}")
            }
            Self::Open { low, high } => format!(
                "not known whether {later} is slower than {baseline} by more than {allowed}: it \
                 takes {}; a larger --budget may tell",
                between(*low, *high)
            ),
            Self::Turns => format!(
                "not known whether {later} is slower than {baseline} by more than {allowed}: the two \
                 change places with what else runs on the core; measure on cores of your own"
            ),
            Self::Missing => format!(
                "not known whether {later} is slower than {baseline}: they were not timed against \
                 each other"
            ),
        }
    }
}

fn between(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("between {low:.3} and {high:.3} times as long"),
        (Some(low), None) => format!("at least {low:.3} times as long"),
        (None, Some(high)) => format!("at most {high:.3} times as long"),
        (None, None) => "nobody knows how much longer".to_owned(),
    }
}

/// Without the noise of binary fractions: 2, not 2.0000000000000004.
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
            reversal: None,
        }
    }

    #[test]
    fn only_an_interval_beyond_the_limit_is_slower() {
        let judge = |low, high| judge(&row(low, high), 0.02);
        assert_eq!(judge(Some(1.03), Some(1.2)), Finding::Slower { low: 1.03 });
        assert_eq!(judge(Some(1.03), None), Finding::Slower { low: 1.03 });
        assert_eq!(judge(Some(0.5), Some(1.02)), Finding::Within);
        let open = |low, high| Finding::Open { low, high };
        assert_eq!(judge(Some(1.01), Some(1.2)), open(Some(1.01), Some(1.2)));
        assert_eq!(judge(Some(1.02), None), open(Some(1.02), None));
        assert_eq!(judge(None, None), Finding::Missing);
    }

    #[test]
    fn a_line_says_what_is_known() {
        let line = |finding: Finding| finding.line("old", "new", 0.07);
        assert!(
            line(Finding::Slower { low: 1.25 })
                .contains("by more than 7 %: it takes at least 1.250")
        );
        let open = Finding::Open {
            low: Some(1.0),
            high: None,
        };
        assert!(line(open).contains("at least 1.000 times as long; a larger --budget"));
    }
}
