//! Errors of an exploration.

use super::chosen_criteria::CriteriaError;
use crate::library::generation::GenerationError;
use crate::library::user_files::NamedFileError;
use crate::library::written_files::PlaceError;
use bakeoff_config::ConfigError;
use bakeoff_propose::PlanError;
use bakeoff_run::RunError;
use std::path::PathBuf;

/// The reason why nothing came of an exploration.
#[derive(Debug)]
pub(crate) enum ExplorationError {
    /// The folder has an experiment that the same request did not leave unfinished.
    HasExperiment(PathBuf),
    /// The folder has an experiment, and a question in words has one of its own.
    HasOtherQuestion(PathBuf),
    /// A file in the folder was changed since the request ended, which therefore cannot go on.
    Changed { folder: PathBuf, file: String },
    /// The criteria that the user chose cannot be used.
    Criteria(CriteriaError),
    /// The model cannot be asked, or something of it, of the experiment or of this machine fails.
    Generation(GenerationError),
}

impl From<CriteriaError> for ExplorationError {
    fn from(error: CriteriaError) -> Self {
        Self::Criteria(error)
    }
}

impl From<GenerationError> for ExplorationError {
    fn from(error: GenerationError) -> Self {
        Self::Generation(error)
    }
}

impl From<PlaceError> for ExplorationError {
    fn from(error: PlaceError) -> Self {
        Self::Generation(error.into())
    }
}

impl From<NamedFileError> for ExplorationError {
    fn from(error: NamedFileError) -> Self {
        Self::Generation(error.into())
    }
}

impl From<PlanError> for ExplorationError {
    fn from(error: PlanError) -> Self {
        Self::Generation(error.into())
    }
}

impl From<RunError> for ExplorationError {
    fn from(error: RunError) -> Self {
        Self::Generation(error.into())
    }
}

impl From<ConfigError> for ExplorationError {
    fn from(error: ConfigError) -> Self {
        Self::Generation(error.into())
    }
}
