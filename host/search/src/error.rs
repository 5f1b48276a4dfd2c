//! Errors of a search.

use bakeoff_config::ConfigError;
use bakeoff_run::RunError;
use bakeoff_store::StoreError;
use std::path::PathBuf;

/// The reason why a search cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A look at candidates ended.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The experiment cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The folder of the search cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record of the search cannot be read, renamed or written.
    #[error("cannot {action} {}: {reason}", path.display())]
    Journal {
        /// The action that failed.
        action: &'static str,
        /// Path of the record.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The experiment has nothing that the ways could change.
    #[error("{0}")]
    Nothing(String),
}
