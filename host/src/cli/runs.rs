//! `bakeoff runs`: what was run in a folder, and what became different between two runs.

use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, kept, show};
use crate::render::inert::Plain;
use crate::store::{
    Mode, RunComparison, RunId, RunSummary, Store, VariantChange, VerdictChange, compare,
};
use bakeoff_domain::report::{Report, Status as VariantStatus};
use bakeoff_domain::verdict::Verdict;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Lists the runs of an experiment, oldest first, or says what became different between two of
/// them. Times of two runs are no match for a comparison within one: `bakeoff compare` makes that.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff runs examples/top-k
  bakeoff runs examples/top-k --compare 1 2
  bakeoff runs examples/top-k --format json")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a folder of results
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
    /// Two runs by their numbers, the earlier one first
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    compare: Option<Vec<i64>>,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let folder = kept::results(&arguments.from)?;
    let store = Store::open(&folder, Mode::Read)?;
    let runs = store.runs()?;
    match arguments.compare.as_deref() {
        None => list(&runs, output)?,
        Some([before, after]) => {
            let before = report(&store, &runs, *before)?;
            let after = report(&store, &runs, *after)?;
            let comparison = compare(&before, &after);
            match output.format {
                Format::Json => show::write_json(&comparison)?,
                _ => show::write(&differences(&comparison))?,
            }
        }
        Some(_) => {
            return Err(Failure::usage("two runs are compared: --compare A B, once"));
        }
    }
    Ok(Status::Done)
}

/// A run in JSON.
#[derive(Serialize)]
struct Said<'a> {
    run: i64,
    name: &'a str,
    experiment_id: &'a str,
    status: &'a str,
    started: &'a str,
    updated: &'a str,
    seconds: f64,
    winner: Option<&'a str>,
}

impl<'a> From<&'a RunSummary> for Said<'a> {
    fn from(run: &'a RunSummary) -> Self {
        Self {
            run: run.id.0,
            name: &run.name,
            experiment_id: &run.experiment_id,
            status: run.status.name(),
            started: &run.started,
            updated: &run.updated,
            seconds: run.seconds,
            winner: run.winner.as_deref(),
        }
    }
}

fn list(runs: &[RunSummary], output: &Output) -> Result<(), Failure> {
    if output.format == Format::Json {
        let said: Vec<Said<'_>> = runs.iter().map(Said::from).collect();
        return show::write_json(&said);
    }
    let mut text = format!(
        "{:>4}  {:<20}  {:<11}  {:>9}  winner\n",
        "run", "started", "status", "seconds"
    );
    for run in runs {
        let started = Plain(&run.started).to_string();
        text += &format!(
            "{:>4}  {started:<20}  {:<11}  {:>9.1}  {}\n",
            run.id.0,
            run.status.name(),
            run.seconds,
            Plain(run.winner.as_deref().unwrap_or("–"))
        );
    }
    show::write(&text)
}

/// The report of a run by its number.
fn report(store: &Store, runs: &[RunSummary], number: i64) -> Result<Report, Failure> {
    let Some(run) = runs.iter().find(|run| run.id.0 == number) else {
        let known: Vec<String> = runs.iter().map(|run| run.id.to_string()).collect();
        return Err(Failure::usage(format!(
            "there is no run {number}; the runs are {}",
            known.join(", ")
        )));
    };
    store.report(Some(RunId(number)))?.ok_or_else(|| {
        let status = run.status.name();
        Failure::usage(format!("run {number} has no report: it is {status}"))
    })
}

fn differences(comparison: &RunComparison) -> String {
    let mut text = String::new();
    let (before, after) = &comparison.winner;
    text += &match before == after {
        true => format!("winner: {}, in both\n", word(before.as_deref())),
        false => format!(
            "winner: {}, then {}\n",
            word(before.as_deref()),
            word(after.as_deref())
        ),
    };
    for (name, before, after) in &comparison.environment {
        text += &format!(
            "measured elsewhere, so times may not be compared: {name} was {}, then {}\n",
            Plain(before),
            Plain(after)
        );
    }
    text += "variants:\n";
    for change in &comparison.variants {
        text += &variant(change);
    }
    if comparison.verdicts.is_empty() {
        return text + "verdicts: the same wherever both runs give one\n";
    }
    text += "verdicts that differ:\n";
    for change in &comparison.verdicts {
        text += &verdict(change);
    }
    text
}

fn variant(change: &VariantChange) -> String {
    let mut parts = vec![match change.status {
        (None, Some(after)) => format!("new, {}", status(after)),
        (Some(before), None) => format!("was {}, and is gone", status(before)),
        (Some(before), Some(after)) if before != after => {
            format!("{}, then {}", status(before), status(after))
        }
        (Some(both), Some(_)) => status(both).to_owned(),
        (None, None) => "in neither".to_owned(),
    }];
    if let (Some(before), Some(after)) = change.rank {
        parts.push(match before == after {
            true => format!("rank {after}"),
            false => format!("rank {before}, then {after}"),
        });
    }
    if let (Some(before), Some(after)) = change.total {
        parts.push(format!("score {before:.2}, then {after:.2}"));
    }
    format!("  {}: {}\n", Plain(&change.id), parts.join("; "))
}

fn verdict(change: &VerdictChange) -> String {
    let case = change.case.as_ref().map(|case| format!(" on {case}"));
    format!(
        "  {} against {}{}: {}, then {}\n",
        Plain(&change.a),
        Plain(&change.b),
        Plain(&case.unwrap_or_default()),
        said(change.before),
        said(change.after)
    )
}

fn word(id: Option<&str>) -> String {
    id.map_or_else(|| "none".to_owned(), |id| Plain(id).to_string())
}

fn status(status: VariantStatus) -> &'static str {
    match status {
        VariantStatus::Ranked => "ranked",
        VariantStatus::Eliminated => "eliminated",
        VariantStatus::Failed => "failed",
        VariantStatus::Unranked => "unranked",
    }
}

fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Beats => "beats it",
        Verdict::Beaten => "is beaten",
        Verdict::Tie => "ties",
        Verdict::NoCall => "no call",
    }
}
