//! The document on several functions of a package at two revisions.

use super::document::{Block, Entry, Heading, Text};
use super::junit::{AskedTest, junit_of_tests};
use super::revised_functions::{RevisedFunction, RevisedTime, Revision, RevisionsReport};
use super::table::{Align, Table};
use super::{
    Options, clipped, escape::Csv, html, json, markdown, outcome::ComparisonOutcome, terminal,
};
use bakeoff_domain::numbers;
use bakeoff_domain::wording;
use serde::Serialize;

/// The version of the JSON object.
const SCHEMA_VERSION: u32 = 1;
/// The most characters of a reason.
const REASON_CHARS_MAX: usize = 1_200;
/// The most characters of what was found that a row shows: a table of 100 columns has room for it.
const FOUND_CHARS_MAX: usize = 48;

/// Returns what was found of a function, behind the words of its outcome.
fn stated(function: &RevisedFunction) -> String {
    let words = function.outcome.words();
    if function.found.starts_with(words) {
        function.found.clone()
    } else {
        format!("{words}: {}", function.found)
    }
}

/// Returns the report as text, which ends with the answer.
pub fn human_of_revisions(report: &RevisionsReport, options: &Options) -> String {
    terminal::written(&document(report), options)
}

/// Returns the answer in one line.
pub fn answer_of_revisions(report: &RevisionsReport, options: &Options) -> String {
    terminal::line(&report.answer(), options)
}

/// Returns the report as Markdown.
pub fn markdown_of_revisions(report: &RevisionsReport) -> String {
    markdown::written(&document(report), None)
}

/// Returns the report as a page.
pub fn html_of_revisions(report: &RevisionsReport) -> String {
    html::written(&document(report), None)
}

/// Returns the report as JSON.
pub fn json_of_revisions(report: &RevisionsReport) -> String {
    #[derive(Serialize)]
    struct Versioned<'a> {
        schema_version: u32,
        outcome: ComparisonOutcome,
        answer: String,
        #[serde(flatten)]
        report: &'a RevisionsReport,
    }
    json::written(&Versioned {
        schema_version: SCHEMA_VERSION,
        outcome: report.worst(),
        answer: report.answer(),
        report,
    })
}

/// The columns of CSV for functions that were compared natively, too.
const NATIVE_COLUMNS: [&str; 6] = [
    "natively_verdict",
    "natively_ratio",
    "natively_low",
    "natively_high",
    "natively_before_ns",
    "natively_after_ns",
];

/// Returns a row for each function as CSV (RFC 4180).
pub fn csv_of_revisions(report: &RevisionsReport) -> String {
    let quoted = |text: &str| Csv(text).to_string();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let head = [
        "function",
        "outcome",
        "same_code",
        "verdict",
        "ratio",
        "low",
        "high",
        "before_ns",
        "after_ns",
    ]
    .map(quoted);
    let natively = NATIVE_COLUMNS.map(quoted);
    let mut head = head.to_vec();
    if report.has_programs() {
        head.extend(natively);
    }
    let mut out = head.join(",") + "\r\n";
    for function in &report.functions {
        let times = |time: Option<&RevisedTime>| {
            [
                quoted(time.map_or("", |time| time.verdict.id())),
                number(time.and_then(|time| time.ratio)),
                number(time.and_then(|time| time.low)),
                number(time.and_then(|time| time.high)),
                number(time.and_then(|time| time.before_ns)),
                number(time.and_then(|time| time.after_ns)),
            ]
        };
        let mut cells = vec![
            quoted(&function.name),
            quoted(function.outcome.name()),
            function.is_same_code.to_string(),
        ];
        cells.extend(times(function.time.as_ref()));
        if report.has_programs() {
            let natively = function.natively.as_ref();
            let mut cells_natively = times(natively.and_then(|natively| natively.time.as_ref()));
            if natively.is_some_and(|natively| natively.has_failed) {
                cells_natively[0] = quoted("failed");
            }
            cells.extend(cells_natively);
        }
        out += &cells.join(",");
        out += "\r\n";
    }
    out
}

/// Returns the report as JUnit's XML, with a test for each function: `passes` says with which outcomes it passes.
pub fn junit_of_revisions(
    report: &RevisionsReport,
    passes: &dyn Fn(ComparisonOutcome) -> bool,
) -> String {
    let test = |function: &RevisedFunction| AskedTest {
        name: function.name.clone(),
        passed: passes(function.outcome),
        found: stated(function),
    };
    let tests: Vec<AskedTest> = report.functions.iter().map(test).collect();
    let name = format!(
        "{} from {} to {}",
        report.package, report.before.name, report.after.name
    );
    junit_of_tests(&name, report.worst(), &tests, &report.answer())
}

