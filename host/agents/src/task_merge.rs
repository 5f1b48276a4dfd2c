//! A conflict of the last merge: an agent is given both sides, as one is whose task begins with conflicts.

use super::completion::Completion;
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::merge::CommitMerge;
use super::slots::Slots;
use super::task_attempt::{PlacedAttempt, ReadyTask, is_done};
use super::task_orders::{TaskListener, TaskNews, TaskOrders};
use bakeoff_config::{AgentTask, ESTIMATE_MINUTES, RESULT_NAME, TaskWork};
use bakeoff_programs::CommandLine;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks for an interruption before another attempt.
const LOOK: Duration = Duration::from_millis(100);

/// Merge of a task's results that conflicts with what was merged before it.
#[derive(Clone, Debug)]
pub struct ConflictedMerge {
    /// Name of the task.
    pub task: String,
    /// Paths of the conflicts.
    pub conflicts: Vec<String>,
    /// Attempts of agents to resolve them in this command.
    pub attempts: u32,
    /// Time of all attempts with their checks, in seconds.
    pub seconds: f64,
    /// Reason why the last attempt was not taken; empty if the conflicts are resolved.
    pub reason: String,
}

/// Both sides of a conflict.
pub(crate) struct Conflict<'a> {
    /// The task whose results are merged.
    pub(crate) task: &'a AgentTask,
    /// Names of what is merged already: of tasks, or of a branch.
    pub(crate) before: &'a [&'a str],
    /// The merge with its conflicts.
    pub(crate) merged: CommitMerge,
    /// Checks of both sides.
    pub(crate) checks: &'a [CommandLine],
}

/// Agents that resolve conflicts, one after the other.
pub(crate) struct Resolver<'a> {
    pub(crate) experiment: &'a AgentExperiment,
    pub(crate) orders: &'a TaskOrders<'a>,
    /// Number of this command.
    pub(crate) command: u64,
    pub(crate) news: TaskListener<'a>,
}

impl Resolver<'_> {
    /// Has an agent resolve a conflict, as often as a task is tried. Returns the commit of what passed the checks of both
    /// sides, if there is one.
    pub(crate) fn resolve(
        &self,
        conflict: &Conflict<'_>,
    ) -> Result<(ConflictedMerge, Option<String>), AgentError> {
        let task = AgentTask {
            name: RESULT_NAME.to_owned(),
            work: TaskWork::Agent(prompt(conflict.task)),
            after: Vec::new(),
            priority: 0,
            estimate_minutes: ESTIMATE_MINUTES,
            checks: conflict
                .checks
                .iter()
                .map(|check| check.text().to_owned())
                .collect(),
        };
        let sides = [conflict.before, &[conflict.task.name.as_str()]].concat();
        let merged = conflict.merged.clone();
        let ready = ReadyTask::of_merge(self.orders, &task, merged, conflict.checks, sides);
        let completion = match ready.done_before(self.experiment) {
            Some(completion) => completion,
            None => self.attempts(&ready, &conflict.task.name)?,
        };
        // What one side deleted may have stayed as it was.
        let commit = completion.commit.as_ref();
        let commit = commit.unwrap_or(&conflict.merged.commit);
        let resolved = is_done(&completion).then(|| commit.clone());
        if resolved.is_some() {
            // All of it is in the commit; the next conflict begins in the same place.
            self.experiment.remove_worktree(RESULT_NAME)?;
        }
        let ended = ConflictedMerge {
            task: conflict.task.name.clone(),
            conflicts: conflict.merged.conflicts.clone(),
            attempts: completion.attempts,
            seconds: completion.all_seconds(),
            reason: match resolved {
                Some(_) => String::new(),
                None => completion.reason,
            },
        };
        Ok((ended, resolved))
    }

    /// Has agents try to resolve a conflict until one does, and returns the last completion.
    fn attempts(&self, ready: &ReadyTask<'_>, of: &str) -> Result<Completion, AgentError> {
        let mut last_reason: Option<String> = None;
        let mut wait = self.orders.retries.first_wait;
        let mut number = 1;
        loop {
            (self.news)(TaskNews::Merging {
                task: of,
                attempt: number,
            });
            let now = PlacedAttempt {
                command: self.command,
                number,
                last_reason: last_reason.as_deref(),
            };
            let completion = ready.attempt(self.experiment, self.orders, &now, &Slots::new(1))?;
            let is_last = is_done(&completion) || number > self.orders.retries.count;
            (self.news)(TaskNews::Ended(&completion, (!is_last).then_some(wait)));
            if is_last {
                return Ok(completion);
            }
            self.pause(wait)?;
            last_reason = Some(completion.reason);
            wait = wait.saturating_mul(2);
            number += 1;
        }
    }

    /// Waits before another attempt.
    fn pause(&self, wait: Duration) -> Result<(), AgentError> {
        let began = Instant::now();
        while !self.orders.interrupted.load(Ordering::Relaxed) {
            let left = wait.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
        Err(AgentError::Interrupted)
    }
}

/// Returns what the agent is told: which task it was, in a quotation.
fn prompt(task: &AgentTask) -> String {
    let what = match &task.work {
        TaskWork::Agent(prompt) => prompt.clone(),
        TaskWork::Experiment { file, into } => format!("The winner of {file} becomes {into}."),
    };
    let quoted: String = what
        .trim()
        .lines()
        .map(|line| format!("> {line}\n"))
        .collect();
    format!(
        "Bring the results of the task {} together with those of the others, and do nothing else. Both are done and passed \
         their checks; `git log --stat` shows what each changed. That task was:\n\n{quoted}",
        task.name
    )
}
