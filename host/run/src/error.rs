//! The errors that end a run without a report. Failures of variants are not among them.

use bakeoff_config::ConfigError;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::queue::{AddError, TaskKey};
use bakeoff_measure::RunnerError;
use bakeoff_store::StoreError;

/// The reason why a run ends without a report.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum RunError {
    /// The experiment cannot be run as it is written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// There is no compiler for prototypes.
    #[error("{0}")]
    Toolchain(String),
    /// This machine confines no untrusted code.
    #[error(transparent)]
    Confinement(#[from] bakeoff_confine::ConfinementError),
    /// The workload cannot be built, so that nothing can be checked or measured.
    #[error("the workload {file} cannot be used ({}): {}", failure.class, failure.message)]
    Workload {
        /// The workload's file, as the experiment names it.
        file: String,
        /// The failure of its build.
        failure: Box<Failure>,
    },
    /// The workload failed while it made inputs or judged answers.
    #[error("the workload {file} failed, so nothing can be checked or measured: {reason}")]
    WorkloadRun {
        /// The workload's file, as the experiment names it.
        file: String,
        /// The reason of the failure.
        reason: String,
    },
    /// A child process could not do its work.
    #[error(transparent)]
    Runner(RunnerError),
    /// The results cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Workers on other machines cannot be had.
    #[error("{0}")]
    Workers(String),
    /// The engine does not work on this machine.
    #[error("the engine does not work here: {0}")]
    Engine(String),
    /// The machine failed during a build, for a reason that is not the code's.
    #[error("{0}")]
    Machine(String),
    /// The evidence of the run contradicts itself, so that no report follows from it.
    #[error(
        "no report follows from what is kept of this run: {0}; `bakeoff run --fresh` starts over"
    )]
    Inconsistent(String),
    /// The user asked to stop.
    #[error("interrupted; what is finished is kept")]
    Interrupted,
}

impl RunError {
    /// Makes the error of a task that a queue does not accept: a bug of bakeoff.
    pub fn wrong_task(error: AddError) -> Self {
        Self::Engine(error.to_string())
    }

    /// A task whose every attempt was lost, the last one for this reason.
    pub fn dead_letter(key: &TaskKey, reason: &str) -> Self {
        Self::Engine(format!("{key}: {reason}, several times"))
    }
}
