//! A program for which a worker starts a host.

use bakeoff_domain::measurement::VariantIndex;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A program of which a host is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HostedProgram {
    /// The variant that the program is.
    pub(super) variant: VariantIndex,
    /// The path of the interpreter; `None` if the program is started itself.
    pub(super) interpreter: Option<PathBuf>,
    /// The most memory of the program, in bytes.
    pub(super) memory_bytes: u64,
}
