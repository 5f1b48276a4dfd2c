//! The report as CSV: one row for each variant.

use super::escape::Csv;
use super::outcome::ComparisonOutcome;
use bakeoff_domain::report::{Report, VariantReport};
use std::collections::BTreeSet;

/// Returns the report's variants as CSV (RFC 4180), with a row of headings. Numbers are plain; an unknown number is an
/// empty field. Text is quoted, and never begins like a formula.
pub fn csv(report: &Report) -> String {
    table(report, None, &[])
}

/// The variants of a kept report as CSV: the same. If there are warnings of where it comes from, `note` is the last
/// column, which has them in all rows.
pub fn csv_of_kept(report: &Report, warnings: &[String]) -> String {
    table(report, None, warnings)
}

/// Returns the variants of a comparison as CSV: the same, with `outcome` as the first column, which says the same in
/// all rows.
pub fn csv_of_comparison(report: &Report, outcome: ComparisonOutcome) -> String {
    table(report, Some(outcome), &[])
}

fn table(report: &Report, outcome: Option<ComparisonOutcome>, warnings: &[String]) -> String {
    let sources: BTreeSet<&String> = report
        .variants
        .iter()
        .flat_map(|variant| variant.readings.keys())
        .collect();
    let mut head: Vec<String> = outcome.map(|_| quoted("outcome")).into_iter().collect();
    let of_variant = [
        "id",
        "name",
        "approach",
        "iteration",
        "parameters",
        "status",
    ];
    head.extend(of_variant.map(quoted));
    head.extend(["rank", "total", "total low", "total high"].map(quoted));
    for criterion in &report.criteria {
        head.extend(ends(&format!("score {}", criterion.name)).map(|title| quoted(&title)));
    }
    for source in &sources {
        head.extend(ends(source).map(|title| quoted(&title)));
        head.push(quoted(&format!("{source} unit")));
    }
    head.push(quoted("reason"));
    let note = (!warnings.is_empty()).then(|| quoted(&warnings.join("; ")));
    head.extend(note.as_ref().map(|_| quoted("note")));

    let mut out = head.join(",") + "\r\n";
    for variant in &report.variants {
        let outcome = outcome.map(|outcome| quoted(outcome.name()));
        let row = outcome.into_iter().chain(row(report, variant, &sources));
        let row = row.chain(note.clone());
        out += &row.collect::<Vec<String>>().join(",");
        out += "\r\n";
    }
    out
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

fn number(value: Option<f64>) -> String {
    let value = value.filter(|value| value.is_finite());
    value.map_or(String::new(), |value| value.to_string())
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
    let total = variant.total;
    row.push(number(total.map(|t| t.value)));
    row.push(number(total.and_then(|t| t.low)));
    row.push(number(total.and_then(|t| t.high)));
    for criterion in &report.criteria {
        let score = variant.scores.get(&criterion.name);
        row.push(number(score.map(|s| s.value)));
        row.push(number(score.and_then(|s| s.low)));
        row.push(number(score.and_then(|s| s.high)));
    }
    for source in sources {
        let reading = variant.readings.get(*source);
        row.push(number(reading.map(|r| r.value)));
        row.push(number(reading.and_then(|r| r.low)));
        row.push(number(reading.and_then(|r| r.high)));
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
