//! Reach of the user's commands behind a fence.

use super::failure::Failure;
use crate::library;
use bakeoff_confine::Network;
use bakeoff_programs::FenceReach;
use std::path::PathBuf;

pub(super) use crate::library::holds_home;

/// Returns what commands can reach, as [`library::reach`] does.
///
/// # Errors
/// There is no such variable, or nothing of such a name.
pub(super) fn reach(
    network: Network,
    env: &[String],
    read: &[PathBuf],
) -> Result<FenceReach, Failure> {
    library::reach(network, env, read).map_err(Failure::usage)
}
