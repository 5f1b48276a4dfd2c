//! Output of a report about a series, and the exit status that follows from it.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output};
use super::regression::{self, Unsure};
use super::show;
use bakeoff_domain::numbers::{percent, significant};
use bakeoff_domain::report::RankingOutcome;
use bakeoff_domain::series::{SeriesEnd, SeriesReport, SeriesVerdict};
use bakeoff_render::escape::Plain;
use bakeoff_render::{AskedTest, ComparisonOutcome};

/// Checks that such a report can be written in the requested format. To be called before anything is measured for it.
///
/// # Errors
/// It cannot: the format holds something else.
pub(super) fn has_format(output: &Output) -> Result<(), Failure> {
    output.only(&show::report_formats())
}

/// The test that the user asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// Fraction by which a later variant may be worse than the first.
    pub(super) allowed: f64,
    /// Consequence if it is not known.
    pub(super) unsure: Unsure,
}

/// Returns a report in a format.
pub(super) fn text(
    report: &SeriesReport,
    asked: Option<ComparisonOutcome>,
    format: Format,
    output: &Output,
) -> String {
    let options = show::options(show::Sources::new(), output);
    match format {
        Format::Json => bakeoff_render::json_of_series(report, asked),
        Format::Md => bakeoff_render::markdown_of_series(report, &options),
        Format::Html => bakeoff_render::html_of_series(report, &options),
        Format::Csv => bakeoff_render::csv_of_series(report),
        Format::Human | Format::Jsonl | Format::Junit | Format::Criterion if output.quiet => {
            bakeoff_render::answer_of_series(report, &options)
        }
        Format::Human | Format::Jsonl | Format::Junit | Format::Criterion => {
            let warnings = bakeoff_render::warnings_of_series(report, &options);
            warnings + &bakeoff_render::human_of_series(report, &options)
        }
    }
}

/// Writes a report in the format that was asked for, and returns the exit status. Its warnings stand on stderr, or in the
/// first lines of the report for people.
pub(super) fn print(
    report: &SeriesReport,
    test: Option<Test>,
    output: &Output,
) -> Result<Status, Failure> {
    if output.quiet || output.format != Format::Human {
        for warning in &report.warnings {
            anstream::eprintln!("warning: {}", Plain(warning));
        }
    }
    let tested: Vec<(ComparisonOutcome, String)> = test
        .map(|test| tested(report, test.allowed))
        .unwrap_or_default();
    let outcomes: Vec<ComparisonOutcome> = tested.iter().map(|(outcome, _)| *outcome).collect();
    let asked = test.map(|_| regression::outcome(&outcomes));
    show::write(&match output.format {
        Format::Junit => junit(report, test, &tested),
        format => text(report, asked, format, output),
    })?;
    if output.quiet {
        for variant in &report.variants {
            if let Some(failure) = &variant.failure {
                let first = failure.lines().next().unwrap_or_default();
                anstream::eprintln!("{} failed: {}", Plain(&variant.name), Plain(first));
            }
        }
    }
    for (_, line) in &tested {
        anstream::eprintln!("{line}");
    }
    Ok(status(report, test, &outcomes))
}

/// Returns the report as JUnit's XML: a test for each variant, which fails if that did, and one for each question that was
/// asked, or else for the answer.
fn junit(
    report: &SeriesReport,
    test: Option<Test>,
    tested: &[(ComparisonOutcome, String)],
) -> String {
    let variants = report.variants.iter().map(|variant| AskedTest {
        name: variant.name.clone(),
        passed: variant.failure.is_none(),
        found: variant.failure.clone().unwrap_or_default(),
    });
    let mut tests: Vec<AskedTest> = variants.collect();
    let outcomes: Vec<ComparisonOutcome> = tested.iter().map(|(outcome, _)| *outcome).collect();
    let worse = worse(report);
    let outcome = match (test, report.outcome) {
        (Some(test), _) => {
            let later = report.variants.iter().skip(1);
            tests.extend(later.zip(tested).map(|(later, (outcome, line))| AskedTest {
                name: format!(
                    "{} is not {worse} than {} by more than {}",
                    later.name,
                    report.variants[0].name,
                    percent(test.allowed)
                ),
                passed: passes(*outcome, Some(test)),
                found: line.clone(),
            }));
            regression::outcome(&outcomes)
        }
        (None, RankingOutcome::Winner) => ComparisonOutcome::Winner,
        (None, RankingOutcome::Tie) => ComparisonOutcome::Tie,
        (None, RankingOutcome::NoCall) => ComparisonOutcome::NoCall,
        (None, RankingOutcome::Nothing) => ComparisonOutcome::Nothing,
    };
    if test.is_none() {
        tests.push(AskedTest {
            name: "answer".to_owned(),
            passed: matches!(outcome, ComparisonOutcome::Winner | ComparisonOutcome::Tie),
            found: report.text.clone(),
        });
    }
    bakeoff_render::junit_of_series(report, outcome, &tests)
}

