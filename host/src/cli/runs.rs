//! `bakeoff runs`: lists the runs of an experiment.

use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, report_source, show};
use bakeoff_domain::report::{Environment, Report, VerdictRow, words};
use bakeoff_render::escape::Plain;
use bakeoff_run::audit::compare_runs;
use bakeoff_store::{RunId, RunStatus, RunSummary};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Lists the runs of an experiment, oldest first, and what each said of the same pairs
///
/// Verdicts are worked out again from the samples, those of the last runs only (all of them in JSON). `bakeoff
/// compare RUN RUN` shows what changed between two.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff runs examples/top-k
  bakeoff runs examples/top-k --format json")]
pub(super) struct Arguments {
    /// An experiment's folder or file, or a folder of results
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    from: PathBuf,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    let folder = report_source::results(&arguments.from)?;
    let store = report_source::open(&folder)?;
    let mut runs = store.runs()?;
    let mut reports = Vec::new();
    let mut status = Status::Done;
    for run in runs.iter_mut().rev() {
        if output.format != Format::Json && reports.len() == RUNS_SHOWN {
            break;
        }
        if run.status != RunStatus::Finished {
            continue;
        }
        match report_source::of_run(&store, Some(run.id), &folder.path()) {
            Ok(shown) => {
                status = shown.status(status);
                run.winner.clone_from(&shown.report.recommendation.winner);
                reports.push((run.id, shown.report));
            }
            Err(failure) => {
                anstream::eprintln!("{}", failure.text());
                status = Status::NoAnswer;
                run.winner = None;
            }
        }
    }
    reports.reverse();
    list(&runs, &reports, output)?;
    Ok(status)
}

/// The most runs whose verdicts are shown beside each other as text.
const RUNS_SHOWN: usize = 12;
/// The most pairs whose verdicts are shown as text.
const PAIRS_SHOWN: usize = 8;

/// A run, as a row of the list in JSON.
#[derive(Serialize)]
struct RunRow<'a> {
    run: i64,
    name: &'a str,
    experiment_id: &'a str,
    status: &'a str,
    started: &'a str,
    updated: &'a str,
    seconds: f64,
    winner: Option<&'a str>,
    environment: Option<&'a Environment>,
    verdicts: Vec<&'a VerdictRow>,
}

impl<'a> RunRow<'a> {
    /// Adds the run's environment and its verdicts by time over all cases.
    fn with_verdicts(mut self, report: Option<&'a Report>) -> Self {
        self.environment = report.map(|report| &report.environment);
        let rows = report.into_iter().flat_map(|report| &report.verdicts);
        self.verdicts = rows.filter(|row| row.case.is_none()).collect();
        self
    }
}

impl<'a> From<&'a RunSummary> for RunRow<'a> {
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
            environment: None,
            verdicts: Vec::new(),
        }
    }
}

fn list(runs: &[RunSummary], reports: &[(RunId, Report)], output: &Output) -> Result<(), Failure> {
    output.only(&[Format::Human, Format::Json])?;
    if output.format == Format::Json {
        let report_of = |run: &RunSummary| {
            let found = reports.iter().find(|(id, _)| *id == run.id);
            found.map(|(_, report)| report)
        };
        let row = |run| RunRow::from(run).with_verdicts(report_of(run));
        let rows: Vec<RunRow<'_>> = runs.iter().map(row).collect();
        return show::write_json(&rows);
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
    text += &verdicts(reports);
    show::write(&text)
}

/// Returns the pairs of the last report with the verdict of each run, as text; empty for a single run.
fn verdicts(reports: &[(RunId, Report)]) -> String {
    let Some(((_, last), _)) = reports
        .split_last()
        .filter(|(_, earlier)| !earlier.is_empty())
    else {
        return String::new();
    };
    let mut text = String::new();
    let rows: Vec<&VerdictRow> = last
        .verdicts
        .iter()
        .filter(|row| row.case.is_none())
        .collect();
    for row in rows.iter().take(PAIRS_SHOWN) {
        let name = |id: &str| Plain(&words::name(last, id)).to_string();
        text += &format!("\n{} against {}\n", name(&row.a), name(&row.b));
        for (run, report) in reports {
            let said = words::ordered_row(report, &row.a, &row.b, None);
            let said = said.map_or("not compared".to_owned(), |said| {
                Plain(&words::pair_short(report, &said)).to_string()
            });
            text += &format!("  run {}: {said}\n", run.0);
        }
    }
    if rows.len() > PAIRS_SHOWN {
        let more = rows.len() - PAIRS_SHOWN;
        text += &format!("\n{more} more pairs: --format json has all\n");
    }
    let mut changes = String::new();
    for pair in reports.windows(2) {
        let ((_, before), (run, after)) = (&pair[0], &pair[1]);
        for (what, then, now) in compare_runs(before, after).environment {
            let (then, now) = (Plain(&then), Plain(&now));
            changes += &format!("  since run {}: {what} {then} → {now}\n", run.0);
        }
    }
    if !changes.is_empty() {
        text += "\nchanged meanwhile\n";
        text += &changes;
    }
    text
}
