//! Files of code.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A file of code, as the experiment file names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// A Rust source file.
    Source(PathBuf),
    /// A WebAssembly component.
    Component(PathBuf),
}

impl Code {
    /// Returns the path of the file, for either kind of code.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Self::Source(path) | Self::Component(path) => path,
        }
    }
}
