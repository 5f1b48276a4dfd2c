//! Report of agents: what each of them left, as text, Markdown and JSON.

use super::measured::{MeasurePlan, MeasuredReport};
use super::opinion::{self, Opinion};
use crate::cli::options::Output;
use crate::cli::show;
use bakeoff_agents::{
    AgentVerification, AgentWorkOutcome, BestVariant, Changes, Claimed, Completion, Round,
};
use bakeoff_render::escape::{Markdown, Plain, ShellWord};
use serde::Serialize;
use std::fmt::Write as _;

/// Digits of a commit's id that are shown.
const ID_DIGITS: usize = 12;

/// Report in JSON.
#[derive(Serialize)]
pub(super) struct AgentsReport<'a> {
    version: u32,
    experiment: &'a str,
    base: &'a str,
    pub(super) answer: String,
    /// Completions of all rounds.
    pub(super) completions: Vec<&'a Completion>,
    /// Measurement of the last round.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<&'a MeasuredReport>,
    /// Rounds, where there may be several.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rounds: &'a [RoundReport],
    /// Opinions of a model, which decide nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) opinions: Vec<Opinion>,
}

/// Round in JSON.
#[derive(Serialize)]
pub(super) struct RoundReport {
    round: u32,
    /// Commit that it began with.
    base: String,
    /// Result of it, in words.
    text: String,
    /// The best variant that it brought.
    best: Option<BestVariant>,
    /// False if it is the last one.
    goes_on: bool,
    #[serde(skip)]
    completions: Vec<Completion>,
    /// Measurement; none if there is none, or a command before this one made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<MeasuredReport>,
    /// True if there may be others.
    #[serde(skip)]
    is_of_several: bool,
}

impl RoundReport {
    pub(super) fn new(round: Round, plan: Option<&MeasurePlan>) -> Self {
        let measured = plan
            .zip(round.measurement)
            .map(|(plan, found)| MeasuredReport::new(plan, found));
        let is_of_several = round.record.is_some();
        let result = round.record.map(|record| record.result);
        Self {
            round: round.round,
            base: round.base,
            text: match &result {
                Some(result) => result.text.clone(),
                None => answer(&round.completions, measured.as_ref()),
            },
            goes_on: result.as_ref().is_some_and(|result| result.goes_on),
            best: result.and_then(|result| result.best),
            completions: round.completions,
            measured,
            is_of_several,
        }
    }

    /// Returns the completions of its variants.
    pub(super) fn completions(&self) -> Vec<&Completion> {
        self.completions.iter().collect()
    }

    /// Returns true if the user ended its measurement.
    pub(super) fn is_interrupted(&self) -> bool {
        let measured = self.measured.as_ref();
        measured.is_some_and(MeasuredReport::is_interrupted)
    }

    /// Returns its heading.
    fn heading(&self) -> String {
        format!("round {}, from {}", self.round, short(&self.base))
    }
}

impl<'a> AgentsReport<'a> {
    pub(super) fn new((experiment, base): (&'a str, &'a str), rounds: &'a [RoundReport]) -> Self {
        let is_of_several = rounds.iter().any(|round| round.is_of_several);
        Self {
            version: 1,
            experiment,
            base,
            answer: match rounds {
                [only] if !is_of_several => only.text.clone(),
                _ => answer_of_rounds(rounds),
            },
            completions: rounds.iter().flat_map(|round| &round.completions).collect(),
            measured: rounds.last().and_then(|round| round.measured.as_ref()),
            rounds: if is_of_several { rounds } else { &[] },
            opinions: Vec::new(),
        }
    }
}

/// Returns the answer of several rounds: the best variant of the last one that brought one, and why there is no other round.
fn answer_of_rounds(rounds: &[RoundReport]) -> String {
    let last = rounds.last();
    let mut with_best = rounds.iter().rev();
    let best = with_best.find_map(|round| Some((round, round.best.as_ref()?)));
    let mut answer = match best {
        None => "No round brought one that is to be preferred.".to_owned(),
        Some((round, best)) if best.is_sure => {
            format!("{} of round {} is the best.", best.variant, round.round)
        }
        Some((round, best)) => format!(
            "{} of round {} was measured as the best, and others may be as good.",
            best.variant, round.round
        ),
    };
    if let Some(last) = last {
        answer += &format!(" Round {} was the last one: {}", last.round, last.text);
    }
    answer
}

/// Returns the answer in a sentence or two. Where nothing was measured, none is put before another.
fn answer(completions: &[Completion], measured: Option<&MeasuredReport>) -> String {
    let count = |wanted: AgentWorkOutcome| {
        let fits = completions.iter().filter(|row| row.outcome == wanted);
        fits.count()
    };
    let all = completions.len();
    let (passed, unverified) = (
        count(AgentWorkOutcome::Passed),
        count(AgentWorkOutcome::Unverified),
    );
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
        .find(|row| row.outcome == AgentWorkOutcome::Passed)
    {
        format!("Only {} of {all} passed the verification.", only.variant)
    } else {
        "None passed the verification.".to_owned()
    }
}

