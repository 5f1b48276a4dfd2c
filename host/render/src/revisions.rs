//! The document on several functions of a package at two revisions.

use super::document::{Block, Entry, Heading, Text};
use super::junit::{AskedTest, junit_of_tests};
use super::table::{Align, Table};
use super::{
    Options, clipped, escape::Csv, html, json, markdown, outcome::ComparisonOutcome, terminal,
};
use bakeoff_domain::numbers;
use bakeoff_domain::report::RankingOutcome;
use bakeoff_domain::verdict::Verdict;
use serde::Serialize;

/// The version of the JSON object.
const SCHEMA_VERSION: u32 = 1;
/// The most characters of a reason.
const REASON_CHARS_MAX: usize = 1_200;
/// The most characters of what was found that a row shows: a table of 100 columns has room for it.
const FOUND_CHARS_MAX: usize = 48;
/// The most functions that the answer names of one kind.
const NAMED_MAX: usize = 5;

/// A revision of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The revision as its user named it.
    pub name: String,
    /// The id of its commit.
    pub commit: String,
}

/// A function at both revisions: what came of comparing them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedFunction {
    /// The function, with its modules.
    pub name: String,
    /// The outcome, as of a comparison of two files. A winner is surely ahead.
    pub outcome: ComparisonOutcome,
    /// True if both revisions have the same code for it, so that nothing was timed.
    pub is_same_code: bool,
    /// The verdict about the later revision: `1.3 × slower, 1.2–1.4, sure`; or the reason why there is none.
    pub found: String,
    /// The verdict by time about the later revision against the earlier one, if they were timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<RevisedTime>,
    /// The same as programs of this machine, if it was compared so, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub natively: Option<RevisedNatively>,
    /// The seed of inputs and orders, if inputs were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// More about a function that cannot be compared: the differing answers, the compiler's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// A function at both revisions, built for this machine and run as programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedNatively {
    /// The verdict about the later revision: `1.3 × slower, 1.2–1.4, sure`; or the reason why there is none.
    pub found: String,
    /// The verdict by time about the later revision against the earlier one, if they were timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<RevisedTime>,
}

/// Times of a function at both revisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedTime {
    /// The verdict about the later revision against the earlier one.
    pub verdict: Verdict,
    /// Time of a call at the earlier revision, in nanoseconds.
    pub before_ns: Option<f64>,
    /// Time of a call at the later revision, in nanoseconds.
    pub after_ns: Option<f64>,
    /// The time of the later revision divided by that of the earlier one.
    pub ratio: Option<f64>,
    /// The lower end of the ratio's interval.
    pub low: Option<f64>,
    /// The upper end of the ratio's interval.
    pub high: Option<f64>,
}

/// Several functions of a package at two revisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisionsReport {
    /// The package.
    pub package: String,
    /// The earlier revision, which the other one is compared with.
    pub before: Revision,
    /// The later revision.
    pub after: Revision,
    /// The confidence of all claims about all functions together.
    pub confidence: f64,
    /// The confidence of the claims about one function: all of them share what may be wrong.
    pub confidence_of_each: f64,
    /// The functions, in the order in which they were asked for or stand in the library.
    pub functions: Vec<RevisedFunction>,
    /// Sentences on what was left out, and on what the times hang on.
    pub notes: Vec<String>,
}

impl RevisionsReport {
    /// Returns the answer in a sentence or two.
    pub fn answer(&self) -> String {
        let of = |wanted: &dyn Fn(&RevisedFunction) -> bool| {
            let found = self.functions.iter().filter(|one| wanted(one));
            found.map(|one| one.name.clone()).collect::<Vec<String>>()
        };
        let is = |function: &RevisedFunction, verdict: Verdict| {
            function
                .time
                .as_ref()
                .is_some_and(|time| time.verdict == verdict)
        };
        let slower = of(&|one| is(one, Verdict::Beaten));
        let faster = of(&|one| is(one, Verdict::Beats));
        let same = of(&|one| one.is_same_code);
        let tied = of(&|one| is(one, Verdict::Tie));
        let differ = of(&|one| one.outcome == ComparisonOutcome::Disagreement);
        let known = [&slower, &faster, &same, &tied, &differ];
        let open = of(&|one| !known.iter().any(|names| names.contains(&one.name)));
        let parts = [
            (differ, "answer differently"),
            (slower, "surely slower"),
            (faster, "surely faster"),
            (tied, "a tie"),
            (same, "the same code"),
            (open, "without a verdict"),
        ];
        let parts = parts.iter().filter(|(names, _)| !names.is_empty());
        let parts: Vec<String> = parts
            .map(|(names, what)| format!("{what}: {}", listed(names)))
            .collect();
        format!(
            "Of {} of {} at {}, against {}: {}.{}",
            counted(self.functions.len()),
            self.package,
            self.after.name,
            self.before.name,
            parts.join("; "),
            self.natively_otherwise()
        )
    }

