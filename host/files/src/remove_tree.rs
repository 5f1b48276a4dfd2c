//! The removal of a folder with all that is in it, whatever modes its folders have.
//!
//! What ran there may have taken rights away from its folders, and they are given back first. No link is followed. Errors
//! are those of [`std::fs::remove_dir_all`].

#[cfg(any(not(target_os = "linux"), test))]
mod by_handle;
#[cfg(target_os = "linux")]
mod by_path;

#[cfg(not(target_os = "linux"))]
pub(super) use by_handle::{remove_tree, remove_tree_in};
#[cfg(target_os = "linux")]
pub(super) use by_path::{remove_tree, remove_tree_in};

/// The mode of a folder whose owner can remove what is in it.
const REMOVABLE: u32 = 0o700;
/// The deepest folder whose mode is changed. Each level holds a handle.
const DEPTH_MAX: usize = 128;
