//! `bakeoff worktrees`: the worktrees of agents in a repository.

use super::agents::failure;
use super::failure::Failure;
use super::options::{Format, Output};
use super::{Status, show};
use bakeoff_agents::{AgentExperiment, WorktreeState};
use clap::Args;
use serde::Serialize;
use std::path::Path;

/// Lists the worktrees that `bakeoff agents` and `bakeoff work` made in this repository, with their state and size, or removes them
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff worktrees
  bakeoff worktrees --remove agents        their branches stay

What is not committed on a branch is not removed without --force.")]
pub(super) struct Arguments {
    /// Remove the worktrees of this experiment
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,
    /// Remove also what is not committed
    #[arg(long, requires = "remove")]
    force: bool,
}

/// Worktree, as a row in JSON.
#[derive(Serialize)]
struct WorktreeRow<'a> {
    experiment: &'a str,
    variant: &'a str,
    state: &'a str,
    branch: Option<&'a str>,
    bytes: Option<u64>,
}

fn state(row: &WorktreeState) -> &'static str {
    match &row.completion {
        Some(completion) => completion.outcome.words(),
        None if row.is_aside => "set aside",
        None => "not ended",
    }
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let here = Path::new(".");
    let listed = AgentExperiment::list(here).map_err(failure)?;
    let mut rows = listed;
    if let Some(name) = &arguments.remove {
        if !rows.iter().any(|row| row.experiment == *name) {
            return Err(Failure::usage(format!(
                "there are no worktrees of {name:?}: `bakeoff worktrees` lists those that are there"
            )));
        }
        let experiment = AgentExperiment::open(here, name).map_err(failure)?;
        experiment.remove(arguments.force).map_err(failure)?;
        rows.retain(|row| row.experiment == *name);
    }
    show_rows(&rows, output)?;
    if arguments.remove.is_some() && output.format != Format::Json {
        show::write("\nremoved; the branches are there\n")?;
    }
    Ok(Status::Done)
}

/// Shows worktrees with their states.
pub(super) fn show_rows(rows: &[WorktreeState], output: &Output) -> Result<Status, Failure> {
    if output.format == Format::Json {
        let row = |row| WorktreeRow::of(row);
        let rows: Vec<WorktreeRow<'_>> = rows.iter().map(row).collect();
        show::write_json(&rows)?;
    } else {
        show::write(&text(rows))?;
    }
    Ok(Status::Done)
}

impl<'a> WorktreeRow<'a> {
    fn of(row: &'a WorktreeState) -> Self {
        let completion = row.completion.as_ref();
        Self {
            experiment: &row.experiment,
            variant: &row.variant,
            state: state(row),
            branch: completion.and_then(|completion| completion.branch.as_deref()),
            bytes: row.bytes,
        }
    }
}

fn text(rows: &[WorktreeState]) -> String {
    if rows.is_empty() {
        return "There are no worktrees of agents in this repository.\n".to_owned();
    }
    let mut text = String::new();
    for row in rows {
        let size = row.bytes.map_or("large".to_owned(), |bytes| {
            format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
        });
        text += &format!(
            "{}/{}  {}  {size}\n",
            row.experiment,
            row.variant,
            state(row)
        );
    }
    text
}