    /// Returns a sentence on what is otherwise natively, after a space; nothing if nothing is.
    fn natively_otherwise(&self) -> String {
        let of = |wanted: Verdict| {
            let found = self.functions.iter().filter(|one| {
                let natively = one
                    .natively
                    .as_ref()
                    .and_then(|natively| natively.time.as_ref());
                natively.is_some_and(|time| time.verdict == wanted)
                    && one.time.as_ref().is_none_or(|time| time.verdict != wanted)
            });
            found.map(|one| one.name.clone()).collect::<Vec<String>>()
        };
        let parts = [
            (of(Verdict::Beaten), "surely slower"),
            (of(Verdict::Beats), "surely faster"),
        ];
        let parts = parts.iter().filter(|(names, _)| !names.is_empty());
        let parts: Vec<String> = parts
            .map(|(names, what)| format!("{what}: {}", listed(names)))
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!(
                " Built for this machine it is otherwise: {}.",
                parts.join("; ")
            )
        }
    }

    /// Returns true if functions were compared natively, too.
    fn has_programs(&self) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|function| function.natively.is_some())
    }

    /// Returns the outcome that wants most attention of those that functions have.
    fn worst(&self) -> ComparisonOutcome {
        const BY_ATTENTION: [ComparisonOutcome; 11] = [
            ComparisonOutcome::Disagreement,
            ComparisonOutcome::Slower,
            ComparisonOutcome::BuildFailed,
            ComparisonOutcome::AllFail,
            ComparisonOutcome::NotTimed,
            ComparisonOutcome::NotKnown,
            ComparisonOutcome::Nothing,
            ComparisonOutcome::NoCall,
            ComparisonOutcome::NotSlower,
            ComparisonOutcome::Winner,
            ComparisonOutcome::Tie,
        ];
        let has = |outcome: &ComparisonOutcome| {
            let mut functions = self.functions.iter();
            functions.any(|function| function.outcome == *outcome)
        };
        let found = BY_ATTENTION.into_iter().find(has);
        found.unwrap_or(ComparisonOutcome::Nothing)
    }

    /// Returns the outcome by which the answer is set off.
    fn outcome(&self) -> RankingOutcome {
        let has = |wanted: ComparisonOutcome| {
            let mut functions = self.functions.iter();
            functions.any(|function| function.outcome == wanted)
        };
        let is_open = self.functions.iter().any(|function| {
            !matches!(
                function.outcome,
                ComparisonOutcome::Winner | ComparisonOutcome::Tie | ComparisonOutcome::NotSlower
            )
        });
        match (is_open, has(ComparisonOutcome::Winner)) {
            (true, _) => RankingOutcome::NoCall,
            (false, true) => RankingOutcome::Winner,
            (false, false) => RankingOutcome::Tie,
        }
    }
}

/// Returns what was found of a function, behind the words of its outcome.
fn stated(function: &RevisedFunction) -> String {
    let words = function.outcome.words();
    if function.found.starts_with(words) {
        function.found.clone()
    } else {
        format!("{words}: {}", function.found)
    }
}

