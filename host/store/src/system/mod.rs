//! Calls that SQLite's files need, which each system has in another way.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(super) use linux::{open_without_links, real_path, set_errno};
#[cfg(target_os = "macos")]
pub(super) use macos::{open_without_links, real_path, set_errno};
