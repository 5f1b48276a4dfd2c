//! The document of a report about values that were measured outside of a sandbox: commands, or somebody's rows.

use super::charts::ratio_chart;
use super::document::{Block, Entry, Heading, Text};
use super::junit::{AskedTest, junit_of_tests};
use super::ratio_rows::{RatioRelation, RatioRow};
use super::table::{Align, Table};
use super::{
    Options, clipped, escape::Csv, html, json, markdown, outcome::ComparisonOutcome, terminal,
};
use bakeoff_domain::numbers;
use bakeoff_domain::report::words::{ShownStanding, capitalised};
use bakeoff_domain::report::{Claim, Interval};
use bakeoff_domain::series::{CaseValues, SeriesReport, SeriesVariant, SeriesVerdict};
use serde::Serialize;

/// The most verdicts about single cases that are listed.
const CASE_VERDICTS_MAX: usize = 40;
/// The most characters of a note or a reason.
const SENTENCE_CHARS_MAX: usize = 1_200;

/// Returns the warnings of a report about a series as the first lines of a text.
pub fn warnings_of_series(report: &SeriesReport, options: &Options) -> String {
    terminal::warnings(&report.warnings, options)
}

/// Returns a report about a series as text, without its warnings, which ends with the answer.
pub fn human_of_series(report: &SeriesReport, options: &Options) -> String {
    terminal::written(&document(report, options), options)
}

/// Returns the answer in one line.
pub fn answer_of_series(report: &SeriesReport, options: &Options) -> String {
    terminal::line(&report.text, options)
}

/// Returns a report about a series as Markdown.
pub fn markdown_of_series(report: &SeriesReport, options: &Options) -> String {
    markdown::written(&document(report, options), None)
}

/// Returns a report about a series as a page.
pub fn html_of_series(report: &SeriesReport, options: &Options) -> String {
    html::written(&document(report, options), None)
}

/// Returns a report about a series as JSON, with the outcome of the test that was asked for, if there was one.
pub fn json_of_series(report: &SeriesReport, test: Option<ComparisonOutcome>) -> String {
    #[derive(Serialize)]
    struct Tested<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        test: Option<ComparisonOutcome>,
        #[serde(flatten)]
        report: &'a SeriesReport,
    }
    json::written(&Tested { test, report })
}

/// Returns the verdicts of a report about a series as CSV (RFC 4180).
pub fn csv_of_series(report: &SeriesReport) -> String {
    let quoted = |text: &str| Csv(text).to_string();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let head = [
        "a",
        "b",
        "case",
        "verdict",
        "claim",
        "value",
        "low",
        "high",
        "blocks",
        "below_threshold",
    ]
    .map(quoted);
    let mut out = head.join(",") + "\r\n";
    for row in &report.verdicts {
        let claim = if row.claim == Claim::Ratio {
            "ratio"
        } else {
            "mean-difference"
        };
        let cells = [
            quoted(&row.a),
            quoted(&row.b),
            quoted(row.case.as_deref().unwrap_or_default()),
            quoted(row.verdict.id()),
            quoted(claim),
            number(row.value),
            number(row.low),
            number(row.high),
            row.blocks.to_string(),
            row.below_threshold.to_string(),
        ];
        out += &cells.join(",");
        out += "\r\n";
    }
    out
}

/// Returns tests about the report as JUnit's XML.
pub fn junit_of_series(
    report: &SeriesReport,
    outcome: ComparisonOutcome,
    tests: &[AskedTest],
) -> String {
    junit_of_tests(&report.quantity.name, outcome, tests, &report.text)
}

