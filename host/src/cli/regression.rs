//! `--fail-if-slower`: tests whether a file is slower than another by more than a limit.
//!
//! Both are measured in the same run, in the same blocks: times of two runs are never compared.

use bakeoff_domain::report::{
    MeasuringEnd, Protocol, Report, StoppedInSearch, VariantStatus, VerdictRow, words,
};
use bakeoff_domain::spec::{Code, Experiment};
use bakeoff_domain::variant::{self, Variant};
use bakeoff_render::escape::Plain;
use bakeoff_render::{AskedTest, ComparisonOutcome};
use clap::ValueEnum;

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
    /// The variant is not slower where it was timed, and was stopped by a limit on other inputs, on which another one
    /// answers.
    Stopped(StoppedInSearch),
    /// The variant's calls are not slower by more than the limit, and what the host does for them is a part of both times,
    /// since a component brings an allocator where the baseline, a source, need not.
    AllTimed,
    /// The two were not timed against each other.
    NotTimed {
        /// The name of the one that failed, if one did.
        failed: Option<String>,
    },
}

/// Tests whether each later file is slower than the first. Returns the tests, and their outcomes in the same order.
pub(super) fn none_slower(
    report: &Report,
    experiment: &Experiment,
    allowed: f64,
    unsure: Unsure,
) -> (Vec<AskedTest>, Vec<ComparisonOutcome>) {
    let variants = variant::declare(&experiment.approaches);
    let Some((baseline, later)) = variants.split_first() else {
        return (Vec::new(), Vec::new());
    };
    let first = experiment.approaches.first();
    let is_source = first.is_some_and(|first| matches!(first.code, Code::Source(_)));
    let id = baseline.id.as_str();
    let baseline = words::name(report, id);
    let test = |later: &Variant| {
        let result = match against(report, id, later.id.as_str(), allowed) {
            Regression::NotSlower if report.protocol.all_timed && is_source => Regression::AllTimed,
            result => result,
        };
        let later = words::name(report, later.id.as_str());
        let test = AskedTest {
            name: question(&baseline, &later, allowed),
            passed: result.passes(unsure),
            found: result.line(&baseline, &later, allowed, &report.protocol),
        };
        (test, result.outcome())
    };
    later.iter().map(test).unzip()
}

/// Tests a variant against the baseline; `allowed` is a fraction, 0.02 for 2 %.
pub(super) fn against(report: &Report, baseline: &str, later: &str, allowed: f64) -> Regression {
    let failed = report.variants.iter().find(|variant| {
        variant.status == VariantStatus::Failed && [baseline, later].contains(&variant.id.as_str())
    });
    if let Some(failed) = failed {
        let failed = Some(words::name(report, &failed.id));
        return Regression::NotTimed { failed };
    }
    let Some(row) = words::ordered_row(report, later, baseline, None) else {
        return Regression::NotTimed { failed: None };
    };
    match (judge(&row, allowed), report.stopped_in_search_of(later)) {
        (Regression::NotSlower, Some(stopped)) => Regression::Stopped(stopped.clone()),
        (judged, _) => judged,
    }
}

/// Tests a verdict of the variant against the baseline.
fn judge(row: &VerdictRow, allowed: f64) -> Regression {
    let limit = 1.0 + allowed;
    match (row.low, row.high) {
        (Some(low), Some(high)) if low > high => Regression::NotTimed { failed: None },
        (Some(low), _) if low > limit => Regression::Slower { low },
        (_, Some(high)) if high <= limit => Regression::NotSlower,
        (None, None) if row.ratio.is_none() => Regression::NotTimed { failed: None },
        (low, high) => Regression::Unknown { low, high },
    }
}

/// Consequence if it is not known whether a file is slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Unsure {
    /// The test fails.
    Fail,
    /// The test passes.
    Pass,
}

impl Regression {
    /// Returns true if the test passes.
    pub(super) fn passes(&self, unsure: Unsure) -> bool {
        match self {
            Self::Slower { .. } => false,
            Self::NotSlower => true,
            Self::Unknown { .. } | Self::Stopped(_) | Self::AllTimed | Self::NotTimed { .. } => {
                unsure == Unsure::Pass
            }
        }
    }

    /// Returns the result as an outcome of the comparison.
    pub(super) fn outcome(&self) -> ComparisonOutcome {
        match self {
            Self::Slower { .. } => ComparisonOutcome::Slower,
            Self::NotSlower => ComparisonOutcome::NotSlower,
            Self::Unknown { .. } | Self::Stopped(_) | Self::AllTimed | Self::NotTimed { .. } => {
                ComparisonOutcome::NotKnown
            }
        }
    }

    /// Returns the result as a line of text that begins with the words of [`Self::outcome`]; if it is not known, with
    /// advice on how to settle it. `baseline` and `later` are names.
    pub(super) fn line(
        &self,
        baseline: &str,
        later: &str,
        allowed: f64,
        protocol: &Protocol,
    ) -> String {
        let (baseline, later) = (Plain(baseline), Plain(later));
        let allowed = format!("{} %", rounded(100.0 * allowed));
        let begin = self.outcome().words();
        let unknown =
            format!("{begin} whether {later} is slower than {baseline} by more than {allowed}");
        match self {
            Self::Slower { low } => format!(
                "{begin}: {later} is slower than {baseline} by more than {allowed}: it takes at least \
                 {low:.3} times as long"
            ),
            Self::NotSlower => {
                format!("{begin}: {later} is not slower than {baseline} by more than {allowed}")
            }
            Self::Unknown { low, high } => format!(
                "{unknown}: {}; {}",
                interval_text(*low, *high),
                advice(protocol)
            ),
            Self::Stopped(stopped) => format!(
                "{unknown}: {}; if such inputs are not meant, say which are: --workload FILE --size N, or \
                 --cases FILE",
                stopped.sentence(&later.to_string())
            ),
            Self::AllTimed => format!(
                "{unknown}: their whole calls are not, but what the host copies is a part of them, since a file brings \
                 an allocator of its own; compare them without it"
            ),
            Self::NotTimed { failed: Some(id) } => format!(
                "{unknown}: {} failed, so they were not timed against each other; correct it",
                Plain(id)
            ),
            Self::NotTimed { failed: None } => format!(
                "{unknown}: they were not timed against each other; {}",
                advice(protocol)
            ),
        }
    }
}

