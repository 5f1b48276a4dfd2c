//! The input of a build.

use super::build_protocol::BuildKind;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, World};
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
    /// The memory that an instance may have, in bytes; timed code gets all of it in advance.
    pub memory_bytes: u64,
    /// True if the code is granted `wasi:config/store`, with the values of its parameters.
    pub parameters: bool,
}
