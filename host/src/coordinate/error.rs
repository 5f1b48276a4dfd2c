//! Why a run ends without a report. What a variant does wrong is never among these.

use crate::config::ConfigError;
use crate::measure::RunnerError;
use crate::store::StoreError;
use bakeoff_domain::failure::Failure;

/// Why a run ends without a report.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum RunError {
    /// The experiment cannot be run as it is written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// There is no compiler for prototypes.
    #[error("{0}")]
    Toolchain(String),
    /// Nothing here confines untrusted code.
    #[error(transparent)]
    Confinement(#[from] crate::confine::Unavailable),
    /// The workload cannot be built, so that nothing can be checked or measured.
    #[error("the workload {file} cannot be used ({}): {}", failure.class, failure.message)]
    Workload {
        /// Its file, as the experiment names it.
        file: String,
        /// Why.
        failure: Box<Failure>,
    },
    /// The workload failed while it was asked for inputs or judgement.
    #[error("the workload {file} failed, so nothing can be checked or measured: {reason}")]
    WorkloadRun {
        /// Its file, as the experiment names it.
        file: String,
        /// How.
        reason: String,
    },
    /// A child process could not do its work.
    #[error(transparent)]
    Runner(RunnerError),
    /// The results cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine does not work on this machine.
    #[error("the engine does not work here: {0}")]
    Engine(String),
    /// The machine could not do its part of a build.
    #[error("{0}")]
    Machine(String),
    /// The user asked to stop.
    #[error("interrupted; what is finished is kept")]
    Interrupted,
}
