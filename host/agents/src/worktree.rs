//! Worktrees: made from a commit, compared with one, committed from their files.

use super::changes::Changes;
use super::error::AgentError;
use super::git::{Git, GitCommand, Place};
use super::orders::NewTests;
use super::test_patterns::is_attributes;
use bakeoff_confine::FileAccess;
use bakeoff_files::{Folder, FolderEntryKind};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The most files that are taken over.
const FILES_MAX: usize = 20_000;
/// The most bytes of all files that are taken over.
const BYTES_MAX: u64 = 256 << 20;

/// The most paths that one command of git is asked about.
const PATHS_AT_ONCE: usize = 500;
/// The deepest folders that are taken over.
const DEPTH_MAX: usize = 64;
/// Bits of the mode of a folder that its owner can look into.
const READABLE: u32 = 0o500;

/// The folder of all experiments, at the top of a repository: a merge of a branch with files in it would write over it.
pub(crate) const TOP: &str = ".bakeoff";

fn usage(text: String) -> AgentError {
    AgentError::Usage(text)
}

/// Refuses a commit with submodules, whose addresses nobody here would fetch from.
pub(crate) fn refuse_submodules(git: &Git, commit: &str) -> Result<(), AgentError> {
    let list = git.text(&["ls-tree", "-r", "-z", "--full-tree", commit])?;
    let found = list.split('\0').find(|line| line.starts_with("160000 "));
    let Some((_, path)) = found.and_then(|line| line.split_once('\t')) else {
        return Ok(());
    };
    Err(usage(format!(
        "{path:?} is a submodule, and worktrees are made of repositories without any: remove it with `git rm` on a \
         branch of your own, and name that by --base"
    )))
}

/// Reads a commit into the index of git.
fn read_tree(git: &Git, place: Place<'_>, commit: &str) -> Result<(), AgentError> {
    git.run(&GitCommand {
        place,
        files: None,
        arguments: &["read-tree", commit],
        input: &[],
    })?;
    Ok(())
}

/// Writes the files of the index into an empty folder.
pub(crate) fn check_out(git: &Git, folder: &Path) -> Result<(), AgentError> {
    git.run(&GitCommand {
        place: Place::Objects,
        files: Some((folder, FileAccess::WriteLinkAndExecute)),
        arguments: &["checkout-index", "--all", "--force"],
        input: &[],
    })?;
    Ok(())
}

/// Makes a worktree of a commit in an empty folder, with a repository of its own.
pub(crate) fn make(git: &Git, commit: &str, folder: &Folder) -> Result<(), AgentError> {
    let path = folder.path();
    read_tree(git, Place::Objects, commit)?;
    check_out(git, path)?;
    let files = Some((path, FileAccess::WriteLinkAndExecute));
    let inner = |arguments: &[&str]| {
        git.run(&GitCommand {
            place: Place::Inner(path),
            files,
            arguments,
            input: &[],
        })
    };
    inner(&["init", "--quiet", "--template=", "--initial-branch=work"])?;
    git.lend_objects(&folder.below(".git")?)?;
    // Without a name, an agent could not commit.
    inner(&["config", "user.name", "agent"])?;
    inner(&["config", "user.email", "agent@localhost"])?;
    inner(&["update-ref", "HEAD", commit])?;
    inner(&["read-tree", commit])?;
    // Fails for a file that is converted when it is read, which is then looked at once more by whoever asks.
    let _ = inner(&["update-index", "--refresh", "-q"]);
    Ok(())
}

/// Removes the repository in a worktree, whose settings and hooks its agent may have written: git of whoever steps into the
/// folder would run them.
pub(crate) fn remove_inner(folder: &Folder) -> Result<(), AgentError> {
    let found = folder.look(".git")?;
    match found.map(|found| found.kind) {
        None => {}
        Some(FolderEntryKind::Folder) => {
            std::fs::remove_dir_all(folder.below(".git")?.path())?;
        }
        Some(_) => folder.remove(".git")?,
    }
    Ok(())
}

/// Returns the paths that differ from a commit: changed, gone or new, and not ignored.
pub(crate) fn differing(git: &Git, commit: &str, path: &Path) -> Result<Vec<String>, AgentError> {
    read_tree(git, Place::Objects, commit)?;
    differing_from_index(git, path, &["--exclude-standard"])
}

/// Returns which of these paths differ from a commit: changed, gone or new, also where they are ignored.
pub(crate) fn differing_among(
    git: &Git,
    commit: &str,
    path: &Path,
    among: &[&str],
) -> Result<Vec<String>, AgentError> {
    read_tree(git, Place::Objects, commit)?;
    let mut differing = Vec::new();
    for some in among.chunks(PATHS_AT_ONCE) {
        let literal: Vec<String> = some
            .iter()
            .map(|path| format!(":(literal){path}"))
            .collect();
        let mut arguments = vec!["--"];
        arguments.extend(literal.iter().map(String::as_str));
        differing.extend(differing_from_index(git, path, &arguments)?);
    }
    Ok(differing)
}

