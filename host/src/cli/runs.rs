//! `bakeoff runs`: lists the runs of an experiment.

use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, kept, show};
use crate::render::escape::Plain;
use crate::store::RunSummary;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Lists the runs of an experiment, oldest first
///
/// `bakeoff compare RUN RUN` shows what changed between two of them.
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
    let folder = kept::results(&arguments.from)?;
    let store = kept::open(&folder)?;
    let runs = store.runs()?;
    list(&runs, output)?;
    Ok(Status::Done)
}

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
        }
    }
}

fn list(runs: &[RunSummary], output: &Output) -> Result<(), Failure> {
    if output.format == Format::Json {
        let rows: Vec<RunRow<'_>> = runs.iter().map(RunRow::from).collect();
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
    show::write(&text)
}