/// Returns the verifications that failed on the base, each once.
fn failed_on_base(completions: &[Completion]) -> Vec<&AgentVerification> {
    let mut failed: Vec<&AgentVerification> = Vec::new();
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
    remarks.extend(on_tests(&row.variant, "changed tests", &row.changes));
    remarks
}

/// Returns sentences on tests that somebody changed, in these words, and on files that decide how tests run.
pub(crate) fn on_tests(name: &str, changed: &str, changes: &Changes) -> Vec<String> {
    let lists = [
        (changed, &changes.tests),
        ("changed how tests may run", &changes.test_setup),
    ];
    let named = lists.into_iter().filter(|(_, paths)| !paths.is_empty());
    named
        .map(|(what, paths)| format!("{name} {what}: {}", paths.join(", ")))
        .collect()
}

/// Returns all sentences that stand below the table.
fn all_remarks(report: &RoundReport) -> Vec<String> {
    let mut all: Vec<String> = report.completions.iter().flat_map(remarks).collect();
    let claimed = report.completions.iter();
    all.extend(claims(
        claimed.map(|row| (row.variant.as_str(), row.claimed.as_ref())),
    ));
    let failed = failed_on_base(&report.completions).into_iter();
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

/// Returns a sentence on what agents say that they took, by their names; `None` if none says it.
pub(crate) fn claims<'a>(
    rows: impl Iterator<Item = (&'a str, Option<&'a Claimed>)>,
) -> Option<String> {
    let claims = rows.filter_map(|(name, claimed)| Some(format!("{name} {}", claimed?.in_words())));
    let claims: Vec<String> = claims.collect();
    let all = claims.join("; ");
    (!claims.is_empty()).then(|| format!("by the agents' own words they took: {all}"))
}

/// Counts of changes: files and lines.
pub(crate) fn counts(changes: &Changes) -> (u64, String) {
    let lines = format!("+{} −{}", changes.lines_added, changes.lines_deleted);
    (changes.files(), lines)
}

/// Returns the commands that show what was committed.
fn diffs(completions: &[&Completion]) -> Vec<String> {
    let diff = |row: &&Completion| {
        let branch = row.branch.as_ref()?;
        let base = short(row.first_base());
        Some(format!("git diff {base} {}", ShellWord(branch)))
    };
    completions.iter().filter_map(diff).collect()
}

/// Returns the first digits of a commit's id.
fn short(id: &str) -> &str {
    &id[..ID_DIGITS.min(id.len())]
}

/// Returns the report as text for a terminal.
pub(super) fn text(report: &AgentsReport<'_>, rounds: &[RoundReport], output: &Output) -> String {
    let completions = &report.completions;
    let mut text = format!("{}\n", Plain(&report.answer));
    for round in rounds {
        if round.is_of_several {
            let _ = write!(text, "\n{}\n{}\n", round.heading(), Plain(&round.text));
        }
        text += &round_text(round, output);
    }
    text += &opinion::text(&report.opinions);
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

/// Returns a round as text: its table, remarks on it, and its measurement.
fn round_text(round: &RoundReport, output: &Output) -> String {
    let width = round.completions.iter().map(|row| row.variant.len()).max();
    let width = width.unwrap_or(0).max("variant".len());
    let mut text = format!(
        "\n{:<width$}  outcome              seconds  files   lines\n",
        "variant"
    );
    for row in &round.completions {
        let (files, lines) = counts(&row.changes);
        let _ = writeln!(
            text,
            "{:<width$}  {:<19}  {:>7.1}  {files:>5}   {lines}",
            row.variant,
            row.outcome.words(),
            row.seconds
        );
    }
    for remark in all_remarks(round) {
        let _ = write!(text, "\n{}\n", Plain(&remark));
    }
    if let Some(measured) = &round.measured
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
    text
}

/// Returns the report as Markdown.
pub(super) fn markdown(
    report: &AgentsReport<'_>,
    rounds: &[RoundReport],
    output: &Output,
) -> String {
    let mut text = format!("{}\n", Markdown(&report.answer));
    for round in rounds {
        if round.is_of_several {
            let _ = write!(
                text,
                "\n## {}\n\n{}\n",
                round.heading(),
                Markdown(&round.text)
            );
        }
        text += "\n| variant | outcome | seconds | files | lines |\n|---|---|--:|--:|--:|\n";
        for row in &round.completions {
            let (files, lines) = counts(&row.changes);
            let _ = writeln!(
                text,
                "| {} | {} | {:.1} | {files} | {lines} |",
                Markdown(&row.variant),
                row.outcome.words(),
                row.seconds
            );
        }
        for remark in all_remarks(round) {
            let _ = write!(text, "\n{}\n", Markdown(&remark));
        }
        let compared = round.measured.as_ref().and_then(|one| one.report.as_ref());
        if let Some(compared) = compared {
            let options = show::options(show::Sources::new(), output);
            let compared = bakeoff_render::markdown_of_series(compared, &options);
            let _ = write!(text, "\n{compared}");
        }
    }
    text += &opinion::markdown(&report.opinions);
    let diffs = diffs(&report.completions);
    if !diffs.is_empty() {
        let _ = write!(text, "\n```\n{}\n```\n", diffs.join("\n"));
    }
    text
}
