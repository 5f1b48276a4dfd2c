//! The input of a build.

use super::build_protocol::BuildKind;
use crate::interface::{Interface, World};
use crate::source::BuildInput;
use std::sync::Arc;

/// A build to be made.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// The problem's interface.
    pub interface: Arc<Interface>,
    /// The world that the code implements.
    pub world: World,
    /// The code.
    pub code: BuildInput,
    /// The purpose of the build.
    pub kind: BuildKind,
    /// The memory that an instance may have, in bytes: timed code gets it in advance.
    pub memory_bytes: u64,
}

/// Counts the lines that are neither empty nor only a line comment.
pub fn source_lines(text: &str) -> u64 {
    let counts = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    text.lines().filter(counts).count() as u64
}
