//! States of tasks, for another terminal.

use super::listing::done_of;
use crate::cli::Status;
use crate::cli::agents::failure;
use crate::cli::failure::Failure;
use crate::cli::options::{Format, Output};
use crate::cli::picked_branch::AgentsFolder;
use crate::cli::{show, worktrees};
use bakeoff_agents::{AgentExperiment, AgentTaskState, RoundRecord, TaskStates};
use bakeoff_render::escape::Plain;
use serde::Serialize;
use std::fmt::Write as _;

/// Task, as a row in JSON.
#[derive(Serialize)]
struct StateRow<'a> {
    task: &'a str,
    state: &'a str,
    done: bool,
    worktree: Option<&'a str>,
}

/// The output in JSON.
#[derive(Serialize)]
struct States<'a> {
    running: bool,
    tasks: Vec<StateRow<'a>>,
    /// The last merge of results whose conflicts an agent was given.
    merge: Option<StateRow<'a>>,
}

/// Shows the states of tasks, or, where there are none, the worktrees of variants.
pub(crate) fn show_states(folder: &AgentsFolder, output: &Output) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let experiment = folder.open()?;
    let Some(states) = experiment.task_states().map_err(failure)? else {
        let mut rows = AgentExperiment::list(folder.repository()).map_err(failure)?;
        rows.retain(|row| row.experiment == folder.name());
        if output.format != Format::Json {
            let rounds = experiment.rounds();
            let line =
                |one: &RoundRecord| format!("round {}: {}\n", one.round, Plain(&one.result.text));
            show::write(&rounds.iter().map(line).collect::<String>())?;
        }
        return worktrees::show_rows(&rows, output);
    };
    if output.format == Format::Json {
        let row = |state| StateRow::of(state);
        show::write_json(&States {
            running: states.is_running,
            tasks: states.tasks.iter().map(row).collect(),
            merge: states.merge.as_ref().map(row),
        })?;
    } else {
        show::write(&text(&states))?;
    }
    Ok(Status::Done)
}

impl<'a> StateRow<'a> {
    fn of(state: &'a AgentTaskState) -> Self {
        Self {
            task: &state.name,
            state: &state.words,
            done: state.is_done,
            worktree: state.worktree.as_deref(),
        }
    }
}

fn text(all: &TaskStates) -> String {
    let states = &all.tasks;
    let done = states.iter().filter(|state| state.is_done).count();
    let now = if all.is_running {
        "the work goes on"
    } else {
        "nobody works now"
    };
    let mut text = format!("{}; {now}\n", done_of(done, states.len()));
    let width = states
        .iter()
        .chain(&all.merge)
        .map(|state| state.name.len())
        .max();
    let width = width.unwrap_or(0);
    for state in states.iter().chain(&all.merge) {
        let worktree = state.worktree.as_ref();
        let worktree = worktree.map_or_else(String::new, |path| format!("  ({path})"));
        let _ = writeln!(text, "  {:<width$}  {}{worktree}", state.name, state.words);
    }
    text
}
