//! Errors of asking a model or a proposer for approaches.

use crate::library::user_files::NamedFileError;
use crate::library::written_files::PlaceError;
use bakeoff_config::ConfigError;
use bakeoff_propose::PlanError;
use bakeoff_provider::AskError;
use bakeoff_render::escape::Plain;
use bakeoff_run::RunError;

/// The reason why a model or a proposer was not asked, or why nothing was written.
#[derive(Debug)]
pub(crate) enum GenerationError {
    /// The request cannot be carried out as it is, or what it is about was changed meanwhile.
    Usage(String),
    /// The model cannot be opened with its options.
    Model(String),
    /// A file that the user named cannot be used.
    File(NamedFileError),
    /// A file cannot be written.
    Place(PlaceError),
    /// There is no plan.
    Plan(PlanError),
    /// Something of the experiment or of this machine fails.
    Run(RunError),
    /// A record cannot be written as JSON.
    Json(serde_json::Error),
}

impl From<PlaceError> for GenerationError {
    fn from(error: PlaceError) -> Self {
        Self::Place(error)
    }
}

/// Returns the reason why a model gives no more answers: the class of its error, and what happened.
pub(crate) fn unanswered(error: &AskError) -> String {
    format!("{}: {}", error.class(), Plain(&error.to_string()))
}

impl From<NamedFileError> for GenerationError {
    fn from(error: NamedFileError) -> Self {
        Self::File(error)
    }
}

impl From<PlanError> for GenerationError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<RunError> for GenerationError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<ConfigError> for GenerationError {
    fn from(error: ConfigError) -> Self {
        Self::Run(RunError::Config(error))
    }
}

impl From<serde_json::Error> for GenerationError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}