fn document(report: &RevisionsReport) -> Vec<Block> {
    let revision = |revision: &Revision| {
        let commit = revision.commit.get(..12).unwrap_or(&revision.commit);
        format!("{} ({commit})", clipped(&revision.name, 80))
    };
    let mut blocks = vec![
        Block::Title {
            name: format!(
                "{} from {} to {}",
                report.package,
                revision(&report.before),
                revision(&report.after)
            ),
            problem: format!(
                "{} confidence for all claims about {} together, {} for those about one.",
                numbers::confidence(report.confidence),
                wording::counted(report.functions.len(), "function"),
                numbers::confidence(report.confidence_of_each)
            ),
        },
        Block::Answer {
            text: report.answer(),
            outcome: report.outcome(),
        },
        Block::Heading(Heading::with("Functions", Some(""))),
        Block::Table(functions(report)),
    ];
    if report.has_programs() {
        blocks.push(Block::Heading(Heading::new("Natively")));
        blocks.push(Block::Table(programs(report)));
    }
    let details = report.functions.iter().filter_map(|function| {
        Some(Entry {
            name: function.name.clone(),
            status: function.outcome.to_string(),
            text: clipped(function.details.as_ref()?, REASON_CHARS_MAX),
            note: None,
        })
    });
    let details: Vec<Entry> = details.collect();
    if !details.is_empty() {
        let mut heading = Heading::new("Not compared");
        heading.is_bad = true;
        blocks.push(Block::Heading(heading));
        blocks.push(Block::Entries(details));
    }
    if !report.notes.is_empty() {
        blocks.push(Block::Heading(Heading::new("Notes")));
        let note = |note: &String| Text::outside(clipped(note, REASON_CHARS_MAX));
        blocks.push(Block::List(report.notes.iter().map(note).collect()));
    }
    blocks
}

/// The table of functions: the time of a call at both revisions, and the verdict about the later one.
fn functions(report: &RevisionsReport) -> Table {
    let mut table = table(report, "Functions");
    for function in &report.functions {
        table.row(row(&function.name, function.time.as_ref(), &function.found));
    }
    table
}

/// The same of the functions that were compared as programs of this machine.
fn programs(report: &RevisionsReport) -> Table {
    let mut table = table(report, "Natively");
    for function in &report.functions {
        if let Some(natively) = &function.natively {
            table.row(row(&function.name, natively.time.as_ref(), &natively.found));
        }
    }
    table
}

/// A table without rows, with a column for the function, for the time at both revisions and for the verdict.
fn table(report: &RevisionsReport, caption: &str) -> Table {
    let mut table = Table::of("function", caption);
    table.column(&clipped(&report.before.name, 40), Align::Right);
    table.column(&clipped(&report.after.name, 40), Align::Right);
    let [before, after] = [&report.before, &report.after].map(|one| clipped(&one.name, 40));
    table.column(&format!("{after} against {before}"), Align::Left);
    table
}

fn row(name: &str, times: Option<&RevisedTime>, found: &str) -> Vec<String> {
    let time = |ns: Option<f64>| ns.map_or_else(|| "–".to_owned(), |ns| numbers::reading(ns, "ns"));
    vec![
        clipped(name, 80),
        time(times.and_then(|times| times.before_ns)),
        time(times.and_then(|times| times.after_ns)),
        clipped(found, FOUND_CHARS_MAX),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::revised_functions::fixture::{function, report, with_programs};
    use super::*;
    use bakeoff_domain::verdict::Verdict;

    #[test]
    fn programs_have_a_table_and_columns_of_their_own_and_only_where_there_are_some() {
        let options = Options::default();
        let human = human_of_revisions(&with_programs(), &options);
        for part in ["Natively", "2.0 × faster, sure", "it panicked"] {
            assert!(human.contains(part), "{part}: {human}");
        }
        let csv = csv_of_revisions(&with_programs()).replace('"', "");
        let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<&str>>());
        let head = rows.next().unwrap();
        assert_eq!(head[9..], NATIVE_COLUMNS);
        assert_eq!(
            rows.next().unwrap()[9..],
            ["beats", "0.5", "0.4", "0.6", "2000", "1000"]
        );
        assert_eq!(rows.next().unwrap()[9..], [""; 6]);
        for text in [
            human_of_revisions(&report(), &options),
            csv_of_revisions(&report()),
        ] {
            assert!(!text.to_lowercase().contains("natively"), "{text}");
        }
    }

    #[test]
    fn every_format_has_every_function_and_no_control_character() {
        let options = Options::default();
        let passed = |outcome| outcome == ComparisonOutcome::Tie;
        let (human, csv) = (
            human_of_revisions(&report(), &options),
            csv_of_revisions(&report()),
        );
        let others = [
            markdown_of_revisions(&report()),
            html_of_revisions(&report()),
            json_of_revisions(&report()),
            junit_of_revisions(&report(), &passed),
        ];
        for text in [human, csv].iter().chain(&others) {
            for name in ["encode", "decode", "split"] {
                assert!(text.contains(name), "{name}: {text}");
            }
            assert!(!text.contains('\u{1b}'), "{text}");
        }
        let outcome = "\"outcome\": \"disagreement\",\n  \"answer\"";
        assert!(others[2].contains(outcome), "{}", others[2]);
        assert!(others[3].contains("failures=\"3\""), "{}", others[3]);
        assert!(
            others[3].contains("name=\"outcome\" value=\"disagreement\""),
            "{}",
            others[3]
        );
        let mut slower = function("f", ComparisonOutcome::Slower, Some(Verdict::Beaten));
        slower.found = "Slower: 1.5 × slower, sure".to_owned();
        assert_eq!(stated(&slower), "Slower: 1.5 × slower, sure");
        slower.found = "1.5 × slower, sure".to_owned();
        assert_eq!(stated(&slower), "Slower: 1.5 × slower, sure");
    }
}
