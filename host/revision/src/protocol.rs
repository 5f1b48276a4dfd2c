//! The messages between the parent and the child in which git runs.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The name of the role.
pub(super) const ROLE: &str = "git";

/// The largest answer, in bytes.
pub(super) const ANSWER_BYTES_MAX: usize = 8 << 20;
/// The most files of a revision.
pub(super) const FILES_MAX: usize = 50_000;
/// The largest file of a revision that is read, in bytes.
pub(super) const FILE_BYTES_MAX: u64 = 32 << 20;
/// The most bytes of all files of a revision.
pub(super) const BYTES_MAX: u64 = 512 << 20;
/// The most paths that are named among those that were left out.
pub(super) const LEFT_OUT_MAX: usize = 20;
/// The most manifests that are looked at.
pub(super) const MANIFESTS_MAX: usize = 2_000;

/// The most sources of Rust that are named.
pub(super) const SOURCES_MAX: usize = 4_000;

/// The task of a child in which git runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GitTask {
    pub(super) git: PathBuf,
    pub(super) git_dir: PathBuf,
    /// The folder that the repository's working trees share.
    pub(super) common_dir: PathBuf,
    /// The folder that stands in its place, with settings of our own.
    pub(super) settings: PathBuf,
    pub(super) revision: String,
    /// The folder into which the files are written.
    pub(super) tree: PathBuf,
}

/// The files of a revision that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrittenTree {
    /// The id of the commit.
    pub(super) commit: String,
    /// Paths that were left out, up to [`LEFT_OUT_MAX`].
    pub(super) left_out: Vec<String>,
    /// The paths of all manifests of cargo, up to [`MANIFESTS_MAX`].
    pub(super) manifests: Vec<String>,
    /// The paths of all sources of Rust, up to [`SOURCES_MAX`], in their order.
    pub(super) sources: Vec<String>,
}

/// The answer of the child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum GitAnswer {
    Written(WrittenTree),
    /// There is no such commit.
    NoCommit,
    /// Git failed otherwise, with this reason.
    Failed(String),
}

/// Returns true if a text can be the id of an object: by SHA-1, or by SHA-256.
pub(super) fn is_id(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    [40, 64].contains(&text.len()) && text.bytes().all(is_digit)
}
