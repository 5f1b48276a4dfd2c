//! The report as JUnit's XML, which services for continuous integration read: a test for each variant,
//! one for the answer, and those that a command was asked for.

use super::escape::Html;
use super::in_words;
use super::opinions;
use super::outcome::ComparisonOutcome;
use bakeoff_domain::report::{RankingOutcome, Report, VariantReport, VariantStatus, words};
use std::fmt::Write as _;

/// A test that a command was asked for, such as whether a file is slower than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedTest {
    /// Name of the test.
    pub name: String,
    /// True if the test passed.
    pub passed: bool,
    /// Finding of the test, in a line.
    pub found: String,
}

/// The outcome of a test.
enum TestOutcome<'a> {
    Passed,
    Skipped(String),
    Failed {
        /// Class of the failure.
        class: &'a str,
        message: String,
        detail: &'a str,
    },
}

/// Returns the report as one suite of tests. A variant that failed is a failed test, one that has no rank for another
/// reason is skipped. That there is an answer, a winner or a tie, is a test too, unless others were asked for.
pub fn junit(report: &Report, asked: &[AskedTest]) -> String {
    suite(report, None, &[], asked)
}

/// A kept report: the same, with warnings of where it comes from, if there are some, as a property of the suite.
pub fn junit_of_kept(report: &Report, warnings: &[String]) -> String {
    suite(report, None, warnings, &[])
}

/// Returns the report of a comparison: the same, with `outcome` as a property of the suite.
pub fn junit_of_comparison(
    report: &Report,
    outcome: ComparisonOutcome,
    asked: &[AskedTest],
) -> String {
    suite(report, Some(outcome), &[], asked)
}

fn suite(
    report: &Report,
    outcome: Option<ComparisonOutcome>,
    warnings: &[String],
    asked: &[AskedTest],
) -> String {
    let of_variant = |variant| (variant_name(report, variant), test_outcome(variant));
    let mut tests: Vec<(String, TestOutcome<'_>)> =
        report.variants.iter().map(of_variant).collect();
    if asked.is_empty() {
        tests.push(("answer".to_owned(), answer(report)));
    }
    for test in asked {
        tests.push((test.name.clone(), asked_outcome(test)));
    }
    let said = &report.recommendation.text;
    let outcome = outcome.map(|outcome| ("outcome", outcome.to_string()));
    let note = (!warnings.is_empty()).then(|| ("note", warnings.join("; ")));
    let notice = report.in_words.as_ref();
    let notice = notice.map(|words| ("notice", words.notice.clone()));
    let measurable = in_words::sentences(report).into_iter();
    let measurable = measurable.map(|sentence| ("could be measured", sentence));
    let notice = notice.into_iter().chain(measurable);
    let opinions = opinions::lines(report).into_iter();
    let opinions = opinions.map(|line| (words::OPINION, line));
    let properties = notice.chain(outcome).chain(note).chain(opinions);
    let properties: Vec<(&str, String)> = properties.collect();
    written(&report.experiment.name, &properties, &tests, said)
}

/// Returns a suite of tests that a command was asked for, where there is no report; `said` is the text beside them.
pub(super) fn junit_of_tests(
    suite: &str,
    outcome: ComparisonOutcome,
    asked: &[AskedTest],
    said: &str,
) -> String {
    let tests = asked
        .iter()
        .map(|test| (test.name.clone(), asked_outcome(test)));
    let tests: Vec<(String, TestOutcome<'_>)> = tests.collect();
    written(suite, &[("outcome", outcome.to_string())], &tests, said)
}

fn asked_outcome(test: &AskedTest) -> TestOutcome<'_> {
    if test.passed {
        TestOutcome::Passed
    } else {
        TestOutcome::Failed {
            class: "not-passed",
            message: test.found.clone(),
            detail: "",
        }
    }
}

fn written(
    suite: &str,
    properties: &[(&str, String)],
    tests: &[(String, TestOutcome<'_>)],
    said: &str,
) -> String {
    let failed = |test: &&(String, TestOutcome<'_>)| matches!(test.1, TestOutcome::Failed { .. });
    let skipped = |test: &&(String, TestOutcome<'_>)| matches!(test.1, TestOutcome::Skipped(_));
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
        tests.len(),
        tests.iter().filter(failed).count(),
        tests.iter().filter(skipped).count()
    );
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
         <testsuite name=\"{}\" {counts}>\n",
        Html(suite)
    );
    if !properties.is_empty() {
        out += "    <properties>\n";
        for (name, value) in properties {
            let value = Html(value);
            let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
        }
        out += "    </properties>\n";
    }
    for (name, outcome) in tests {
        case(&mut out, suite, name, outcome);
    }
    let _ = write!(
        out,
        "    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
        Html(said)
    );
    out
}

fn case(out: &mut String, suite: &str, name: &str, outcome: &TestOutcome<'_>) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\"",
        Html(suite),
        Html(name)
    );
    *out += &match outcome {
        TestOutcome::Passed => "/>\n".to_owned(),
        TestOutcome::Skipped(why) => {
            format!(
                ">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                Html(why)
            )
        }
        TestOutcome::Failed {
            class,
            message,
            detail,
        } => format!(
            ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
            Html(class),
            Html(message),
            Html(detail)
        ),
    };
}

fn variant_name(report: &Report, variant: &VariantReport) -> String {
    format!("variant {}", words::name(report, &variant.id))
}

fn test_outcome(variant: &VariantReport) -> TestOutcome<'_> {
    let reason = || variant.reason.clone().unwrap_or_default();
    match (variant.status, &variant.failure) {
        (VariantStatus::Ranked, _) => TestOutcome::Passed,
        (VariantStatus::Failed, Some(failure)) => TestOutcome::Failed {
            class: failure.class.name(),
            message: failure
                .message
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
            detail: &failure.message,
        },
        (VariantStatus::Failed, None) => TestOutcome::Failed {
            class: "failed",
            message: reason(),
            detail: "",
        },
        (VariantStatus::Eliminated | VariantStatus::Unranked | VariantStatus::Screened, _) => {
            TestOutcome::Skipped(reason())
        }
    }
}

fn answer(report: &Report) -> TestOutcome<'_> {
    match report.recommendation.outcome {
        RankingOutcome::Winner | RankingOutcome::Tie => TestOutcome::Passed,
        RankingOutcome::NoCall | RankingOutcome::Nothing => TestOutcome::Failed {
            class: "no-answer",
            message: report.recommendation.text.clone(),
            detail: "",
        },
    }
}
