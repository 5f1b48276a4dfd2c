//! A task that is an experiment: the source of its winner becomes a file of the repository.

use super::completion::{AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::fenced_program::last_part;
use super::orders::Orders;
use super::run_experiments::{RunExperiments, TaskExperiment, TaskExperimentAnswer};
use super::verification::files_of;
use super::worktree;
use std::io::Write as _;
use std::time::Instant;

/// Paths of the task, from the top of the repository.
#[derive(Clone, Copy)]
pub(crate) struct TaskPaths<'a> {
    /// Path of the experiment file.
    pub(crate) file: &'a str,
    /// Path of the file that the source of the winner becomes.
    pub(crate) into: &'a str,
}

/// Runs the experiment of a task on the files of its base, and commits the source of the winner. `first_base` is what the
/// first tasks began with: an experiment file that was there is the one that the user meant.
pub(crate) fn experiment_attempt(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    name: &str,
    paths: TaskPaths<'_>,
    first_base: &str,
    runs: &dyn RunExperiments,
) -> Result<Completion, AgentError> {
    let request = orders.request;
    let began = Instant::now();
    let folder = experiment.make_worktree(name, &request.base)?;
    let mut completion = Completion::begun(name, &request.base, AgentWorkOutcome::NoWinner);
    let answer = match refusal(experiment, orders, paths.file, first_base)? {
        Some(reason) => TaskExperimentAnswer::None(reason),
        None => {
            let files = files_of(experiment, orders, &request.base)?;
            runs.run(&TaskExperiment {
                files: files.work(),
                file: paths.file,
                results: experiment.results_of_task(name)?,
                wall: orders.wall,
                interrupted: orders.interrupted,
            })
        }
    };
    worktree::remove_inner(&folder)?;
    completion.seconds = began.elapsed().as_millis() as f64 / 1e3;
    let (source, text) = match answer {
        TaskExperimentAnswer::Take { source, text } => (source, text),
        TaskExperimentAnswer::Interrupted => return Err(AgentError::Interrupted),
        TaskExperimentAnswer::None(reason) => {
            completion.reason = last_part(reason.as_bytes());
            return Ok(completion);
        }
    };
    completion.reply = last_part(text.as_bytes());
    let refused = |mut completion: Completion, reason: String| {
        completion.outcome = AgentWorkOutcome::Refused;
        completion.reason = reason;
        Ok(completion)
    };
    let written = || -> std::io::Result<()> {
        let new = folder.new_file(paths.into)?;
        new.file().write_all(&source)?;
        new.put_in_place()
    };
    if let Err(error) = written() {
        return refused(
            completion,
            format!("the winner cannot become {:?}: {error}", paths.into),
        );
    }
    let message = format!("{name}: {}\n", text.lines().next().unwrap_or_default());
    let git = experiment.git();
    let committed = worktree::commit(&git, &request.base, &folder, &message, &|_| false);
    drop(git);
    match committed {
        Ok(Some((commit, changes))) => {
            completion.outcome = AgentWorkOutcome::Committed;
            completion.commit = Some(commit);
            completion.changes = changes;
        }
        // The winner stands there already.
        Ok(None) => completion.outcome = AgentWorkOutcome::NothingChanged,
        Err(AgentError::Usage(reason)) => return refused(completion, reason),
        Err(error) => return Err(error),
    }
    Ok(completion)
}

/// Returns why an experiment is not run: its base has conflicts, or another file than the user's own in its place.
fn refusal(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    file: &str,
    first_base: &str,
) -> Result<Option<String>, AgentError> {
    if !orders.conflicts.is_empty() {
        return Ok(Some(format!(
            "the tasks that it waits for conflict in {}: a task with an agent, between these and this one, resolves that",
            orders.conflicts.join(", ")
        )));
    }
    let git = experiment.git();
    let entry = |commit: &str| git.text(&["ls-tree", "--full-tree", commit, "--", file]);
    let (first, own) = (entry(first_base)?, entry(&orders.request.base)?);
    Ok(if own.is_empty() {
        Some(format!(
            "there is no {file:?} in the files that it begins with: name one that is committed, or that a task before it \
             writes"
        ))
    } else if !own.starts_with("100") {
        Some(format!("{file:?} is no plain file"))
    } else if !first.is_empty() && first != own {
        Some(format!(
            "a task before it changed {file:?}, which was there at the beginning: an experiment is run as its user wrote it"
        ))
    } else {
        None
    })
}
