//! Reasons why tasks have not started, and numbers of tasks by their progress.

use super::slots::Lack;
use super::state::TaskState;
use super::task::{TaskKey, Until};
use super::task_queue::TaskQueue;
use std::time::Duration;

/// Numbers of tasks by their progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of tasks that have ended, in whichever way.
    pub over: usize,
    /// Number of tasks that a worker is at.
    pub leased: usize,
    /// Number of all other tasks.
    pub waiting: usize,
}

/// Reason why a task has not started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The ends of these tasks, or their results.
    Tasks(Vec<TaskKey>),
    /// A core, or quiet on the others.
    Core,
    /// Memory.
    Memory,
    /// Tokens of a rate limit.
    Tokens,
    /// The time of the task's next attempt.
    Retry,
    /// Other tasks whose turn comes first.
    Turn,
}

impl TaskQueue {
    /// Returns the numbers of tasks by their progress.
    pub fn counts(&self) -> Counts {
        let leased = self.deadlines.len();
        Counts {
            over: self.entries.len() - self.open.len(),
            leased,
            waiting: self.open.len() - leased,
        }
    }

    /// Returns the tasks that wait, in the order in which they were added, each with its reason. It takes time for
    /// every task before the last of them that has not ended, so callers take no more than they show.
    pub fn waiting(&self, now: Duration) -> impl Iterator<Item = (&TaskKey, WaitsFor)> {
        self.open.iter().filter_map(move |id| {
            let entry = &self.entries[id.0];
            let what = match entry.state {
                TaskState::Waiting { .. } => {
                    let after = entry.task.after.iter().filter(|dependency| {
                        let state = self.state(&dependency.key);
                        match dependency.until {
                            Until::Done => state != Some(&TaskState::Done),
                            Until::Ended => state.is_some_and(|state| !state.has_ended()),
                        }
                    });
                    WaitsFor::Tasks(after.map(|dependency| dependency.key.clone()).collect())
                }
                TaskState::Ready => match self.slots.lack(entry.class, &entry.task.needs, now) {
                    Some(Lack::Cpu) => WaitsFor::Core,
                    Some(Lack::Memory) => WaitsFor::Memory,
                    Some(Lack::Tokens { .. }) => WaitsFor::Tokens,
                    None => WaitsFor::Turn,
                },
                TaskState::WaitingForRetry { .. } => WaitsFor::Retry,
                _ => return None,
            };
            Some((&entry.task.key, what))
        })
    }
}