/// Returns true if a test passes with this outcome.
fn passes(outcome: ComparisonOutcome, test: Option<Test>) -> bool {
    match outcome {
        ComparisonOutcome::NotSlower => true,
        ComparisonOutcome::NotKnown => test.is_some_and(|test| test.unsure == Unsure::Pass),
        _ => false,
    }
}

fn status(report: &SeriesReport, test: Option<Test>, outcomes: &[ComparisonOutcome]) -> Status {
    let answered = match (test, report.outcome) {
        (Some(_), _) => outcomes.iter().all(|outcome| passes(*outcome, test)),
        (None, RankingOutcome::Winner | RankingOutcome::Tie) => true,
        (None, RankingOutcome::NoCall | RankingOutcome::Nothing) => false,
    };
    if report.ended == SeriesEnd::Interrupted {
        return Status::Interrupted;
    }
    let mut variants = report.variants.iter();
    Status::of_answer(answered, variants.any(|variant| variant.failure.is_some()))
}

/// Returns the word for what a higher cost is.
fn worse(report: &SeriesReport) -> &'static str {
    if report.quantity.is_time() {
        "slower"
    } else {
        "worse"
    }
}

/// Tests each later variant against the first, and returns the outcome with a line about it.
fn tested(report: &SeriesReport, allowed: f64) -> Vec<(ComparisonOutcome, String)> {
    let Some((first, later)) = report.variants.split_first() else {
        return Vec::new();
    };
    let worse = worse(report);
    let test = |later: &str| {
        let row = report.verdict(later, &first.name);
        let outcome = row.as_ref().map_or(ComparisonOutcome::NotKnown, |row| {
            judged(report, row, allowed)
        });
        let (later, first) = (Plain(later), Plain(&first.name));
        let claim = format!("{worse} than {first} by more than {}", percent(allowed));
        let line = match outcome {
            ComparisonOutcome::Slower => format!("{worse}: {later} is {claim}"),
            ComparisonOutcome::NotSlower => format!("not {worse}: {later} is not {claim}"),
            _ => {
                let known = row.and_then(|row| row.low.zip(row.high)).map_or_else(
                    || "nothing is known of the two".to_owned(),
                    |(low, high)| {
                        format!(
                            "the ratio of {} is between {} and {}",
                            Plain(&report.quantity.name),
                            significant(low, 4),
                            significant(high, 4)
                        )
                    },
                );
                format!("not known whether {later} is {claim}: {known}")
            }
        };
        (outcome, line)
    };
    later.iter().map(|later| test(&later.name)).collect()
}

/// The outcome of the test of a row whose first variant is the later one.
fn judged(report: &SeriesReport, row: &SeriesVerdict, allowed: f64) -> ComparisonOutcome {
    // By how much more it costs, whichever way is better.
    let cost = if report.quantity.lower_is_better() {
        row.interval()
    } else {
        row.interval().inverse()
    };
    let limit = 1.0 + allowed;
    match (cost.low, cost.high) {
        (Some(low), _) if low > limit => ComparisonOutcome::Slower,
        (_, Some(high)) if high <= limit => ComparisonOutcome::NotSlower,
        _ => ComparisonOutcome::NotKnown,
    }
}