/// Returns the paths in a folder that differ from what was read into the index.
fn differing_from_index(
    git: &Git,
    path: &Path,
    arguments: &[&str],
) -> Result<Vec<String>, AgentError> {
    let begin = ["ls-files", "-z", "--modified", "--deleted", "--others"];
    let output = git.run(&GitCommand {
        place: Place::Objects,
        files: Some((path, FileAccess::Read)),
        arguments: &[&begin[..], arguments].concat(),
        input: &[],
    })?;
    let mut paths: Vec<String> = output
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// Refuses what cannot be taken over: anything but plain files, and too many or too large ones.
fn refuse(folder: &Folder, paths: &[String]) -> Result<(), AgentError> {
    if paths.len() > FILES_MAX {
        return Err(usage(format!(
            "it changed {} files, and at most {FILES_MAX} are taken over: a .gitignore keeps what is built out",
            paths.len()
        )));
    }
    let mut bytes = 0_u64;
    for path in paths {
        if path.split('/').next() == Some(TOP) {
            return Err(usage(format!(
                "{path:?} lies in the folder of bakeoff's own records, and is not taken over"
            )));
        }
        if path.ends_with('/') {
            return Err(usage(format!(
                "{path:?} is a repository of its own, and only plain files are taken over"
            )));
        }
        // A file whose folder is gone is gone itself.
        let found = folder.look(path).ok().flatten();
        let Some(found) = found else {
            continue;
        };
        if !matches!(found.kind, FolderEntryKind::File | FolderEntryKind::Folder) {
            let what = found.not_plain.unwrap_or("no plain file");
            return Err(usage(format!(
                "{path:?} is {what}, and only plain files are taken over"
            )));
        }
        bytes = bytes.saturating_add(found.bytes);
    }
    if bytes > BYTES_MAX {
        return Err(usage(format!(
            "its files have {} MiB, and at most {} MiB are taken over: a .gitignore keeps what is built out",
            bytes >> 20,
            BYTES_MAX >> 20
        )));
    }
    Ok(())
}

/// Refuses a folder with folders that cannot be read, in which files would be missed.
pub(crate) fn refuse_unreadable(path: &Path) -> Result<(), AgentError> {
    let mut open = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let unreadable = |why: &dyn std::fmt::Display| {
            let shown = folder.strip_prefix(path).unwrap_or(&folder);
            let shown: String = shown.display().to_string().chars().take(200).collect();
            usage(format!("{shown:?} cannot be looked into ({why})"))
        };
        if depth > DEPTH_MAX {
            return Err(unreadable(&"it is too deep"));
        }
        let meta = std::fs::symlink_metadata(&folder).map_err(|error| unreadable(&error))?;
        if meta.permissions().mode() & READABLE != READABLE {
            return Err(unreadable(&"its mode forbids that"));
        }
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&error))? {
            let entry = entry.map_err(|error| unreadable(&error))?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(())
}

/// Commits what is in a worktree, as a child of the base. Returns `None` if nothing differs.
pub(crate) fn commit(
    git: &Git,
    base: &str,
    folder: &Folder,
    message: &str,
    is_test: &dyn Fn(&str) -> bool,
) -> Result<Option<(String, Changes)>, AgentError> {
    refuse_unreadable(folder.path())?;
    let paths = differing(git, base, folder.path())?;
    refuse(folder, &paths)?;
    git.run(&GitCommand {
        place: Place::NewObjects,
        files: Some((folder.path(), FileAccess::Read)),
        arguments: &["add", "--all", "--", "."],
        input: &[],
    })?;
    let new = |arguments: &[&str], input: &[u8]| -> Result<String, AgentError> {
        let output = git.run(&GitCommand {
            place: Place::NewObjects,
            files: None,
            arguments,
            input,
        })?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    };
    let tree = new(&["write-tree"], &[])?;
    let changes = Changes::between(git, base, &tree, is_test)?;
    if changes.is_empty() {
        return Ok(None);
    }
    let commit = new(&["commit-tree", &tree, "-p", base], message.as_bytes())?;
    Ok(Some((commit, changes)))
}

/// Reads a commit into the index, with all tests of the base in the place of its own.
pub(crate) fn read_with_tests_of(
    git: &Git,
    [commit, base]: [&str; 2],
    is_test: &dyn Fn(&str) -> bool,
    new_tests: NewTests,
) -> Result<(), AgentError> {
    let list = |commit: &str| git.text(&["ls-tree", "-r", "-z", "--full-tree", commit]);
    let (own, of_base) = (list(commit)?, list(base)?);
    let path = |line: &str| line.split_once('\t').map(|(_, path)| path.to_owned());
    let in_base: BTreeSet<String> = of_base.split('\0').filter_map(path).collect();
    let is_kept = |path: &str| {
        // New attributes would convert files of the base.
        new_tests == NewTests::Kept && !in_base.contains(path) && !is_attributes(path)
    };
    let mut input = String::new();
    for line in own.split('\0') {
        if path(line).is_some_and(|path| !is_test(&path) || is_kept(&path)) {
            input += &format!("{line}\0");
        }
    }
    for line in of_base.split('\0') {
        if path(line).is_some_and(|path| is_test(&path)) {
            input += &format!("{line}\0");
        }
    }
    let index = |arguments: &[&str], input: &[u8]| {
        git.run(&GitCommand {
            place: Place::Objects,
            files: None,
            arguments,
            input,
        })
    };
    index(&["read-tree", "--empty"], &[])?;
    index(&["update-index", "-z", "--index-info"], input.as_bytes())?;
    Ok(())
}