fn document(report: &SeriesReport, options: &Options) -> Vec<Block> {
    let compared = report.variants.len();
    let warnings = report.warnings.iter().chain(&options.warnings);
    let mut blocks = vec![
        Block::Title {
            name: format!(
                "{compared} variants by {}",
                clipped(&report.quantity.name, 80)
            ),
            problem: format!(
                "{}, {} confidence for all claims together",
                report.size(),
                numbers::confidence(report.confidence),
            ),
        },
        Block::Warnings(warnings.cloned().collect()),
        Block::Answer {
            text: report.text.clone(),
            outcome: report.outcome,
        },
        Block::Heading(Heading::with("Values", Some(""))),
        Block::Table(values(report)),
    ];
    ratios(&mut blocks, report);
    cases(&mut blocks, report);
    failures(&mut blocks, report);
    if !report.notes.is_empty() {
        blocks.push(Block::Heading(Heading::new("Notes")));
        let notes = report.notes.iter();
        let note = |note: &String| Text::outside(clipped(note, SENTENCE_CHARS_MAX));
        blocks.push(Block::List(notes.map(note).collect()));
    }
    if let Some(seed) = &report.seed {
        let mut heading = Heading::new("How to repeat the orders");
        heading.is_detail = true;
        blocks.push(Block::Heading(heading));
        blocks.push(Block::Pairs(vec![("seed", format!("--seed {seed}"))]));
    }
    blocks
}

/// The table of values: the mean of each variant, by case, and what was measured besides.
fn values(report: &SeriesReport) -> Table {
    let quantity = &report.quantity;
    let mut table = Table::new(&format!("Mean {}", quantity.name));
    if report.cases.is_empty() {
        table.column(
            &format!("mean {} (median within)", quantity.name),
            Align::Right,
        );
    }
    for case in &report.cases {
        table.column(case, Align::Right);
    }
    let also = report.variants.iter().map(|variant| &variant.also);
    let also = also
        .max_by_key(|also| also.len())
        .cloned()
        .unwrap_or_default();
    for also in &also {
        table.column(&also.name, Align::Right);
    }
    table.column("values", Align::Right);
    for variant in &report.variants {
        let mut row = vec![variant.name.clone()];
        let mean_on = |case: Option<&String>| {
            let mut values = variant.values.iter();
            let found = values.find(|values| values.case.as_ref() == case);
            found.map_or_else(|| "–".to_owned(), |found| mean(report, found))
        };
        if report.cases.is_empty() || quantity.compares_means() {
            let rest = report.cases.len().saturating_sub(1);
            row.push(mean_on(None));
            row.extend(std::iter::repeat_n(String::new(), rest));
        } else {
            row.extend(report.cases.iter().map(|case| mean_on(Some(case))));
        }
        for column in &also {
            let mut own = variant.also.iter();
            let own = own.find(|one| one.name == column.name);
            row.push(own.map_or_else(
                || "–".to_owned(),
                |own| numbers::reading(own.mean, &own.unit),
            ));
        }
        let count = variant
            .values
            .iter()
            .map(|values| values.count)
            .sum::<u64>();
        row.push(numbers::count(count));
        table.row(row);
    }
    table
}

fn mean(report: &SeriesReport, values: &CaseValues) -> String {
    let quantity = &report.quantity;
    let mean = quantity.shown(values.mean);
    match (values.low, values.high) {
        (Some(low), Some(high)) if low != high => {
            format!("{mean} ({}–{})", quantity.shown(low), quantity.shown(high))
        }
        _ => mean,
    }
}

/// The variant that others are shown against: the winner, or the first that no other is surely better than.
fn reference(report: &SeriesReport) -> Option<&str> {
    let timed = |name: &&String| {
        report
            .variant(name)
            .is_some_and(|variant| !variant.values.is_empty())
    };
    let first = report
        .winner
        .as_ref()
        .or(report.unbeaten.iter().find(timed));
    first.map(String::as_str)
}

fn standing(report: &SeriesReport, name: &str) -> ShownStanding {
    let others = report.variants.iter().filter(|other| other.name != name);
    let rows = others.filter_map(|other| report.verdict(name, &other.name));
    ShownStanding::by(rows.map(|row| row.verdict))
}

fn standing_name(standing: ShownStanding, is_time: bool) -> &'static str {
    match standing {
        ShownStanding::Fastest if !is_time => "the best",
        ShownStanding::TiedForFastest if !is_time => "a tie for the best",
        other => other.name(),
    }
}

