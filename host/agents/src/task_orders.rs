//! Orders of the work on tasks, and the news of it.

use super::completion::Completion;
use super::instructions::Instructions;
use super::run_experiments::RunExperiments;
use super::task_schedule::TaskRetries;
use bakeoff_config::AgentTask;
use bakeoff_programs::{CommandLine, FenceReach};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Tasks, with commands and bounds of the work on them.
#[derive(Debug)]
pub struct TaskOrders<'a> {
    /// Tasks, each after those that it waits for.
    pub tasks: &'a [AgentTask],
    /// Commit that tasks begin from that wait for nothing.
    pub base: &'a str,
    /// Instructions that stand above each task.
    pub instructions: &'a Instructions,
    /// Runner of the experiments among the tasks.
    pub experiments: &'a dyn RunExperiments,
    /// Command of the agents.
    pub agent: &'a CommandLine,
    /// Commands that check each task.
    pub checks: &'a [Vec<CommandLine>],
    /// Patterns of tests, which an agent cannot change where they are there already.
    pub tests: &'a [String],
    /// Reach of agents and checks.
    pub reach: &'a FenceReach,
    /// The most agents that work at the same time.
    pub workers: usize,
    /// The longest time of an agent, and of each check.
    pub wall: Duration,
    /// Repetition of attempts that failed.
    pub retries: TaskRetries,
    /// True once the user has interrupted it.
    pub interrupted: &'a AtomicBool,
}

/// News of the work on tasks.
#[derive(Clone, Copy, Debug)]
pub enum TaskNews<'a> {
    /// An agent begins with an attempt at the task of this name.
    Started {
        /// Name of the task.
        task: &'a str,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Number of the worker, from 1.
        worker: usize,
    },
    /// The experiment of this task is run.
    Experiment(&'a str),
    /// The task is checked that an agent had worked on when the work was interrupted, and no agent is started.
    Checking(&'a str),
    /// An agent begins to resolve the conflicts of this task's results with those of others.
    Merging {
        /// Name of the task.
        task: &'a str,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// An attempt ended; there is another one after this time, if there is a time.
    Ended(&'a Completion, Option<Duration>),
    /// The task was done at an earlier time.
    Kept(&'a str),
}

/// Listener to news of tasks, which come from several threads.
pub type TaskListener<'a> = &'a (dyn Fn(TaskNews<'_>) + Sync);
