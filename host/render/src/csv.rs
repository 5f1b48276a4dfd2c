//! The report as CSV: one row for each variant.

use super::escape::Csv;
use super::in_words;
use super::outcome::ComparisonOutcome;
use bakeoff_domain::report::{CriterionSummary, Interval, Reading, Report, VariantReport, words};
use std::collections::BTreeSet;

/// Returns the report's variants as CSV (RFC 4180), with a row of headings. Those of a question in words begin with two
/// columns that say in all rows that nothing was run, and what could be. Numbers are plain; an unknown number is an
/// empty field. Text is quoted, and never begins like a formula.
pub fn csv(report: &Report) -> String {
    table(report, None, &[])
}

/// The variants of a kept report as CSV: the same. If there are warnings of where it comes from, or the run has not
/// ended, `note` is the last column, which says so in all rows.
pub fn csv_of_kept(report: &Report, warnings: &[String]) -> String {
    table(report, None, warnings)
}

/// Returns the variants of a comparison as CSV: the same, with `outcome` as the first column, which says the same in
/// all rows.
pub fn csv_of_comparison(report: &Report, outcome: ComparisonOutcome) -> String {
    table(report, Some(outcome), &[])
}

fn table(report: &Report, outcome: Option<ComparisonOutcome>, warnings: &[String]) -> String {
    let unfinished = report.unfinished.as_ref();
    let unfinished = unfinished.map(|_| report.recommendation.text.clone());
    let notes: Vec<String> = warnings.iter().cloned().chain(unfinished).collect();
    let sources: BTreeSet<&String> = report
        .variants
        .iter()
        .flat_map(|variant| variant.readings.keys())
        .collect();
    let words = report.in_words.as_ref();
    let notice = words.map(|words| quoted(&words.notice));
    let measurable = words.map(|_| quoted(&in_words::sentences(report).join("; ")));
    let notice: Vec<String> = notice.into_iter().chain(measurable).collect();
    let titles = notice.iter().zip(["notice", "could be measured"]);
    let mut head: Vec<String> = titles.map(|(_, title)| quoted(title)).collect();
    head.extend(outcome.map(|_| quoted("outcome")));
    head.extend(
        [
            "id",
            "name",
            "approach",
            "iteration",
            "parameters",
            "status",
        ]
        .map(quoted),
    );
    head.extend(["rank", "total", "total low", "total high"].map(quoted));
    for criterion in &report.criteria {
        let title = format!("score {}", words::column_name(criterion));
        head.extend(ends(&title).map(|title| quoted(&title)));
    }
    for source in &sources {
        match opinion_on(report, source) {
            Some(criterion) => {
                let title = words::column_name(criterion);
                head.push(quoted(&title));
                head.extend(OPINION_COLUMNS.map(|what| quoted(&format!("{title} {what}"))));
            }
            None => {
                head.extend(ends(source).map(|title| quoted(&title)));
                head.push(quoted(&format!("{source} unit")));
            }
        }
    }
    head.push(quoted("reason"));
    let note = (!notes.is_empty()).then(|| quoted(&notes.join("; ")));
    head.extend(note.as_ref().map(|_| quoted("note")));

    let mut out = head.join(",") + "\r\n";
    for variant in &report.variants {
        let outcome = outcome.map(|outcome| quoted(outcome.name()));
        let before = notice.iter().cloned().chain(outcome);
        let row = before.chain(row(report, variant, &sources));
        let row = row.chain(note.clone());
        out += &row.collect::<Vec<String>>().join(",");
        out += "\r\n";
    }
    out
}

/// The columns beside that of an opinion: the spread of the votes is no interval of a measurement.
const OPINION_COLUMNS: [&str; 6] = ["deviation", "lowest", "highest", "votes", "unit", "reason"];

/// Returns the criterion whose opinions a source is; `None` if it is measured.
fn opinion_on<'a>(report: &'a Report, source: &str) -> Option<&'a CriterionSummary> {
    let mut criteria = report.criteria.iter().filter(|one| one.is_opinion());
    criteria.find(|one| one.source == source)
}

/// Returns the opinion of a variant's source, and the columns beside it.
fn opinion(
    report: &Report,
    criterion: &CriterionSummary,
    variant: &VariantReport,
) -> [String; 1 + OPINION_COLUMNS.len()] {
    let on = report
        .opinions
        .as_ref()
        .and_then(|one| one.on(&criterion.name));
    let found = on.and_then(|on| on.variants.iter().find(|one| one.variant == variant.id));
    let reading = variant.readings.get(&criterion.source);
    let number = |value: Option<f64>| {
        let value = value.filter(|value| value.is_finite());
        value.map_or(String::new(), |value| value.to_string())
    };
    [
        number(reading.map(|one| one.value)),
        number(found.and_then(|one| one.deviation)),
        number(found.map(|one| one.lowest)),
        number(found.map(|one| one.highest)),
        number(found.map(|one| f64::from(one.votes))),
        quoted(reading.map_or("", |one| one.unit.as_str())),
        quoted(found.map_or("", |one| one.reason.as_str())),
    ]
}

/// Returns headings for a value and the ends of its interval.
fn ends(title: &str) -> [String; 3] {
    [
        title.to_owned(),
        format!("{title} low"),
        format!("{title} high"),
    ]
}

fn quoted(text: &str) -> String {
    Csv(text).to_string()
}

/// Returns a value and the ends of its interval, each empty if it is not known.
fn interval(found: Option<Interval>) -> [String; 3] {
    let value = found.map(|one| one.value);
    let ends = [
        value,
        found.and_then(|one| one.low),
        found.and_then(|one| one.high),
    ];
    ends.map(|end| {
        let end = end.filter(|end| end.is_finite());
        end.map_or(String::new(), |end| end.to_string())
    })
}

fn row(report: &Report, variant: &VariantReport, sources: &BTreeSet<&String>) -> Vec<String> {
    let parameters: Vec<String> = variant
        .parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut row = vec![
        quoted(&variant.id),
        quoted(&variant.name),
        quoted(&variant.approach),
        variant.iteration.to_string(),
        quoted(&parameters.join(" ")),
        quoted(variant.status.name()),
        variant.rank.map_or(String::new(), |rank| rank.to_string()),
    ];
    row.extend(interval(variant.total));
    for criterion in &report.criteria {
        row.extend(interval(variant.scores.get(&criterion.name).copied()));
    }
    for source in sources {
        let reading = variant.readings.get(*source);
        if let Some(criterion) = opinion_on(report, source) {
            row.extend(opinion(report, criterion, variant));
            continue;
        }
        row.extend(interval(reading.map(Reading::interval)));
        row.push(quoted(reading.map_or("", |r| r.unit.as_str())));
    }
    let failure = variant.failure.as_ref();
    let failure = failure.map(|f| format!("{}: {}", f.class, f.message));
    let reason = failure
        .or_else(|| variant.reason.clone())
        .unwrap_or_default();
    row.push(quoted(&super::clipped(&reason, super::MESSAGE_CHARS_MAX)));
    row
}
