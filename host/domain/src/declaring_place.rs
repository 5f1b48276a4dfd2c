//! The place in which an experiment is declared.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Place in which an experiment is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeclaringPlace {
    /// An experiment file.
    #[default]
    InFile,
    /// The command line: there is no file, and paths are relative to the folder of the command.
    OnCommandLine,
    /// Sources on the command line, off which the interface and inputs are read, into temporary files.
    BySources,
    /// This WIT on the command line, of whose types inputs are drawn; the workload that does so is temporary.
    ByTypes(PathBuf),
}

impl DeclaringPlace {
    /// Returns true if interface and workload are temporary files.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::BySources | Self::ByTypes(_) => true,
            Self::InFile | Self::OnCommandLine => false,
        }
    }
}
