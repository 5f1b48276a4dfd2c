//! What children can and cannot do behind their fences, tried by a child that is told to try.

mod bounds;
mod calls;
mod endings;
mod escape;
mod groups;
mod levels;
pub(crate) mod probe;

use bakeoff_confine::{
    ChildJob, Confinement, EscapeAttempt, Fence, Level, PROBE, ProbeConfig, Processes,
};
use probe::*;
use std::path::{Path, PathBuf};
use std::time::Duration;
