//! Report of agents: what each of them left, as text, Markdown and JSON.

use super::measured::MeasuredReport;
use crate::cli::options::Output;
use crate::cli::show;
use bakeoff_agents::{Changes, Completion, Outcome, Verification};
use bakeoff_render::escape::{Markdown, Plain, ShellWord};
use serde::Serialize;
use std::fmt::Write as _;

/// Digits of a commit's id that are shown.
const ID_DIGITS: usize = 12;

/// Report in JSON.
#[derive(Serialize)]
pub(super) struct AgentsReport<'a> {
    pub(super) version: u32,
    pub(super) experiment: &'a str,
    pub(super) base: &'a str,
    pub(super) answer: &'a str,
    pub(super) completions: &'a [Completion],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) measured: Option<&'a MeasuredReport>,
}

/// Returns the answer in a sentence or two. Where nothing was measured, none is put before another.
pub(super) fn answer(completions: &[Completion], measured: Option<&MeasuredReport>) -> String {
    let count = |wanted: Outcome| {
        let fits = completions.iter().filter(|row| row.outcome == wanted);
        fits.count()
    };
    let all = completions.len();
    let (passed, unverified) = (count(Outcome::Passed), count(Outcome::Unverified));
    let compared = measured.and_then(|measured| measured.report.as_ref());
    let measured = "Nothing was measured, so none is recommended over another.";
    if let Some(compared) = compared {
        format!(
            "{passed} of {all} passed the verification. {}",
            compared.text
        )
    } else if unverified > 0 {
        format!(
            "{unverified} of {all} left a commit, which nothing verified (--verify). {measured}"
        )
    } else if passed > 1 {
        format!(
            "{passed} of {all} passed the verification. {measured} `--measure COMMAND` times them against each other and \
             the base, and `bakeoff compare` compares their functions."
        )
    } else if let Some(only) = completions
        .iter()
        .find(|row| row.outcome == Outcome::Passed)
    {
        format!("Only {} of {all} passed the verification.", only.variant)
    } else {
        "None passed the verification.".to_owned()
    }
}

/// Returns the verifications that failed on the base, each once.
fn failed_on_base(completions: &[Completion]) -> Vec<&Verification> {
    let mut failed: Vec<&Verification> = Vec::new();
    let all = completions.iter().flat_map(|row| &row.base_verifications);
    for verification in all.filter(|verification| !verification.passed) {
        if !failed
            .iter()
            .any(|other| other.command == verification.command)
        {
            failed.push(verification);
        }
    }
    failed
}

/// Returns sentences on a completion that stand below the table.
fn remarks(row: &Completion) -> Vec<String> {
    let mut remarks = Vec::new();
    if !row.reason.is_empty() {
        let files = row.worktree.as_ref();
        let files = files.map_or_else(String::new, |path| format!(" (its files are in {path})"));
        remarks.push(format!("{}: {}{files}", row.variant, row.reason));
    }
    if !row.changes.tests.is_empty() {
        let tests = row.changes.tests.join(", ");
        remarks.push(format!("{} changed tests: {tests}", row.variant));
    }
    remarks
}

/// Returns all sentences that stand below the table.
fn all_remarks(report: &AgentsReport<'_>) -> Vec<String> {
    let mut all: Vec<String> = report.completions.iter().flat_map(remarks).collect();
    let failed = failed_on_base(report.completions).into_iter();
    all.extend(failed.map(|failed| {
        format!(
            "note: {} fails on the base, too: {}",
            failed.command, failed.reason
        )
    }));
    let not_built = report.measured.iter().flat_map(|one| &one.not_built);
    all.extend(not_built.map(|row| {
        format!(
            "{} could not be built, and is not measured: {}",
            row.name, row.reason
        )
    }));
    all
}

/// Counts of changes: files and lines.
pub(crate) fn counts(changes: &Changes) -> (u64, String) {
    let lines = format!("+{} −{}", changes.lines_added, changes.lines_deleted);
    (changes.files(), lines)
}

/// Returns the commands that show what was committed.
fn diffs(completions: &[Completion]) -> Vec<String> {
    let diff = |row: &Completion| {
        let branch = row.branch.as_ref()?;
        let base = &row.base[..ID_DIGITS.min(row.base.len())];
        Some(format!("git diff {base} {}", ShellWord(branch)))
    };
    completions.iter().filter_map(diff).collect()
}

/// Returns the report as text for a terminal.
pub(super) fn text(report: &AgentsReport<'_>, output: &Output) -> String {
    let completions = report.completions;
    let width = completions.iter().map(|row| row.variant.len()).max();
    let width = width.unwrap_or(0).max("variant".len());
    let mut text = format!(
        "{}\n\n{:<width$}  outcome              seconds  files   lines\n",
        Plain(report.answer),
        "variant"
    );
    for row in completions {
        let (files, lines) = counts(&row.changes);
        let _ = writeln!(
            text,
            "{:<width$}  {:<19}  {:>7.1}  {files:>5}   {lines}",
            row.variant,
            row.outcome.words(),
            row.seconds
        );
    }
    for remark in all_remarks(report) {
        let _ = write!(text, "\n{}\n", Plain(&remark));
    }
    if let Some(measured) = report.measured
        && let Some(compared) = &measured.report
    {
        let options = show::options(show::Sources::new(), output);
        let compared = bakeoff_render::human_of_series(compared, &options);
        let _ = write!(
            text,
            "\nmeasured by {}\n\n{compared}",
            Plain(&measured.command)
        );
    }
    let diffs = diffs(completions);
    if !diffs.is_empty() {
        text += "\nwhat they did\n";
    }
    for diff in diffs {
        let _ = writeln!(text, "  {diff}");
    }
    if completions.iter().any(|row| row.branch.is_some()) {
        let _ = write!(
            text,
            "\n`bakeoff pick .bakeoff/{} --variant NAME --apply` makes the changes of one in your files.",
            report.experiment
        );
    }
    let _ = write!(
        text,
        "\n`bakeoff worktrees --remove {}` removes the worktrees, and leaves the branches.\n",
        report.experiment
    );
    text
}

/// Returns the report as Markdown.
pub(super) fn markdown(report: &AgentsReport<'_>, output: &Output) -> String {
    let completions = report.completions;
    let mut text = format!(
        "{}\n\n| variant | outcome | seconds | files | lines |\n|---|---|--:|--:|--:|\n",
        Markdown(report.answer)
    );
    for row in completions {
        let (files, lines) = counts(&row.changes);
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {files} | {lines} |",
            Markdown(&row.variant),
            row.outcome.words(),
            row.seconds
        );
    }
    for remark in all_remarks(report) {
        let _ = write!(text, "\n{}\n", Markdown(&remark));
    }
    if let Some(compared) = report.measured.and_then(|one| one.report.as_ref()) {
        let options = show::options(show::Sources::new(), output);
        let compared = bakeoff_render::markdown_of_series(compared, &options);
        let _ = write!(text, "\n{compared}");
    }
    let diffs = diffs(completions);
    if !diffs.is_empty() {
        let _ = write!(text, "\n```\n{}\n```\n", diffs.join("\n"));
    }
    text
}