/// All variants with verdicts against the reference, which comes first, then by ratio.
fn ratio_rows(report: &SeriesReport) -> Vec<RatioRow> {
    let Some(reference) = reference(report) else {
        return Vec::new();
    };
    let row = |variant: &SeriesVariant| {
        let row = report.verdict(&variant.name, reference)?;
        let ratio = row.value.filter(|_| row.claim == Claim::Ratio);
        Some(RatioRow {
            id: variant.name.clone(),
            name: variant.name.clone(),
            ratio: ratio.map(|value| Interval {
                value,
                low: row.low,
                high: row.high,
            }),
            relation: RatioRelation::Verdict(row.verdict),
            summary: report.pair_text(&row),
            brief: row.verdict.name().to_owned(),
        })
    };
    let mut rows: Vec<RatioRow> = report.variants.iter().filter_map(row).collect();
    let value = |row: &RatioRow| row.ratio.map_or(f64::INFINITY, |ratio| ratio.value);
    rows.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let standing = standing(report, reference);
    let text = standing_name(standing, report.quantity.is_time());
    let first = RatioRow {
        id: reference.to_owned(),
        name: reference.to_owned(),
        ratio: None,
        relation: RatioRelation::Reference(standing),
        summary: text.to_owned(),
        brief: text.to_owned(),
    };
    rows.insert(0, first);
    rows
}

fn ratios(blocks: &mut Vec<Block>, report: &SeriesReport) {
    let rows = ratio_rows(report);
    if rows.len() < 2 {
        return;
    }
    let name = capitalised(&report.quantity.name);
    let reference = &rows[0].name;
    let title = format!("{name} against {reference}");
    let mut table = Table::new(&title);
    table.column("verdict", Align::Left);
    for row in &rows {
        table.row(vec![row.name.clone(), row.summary.clone()]);
    }
    let is_ratio = !report.quantity.compares_means();
    let in_terminal = if is_ratio {
        format!("{title} (logarithmic)")
    } else {
        title.clone()
    };
    blocks.push(Block::Heading(Heading::with(&title, Some(&in_terminal))));
    match ratio_chart(&rows, &report.quantity.name, table.clone()).filter(|_| is_ratio) {
        Some(chart) => blocks.push(Block::Chart { chart, lines: rows }),
        None => blocks.push(Block::Table(table)),
    }
}

/// Verdicts about single cases.
fn cases(blocks: &mut Vec<Block>, report: &SeriesReport) {
    let of_cases = report
        .verdicts
        .iter()
        .filter_map(|row| Some((row.case.as_ref()?, row)));
    let of_cases: Vec<(&String, &SeriesVerdict)> = of_cases.collect();
    if of_cases.is_empty() {
        return;
    }
    blocks.push(Block::Heading(Heading::new("By case")));
    let mut table = Table::of("case", "By case");
    table.column("pair", Align::Left);
    table.column("verdict", Align::Left);
    for (case, row) in of_cases.iter().take(CASE_VERDICTS_MAX) {
        let pair = format!("{} against {}", row.a, row.b);
        table.row(vec![(*case).clone(), pair, report.pair_text(row)]);
    }
    blocks.push(Block::Table(table));
    let more = of_cases.len().saturating_sub(CASE_VERDICTS_MAX);
    if more > 0 {
        let text = format!("{more} more are in --format json.");
        blocks.push(Block::Paragraph(Text::ours(text)));
    }
}

fn failures(blocks: &mut Vec<Block>, report: &SeriesReport) {
    let failed = report.variants.iter().filter_map(|variant| {
        Some(Entry {
            name: variant.name.clone(),
            status: "failed".to_owned(),
            text: clipped(variant.failure.as_ref()?, SENTENCE_CHARS_MAX),
            note: None,
        })
    });
    let failed: Vec<Entry> = failed.collect();
    if !failed.is_empty() {
        let mut heading = Heading::new("Not compared");
        heading.is_bad = true;
        blocks.push(Block::Heading(heading));
        blocks.push(Block::Entries(failed));
    }
}
