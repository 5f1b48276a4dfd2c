//! Errors of a comparison of files.

use bakeoff_config::ConfigError;
use bakeoff_domain::failure::Failure;
use bakeoff_run::RunError;

/// The reason why files are not compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A file or an option that does not fit; the message says what to do.
    #[error("{0}")]
    Usage(String),
    /// A file that is refused before it is built, as the compiler would refuse it.
    #[error("{0}")]
    NoAnswer(String),
    /// A file that does not build.
    #[error("{}", .0.message)]
    NotBuilt(Failure),
    /// An error of this machine.
    #[error("{0}")]
    Machine(String),
    /// An error of the calls that are made, or of the experiment that the files become.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl CompareError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn no_answer(message: impl Into<String>) -> Self {
        Self::NoAnswer(message.into())
    }

    pub(crate) fn machine(message: impl Into<String>) -> Self {
        Self::Machine(message.into())
    }
}

impl From<ConfigError> for CompareError {
    fn from(error: ConfigError) -> Self {
        RunError::Config(error).into()
    }
}
