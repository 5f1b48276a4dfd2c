//! Branches of our own in the user's repository: named, moved, and freed of locks that a killed git left.

use super::error::AgentError;
use super::git::{Git, GitCommand, Place};
use bakeoff_files::Folder;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Time for which a lock has to be there unchanged until it is removed: git holds one for much less.
const STALE: Duration = Duration::from_secs(2);
/// The largest file that says what is checked out.
const HEAD_BYTES_MAX: u64 = 64 << 10;
/// The most worktrees that are looked at.
const WORKTREES_MAX: usize = 10_000;

/// Moves a branch from a commit to another, or makes it where there is none yet.
///
/// # Errors
/// It is another commit's by now; git fails.
pub(crate) fn set_branch(
    git: &Git,
    branch: &str,
    from: Option<&str>,
    to: &str,
) -> Result<(), AgentError> {
    let reference = format!("refs/heads/{branch}");
    let none = "0".repeat(to.len());
    let set = || {
        git.run(&GitCommand {
            place: Place::NewObjects,
            files: None,
            arguments: &["update-ref", &reference, to, from.unwrap_or(&none)],
            input: &[],
        })
    };
    if let Err(error) = set() {
        let common = git.repository().common_dir();
        if !has_removed_lock(&common.join(format!("{reference}.lock")))? {
            return Err(error);
        }
        set()?;
    }
    Ok(())
}

/// Returns true if a branch is checked out in the user's files, or in a worktree of theirs: moved, it would have other files
/// than these.
pub(crate) fn is_checked_out(git: &Git, branch: &str) -> Result<bool, AgentError> {
    let common = Folder::named_by_user(git.repository().common_dir())?;
    let head = format!("ref: refs/heads/{branch}");
    let has_it = |folder: &Folder| {
        let read = folder.read("HEAD", HEAD_BYTES_MAX).ok().flatten();
        read.is_some_and(|read| read.trim_ascii() == head.as_bytes())
    };
    let Ok(worktrees) = common.below("worktrees") else {
        return Ok(has_it(&common));
    };
    let entries = worktrees.entries(WORKTREES_MAX)?.unwrap_or_default();
    let mut linked = entries
        .iter()
        .filter_map(|entry| worktrees.below(&entry.name).ok());
    Ok(has_it(&common) || linked.any(|folder| has_it(&folder)))
}

/// Waits until the lock of a branch is gone, and removes one that nobody seems to hold any more: git that was killed leaves
/// it. Returns false if there is none.
fn has_removed_lock(lock: &Path) -> Result<bool, AgentError> {
    let Some(before) = modified(lock)? else {
        return Ok(false);
    };
    std::thread::sleep(STALE);
    if modified(lock)? == Some(before) {
        match std::fs::remove_file(lock) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(true)
}

/// Returns when a file was changed last; `None` if there is no file.
fn modified(file: &Path) -> Result<Option<SystemTime>, AgentError> {
    match file.symlink_metadata() {
        Ok(found) => Ok(Some(found.modified()?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
