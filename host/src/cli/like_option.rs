//! The option for an earlier experiment that a new one is to be like.

use super::failure::Failure;
use crate::library::exploration::LikeExperiment;
use clap::Args;
use std::path::PathBuf;

/// The option for an earlier experiment.
#[derive(Debug, Args)]
pub(super) struct LikeOption {
    /// The folder of an earlier experiment: its criteria, limits and [measure] are taken over, and the model is shown its
    /// interface and workload as an example
    #[arg(id = "like", long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl LikeOption {
    /// Reads the experiment; `None` if none is named.
    ///
    /// # Errors
    /// Its folder has no experiment file that can be used, or a file that it names is a link, no text, or too large.
    pub(super) fn read(&self) -> Result<Option<LikeExperiment>, Failure> {
        let read = |folder: &PathBuf| LikeExperiment::read("--like", folder);
        Ok(self.folder.as_ref().map(read).transpose()?)
    }
}
