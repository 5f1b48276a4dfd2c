//! Experiments of tasks, as whoever runs them sees them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Experiment of a task, to be run.
#[derive(Debug)]
pub struct TaskExperiment<'a> {
    /// Folder with the files of the task's base, to which nobody else writes.
    pub files: &'a Path,
    /// Path of the experiment file from there.
    pub file: &'a str,
    /// Folder for its results.
    pub results: PathBuf,
    /// The longest time that it may take.
    pub wall: Duration,
    /// True once the user has interrupted it.
    pub interrupted: &'a AtomicBool,
}

/// Answer of an experiment.
#[derive(Debug)]
pub enum TaskExperimentAnswer {
    /// This source is to be taken.
    Take {
        /// Source of one that no other is surely ahead of.
        source: Vec<u8>,
        /// The answer in words.
        text: String,
    },
    /// No source is to be taken, for this reason.
    None(String),
    /// The user interrupted it.
    Interrupted,
}

/// Runs experiments of tasks, as `bakeoff run` does.
pub trait RunExperiments: fmt::Debug + Sync {
    /// Runs one.
    fn run(&self, wanted: &TaskExperiment<'_>) -> TaskExperimentAnswer;
}