/// Returns the outcome of several tests: the first of slower, not known and not slower that one of them has.
pub(super) fn outcome(tests: &[ComparisonOutcome]) -> ComparisonOutcome {
    let worst = [ComparisonOutcome::Slower, ComparisonOutcome::NotKnown];
    let found = worst.into_iter().find(|outcome| tests.contains(outcome));
    found.unwrap_or(ComparisonOutcome::NotSlower)
}

/// Returns the claim that is tested, as the name of a test.
pub(super) fn question(baseline: &str, later: &str, allowed: f64) -> String {
    let allowed = rounded(100.0 * allowed);
    format!("{later} is not slower than {baseline} by more than {allowed} %")
}

/// Returns advice on how to settle an unknown result, by the reason why measuring ended.
fn advice(protocol: &Protocol) -> String {
    match protocol.ended {
        MeasuringEnd::Budget => format!(
            "the budget of {} ended: a larger --budget would tell more",
            words::numbers::reading(protocol.budget_seconds * 1e9, "ns")
        ),
        MeasuringEnd::ReplicaLimit => format!(
            "the limit of {} replicas was reached: choose another limit for --fail-if-slower, or a \
             quieter machine",
            protocol.replicas
        ),
        MeasuringEnd::NotMeasured => {
            "calls are shorter than can be timed: choose larger inputs, or do more \
                               work in one call"
                .to_owned()
        }
        MeasuringEnd::Precision | MeasuringEnd::Settled | MeasuringEnd::Unfinished => {
            "measure again".to_owned()
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

/// Rounds a number, so that it has no error of binary fractions: 2, not 2.0000000000000004.
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
            replicas: 0,
            settle_seconds: None,
            narrowed: None,
            typical: None,
        }
    }

    fn stopped() -> StoppedInSearch {
        StoppedInSearch {
            approach: "new".to_owned(),
            stopped: 3,
            tried: 40,
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
        assert_eq!(judge(None, None), Regression::NotTimed { failed: None });
    }

    #[test]
    fn one_file_that_is_slower_decides_and_after_that_one_of_which_it_is_not_known() {
        use ComparisonOutcome::{NotKnown, NotSlower, Slower};
        assert_eq!(outcome(&[NotSlower, NotKnown, Slower]), Slower);
        assert_eq!(outcome(&[NotSlower, NotKnown]), NotKnown);
        assert_eq!(outcome(&[NotSlower, NotSlower]), NotSlower);
    }

    #[test]
    fn what_is_not_known_passes_only_where_that_is_asked_for() {
        let unknown = [
            Regression::Stopped(stopped()),
            Regression::Unknown {
                low: Some(0.9),
                high: None,
            },
            Regression::NotTimed { failed: None },
        ];
        for result in unknown {
            assert!(!result.passes(Unsure::Fail), "{result:?}");
            assert!(result.passes(Unsure::Pass), "{result:?}");
        }
        for unsure in [Unsure::Fail, Unsure::Pass] {
            assert!(Regression::NotSlower.passes(unsure));
            assert!(!Regression::Slower { low: 1.1 }.passes(unsure));
        }
    }

    #[test]
    fn the_line_has_the_known_ends_of_the_interval_and_what_would_settle_it() {
        let mut protocol = Protocol {
            budget_seconds: 20.0,
            replicas: 96,
            ended: MeasuringEnd::Budget,
            ..Protocol::default()
        };
        let line =
            |result: &Regression, protocol: &Protocol| result.line("old", "new", 0.07, protocol);
        assert!(
            line(&Regression::Slower { low: 1.25 }, &protocol)
                .contains("by more than 7 %: it takes at least 1.250")
        );
        let was_stopped = line(&Regression::Stopped(stopped()), &protocol);
        assert!(
            was_stopped.contains("new was stopped by a limit on 3 of the 40 inputs")
                && was_stopped
                    .ends_with("say which are: --workload FILE --size N, or --cases FILE"),
            "{was_stopped}"
        );
        for result in [
            Regression::Slower { low: 1.25 },
            Regression::NotSlower,
            Regression::Stopped(stopped()),
            Regression::AllTimed,
            Regression::NotTimed { failed: None },
        ] {
            let line = line(&result, &protocol);
            assert!(line.starts_with(result.outcome().words()), "{line}");
        }
        let unknown = Regression::Unknown {
            low: Some(1.0),
            high: None,
        };
        assert!(line(&unknown, &protocol).ends_with(
            "at least 1.000 times as long; the budget of 20 s ended: a larger --budget would tell more"
        ));
        protocol.ended = MeasuringEnd::ReplicaLimit;
        let limit = line(&unknown, &protocol);
        assert!(
            !limit.contains("budget") && limit.contains("96 replicas"),
            "{limit}"
        );
        let failed = Regression::NotTimed {
            failed: Some("new".to_owned()),
        };
        assert!(line(&failed, &protocol).contains("new failed"));
    }
}