/// Returns a confidence in per cent with up to two decimals: `95 %`, `97.5 %`.
fn confidence(fraction: f64) -> String {
    let text = format!("{:.2}", 100.0 * fraction);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn counted(count: usize) -> String {
    if count == 1 {
        "1 function".to_owned()
    } else {
        format!("{count} functions")
    }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED_MAX);
    let shown = names[..names.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
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
        answer: String,
        #[serde(flatten)]
        report: &'a RevisionsReport,
    }
    json::written(&Versioned {
        schema_version: SCHEMA_VERSION,
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
            cells.extend(times(natively.and_then(|natively| natively.time.as_ref())));
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
                confidence(report.confidence),
                counted(report.functions.len()),
                confidence(report.confidence_of_each)
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
    use super::*;

    fn function(
        name: &str,
        outcome: ComparisonOutcome,
        verdict: Option<Verdict>,
    ) -> RevisedFunction {
        RevisedFunction {
            name: name.to_owned(),
            outcome,
            is_same_code: outcome == ComparisonOutcome::Tie && verdict.is_none(),
            found: "found".to_owned(),
            time: verdict.map(|verdict| RevisedTime {
                verdict,
                before_ns: Some(1e3),
                after_ns: Some(1.5e3),
                ratio: Some(1.5),
                low: Some(1.4),
                high: None,
            }),
            natively: None,
            seed: None,
            details: verdict.is_none().then(|| "why\u{1b}[31m".to_owned()),
        }
    }

    fn report() -> RevisionsReport {
        let revision = |name: &str| Revision {
            name: name.to_owned(),
            commit: "0123456789abcdef0123456789abcdef01234567".to_owned(),
        };
        RevisionsReport {
            package: "codec".to_owned(),
            before: revision("main"),
            after: revision("HEAD"),
            confidence: 0.95,
            confidence_of_each: 0.99,
            functions: vec![
                function("encode", ComparisonOutcome::Winner, Some(Verdict::Beaten)),
                function("decode", ComparisonOutcome::Tie, None),
                function("a::split", ComparisonOutcome::Disagreement, None),
                function("b", ComparisonOutcome::NoCall, Some(Verdict::NoCall)),
            ],
            notes: vec!["a note".to_owned()],
        }
    }

    #[test]
    fn a_confidence_is_not_rounded_to_another() {
        assert_eq!(confidence(0.95), "95 %");
        assert_eq!(confidence(0.975), "97.5 %");
        assert_eq!(confidence(1.0 - 0.05 / 20.0), "99.75 %");
    }

    #[test]
    fn the_answer_names_each_function_once() {
        let answer = report().answer();
        assert_eq!(
            answer,
            "Of 4 functions of codec at HEAD, against main: answer differently: a::split; surely slower: encode; the \
             same code: decode; without a verdict: b."
        );
    }

    /// The report, of which a function has another order natively, one has no result there, and one the same.
    fn with_programs() -> RevisionsReport {
        let natively = |verdict: Option<Verdict>, found: &str| RevisedNatively {
            found: found.to_owned(),
            time: verdict.map(|verdict| RevisedTime {
                verdict,
                before_ns: Some(2e3),
                after_ns: Some(1e3),
                ratio: Some(0.5),
                low: Some(0.4),
                high: Some(0.6),
            }),
        };
        let mut report = report();
        report.functions[0].natively = Some(natively(Some(Verdict::Beats), "2.0 × faster, sure"));
        report.functions[2].natively = Some(natively(None, "HEAD has no result: it panicked"));
        report.functions[3].natively = Some(natively(Some(Verdict::NoCall), "no call"));
        report
    }

    #[test]
    fn another_order_natively_is_in_the_answer_and_the_same_one_is_not() {
        let mut report = with_programs();
        let otherwise = " Built for this machine it is otherwise: surely faster: encode.";
        assert!(report.answer().ends_with(otherwise), "{}", report.answer());
        let natively = report.functions[0].natively.as_mut().unwrap();
        natively.time.as_mut().unwrap().verdict = Verdict::Beaten;
        assert!(
            !report.answer().contains("this machine"),
            "{}",
            report.answer()
        );
        // A verdict that only programs have.
        let natively = report.functions[3].natively.as_mut().unwrap();
        natively.time.as_mut().unwrap().verdict = Verdict::Beaten;
        let otherwise = " Built for this machine it is otherwise: surely slower: b.";
        assert!(report.answer().ends_with(otherwise), "{}", report.answer());
    }

    #[test]
    fn programs_have_a_table_and_columns_of_their_own_and_only_where_there_are_some() {
        let options = Options::default();
        let human = human_of_revisions(&with_programs(), &options);
        for part in ["Natively", "2.0 × faster, sure", "it panicked"] {
            assert!(human.contains(part), "{part}: {human}");
        }
        let csv = csv_of_revisions(&with_programs());
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
