//! Commands that read what coding agents left in worktrees of a repository. None of them starts an agent: that leave is
//! given on the command line alone.

use super::child::{Invocation, WorkingFolder};
use super::commands::{self, option};
use super::error::ToolError;
use super::fence::CommandKind;
use super::roots::Roots;
use super::workspace::Workspace;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

/// The most bytes of the name of a variant.
const NAME_BYTES_MAX: usize = 64;

/// Returns the command that says how far the agents of an experiment are. The workspace must live as long as it runs.
pub(super) fn status(
    (repository, folder): (File, PathBuf),
    roots: &Roots,
) -> Result<(Invocation, Workspace), ToolError> {
    reading(repository, vec!["status".into(), folder.into()], roots)
}

/// Returns the command that lists all worktrees of a repository.
pub(super) fn worktrees(
    repository: File,
    roots: &Roots,
) -> Result<(Invocation, Workspace), ToolError> {
    reading(repository, vec!["worktrees".into()], roots)
}

/// Returns the command that shows the branch of a variant, or of the one that is ahead, with its changes.
pub(super) fn pick(
    (repository, folder): (File, PathBuf),
    variant: Option<String>,
    roots: &Roots,
) -> Result<(Invocation, Workspace), ToolError> {
    let mut words = vec!["pick".into(), folder.into()];
    let variant = option("variant", variant, NAME_BYTES_MAX)?;
    words.extend(variant.map(OsString::from));
    reading(repository, words, roots)
}

fn reading(
    repository: File,
    words: Vec<OsString>,
    roots: &Roots,
) -> Result<(Invocation, Workspace), ToolError> {
    let workspace = Workspace::new()?;
    let folder = WorkingFolder::Opened(repository);
    let invocation = commands::invocation(words, folder, roots, &workspace)?;
    let invocation = Invocation {
        kind: CommandKind::ReadingGit,
        ..commands::reading(invocation)
    };
    Ok((invocation, workspace))
}
