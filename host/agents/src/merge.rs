//! Merges of commits by git's own rules, without a worktree: git reads and writes objects alone.

use super::error::AgentError;
use super::fenced_program::ProgramRun;
use super::git::{Git, GitCommand, Place};
use std::collections::BTreeMap;

/// The status of git where a merge has conflicts.
const HAS_CONFLICTS: i32 = 1;
/// The status of git where it does not know a command or an option.
const UNKNOWN_OPTION: i32 = 129;
/// The beginning of the line above one side of a conflict.
const MARKER: &str = "<<<<<<< ";
/// The most paths that git is asked about at once.
const PATHS_MAX: usize = 500;

/// Merge of commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitMerge {
    pub(crate) commit: String,
    /// Paths with conflicts, in which both sides stand between marks where they are texts.
    pub(crate) conflicts: Vec<String>,
    /// The paths among these of which one side has no file: what the other one has stands there, and can stay.
    pub(crate) of_one_side: Vec<String>,
}

impl CommitMerge {
    /// Returns true if there are conflicts, of each of which one side has no file.
    pub(crate) fn can_stay(&self) -> bool {
        !self.conflicts.is_empty() && self.of_one_side.len() == self.conflicts.len()
    }
}

/// Merges commits into the first one. The same commits make the same commit, whenever they are merged.
///
/// # Errors
/// Git fails, or is older than 2.38.
pub(crate) fn merge_all(
    git: &Git,
    first: &str,
    others: &[&str],
) -> Result<CommitMerge, AgentError> {
    let mut merged = CommitMerge {
        commit: first.to_owned(),
        conflicts: Vec::new(),
        of_one_side: Vec::new(),
    };
    for other in others {
        let next = merge(git, &merged.commit, other)?;
        merged.commit = next.commit;
        for path in next.conflicts {
            let is_new = !merged.conflicts.contains(&path);
            let is_of_one_side = next.of_one_side.contains(&path);
            if !is_of_one_side {
                merged.of_one_side.retain(|other| *other != path);
            } else if is_new {
                merged.of_one_side.push(path.clone());
            }
            if is_new {
                merged.conflicts.push(path);
            }
        }
    }
    Ok(merged)
}

/// Merges two commits. Where one has the other in its history, it is the merge.
pub(crate) fn merge(git: &Git, ours: &str, theirs: &str) -> Result<CommitMerge, AgentError> {
    for (old, new) in [(theirs, ours), (ours, theirs)] {
        if old == new || is_ancestor(git, old, new)? {
            return Ok(CommitMerge {
                commit: new.to_owned(),
                conflicts: Vec::new(),
                of_one_side: Vec::new(),
            });
        }
    }
    let arguments = [
        "merge-tree",
        "--write-tree",
        "-z",
        "--no-messages",
        ours,
        theirs,
    ];
    let ended = writing(git, &arguments, &[])?;
    if !ended.succeeded && ended.status != Some(HAS_CONFLICTS) {
        return Err(match ended.status {
            Some(UNKNOWN_OPTION) => AgentError::Usage(
                "the results of several tasks are merged by `git merge-tree --write-tree`, which this git does not have: \
                 install git 2.38 or a later one"
                    .to_owned(),
            ),
            _ => AgentError::of_git(format!("git merge-tree says: {}", ended.reason())),
        });
    }
    let output = String::from_utf8_lossy(&ended.stdout).into_owned();
    let mut parts = output.split('\0').filter(|part| !part.is_empty());
    let tree = parts.next().unwrap_or_default().trim().to_owned();
    let (conflicts, of_one_side) = conflicted(parts);
    Ok(CommitMerge {
        commit: commit(git, &tree, [ours, theirs])?,
        conflicts,
        of_one_side,
    })
}

/// Returns the paths with conflicts, and those of which one side has no file. Of each path, git names the files that there
/// are as `MODE OBJECT STAGE<tab>PATH`: that of the common ancestor, ours and theirs are the stages 1 to 3.
fn conflicted<'a>(lines: impl Iterator<Item = &'a str>) -> (Vec<String>, Vec<String>) {
    let mut sides: BTreeMap<&str, [bool; 2]> = BTreeMap::new();
    for (head, path) in lines.filter_map(|line| line.split_once('\t')) {
        let [ours, theirs] = sides.entry(path).or_default();
        match head.rsplit(' ').next() {
            Some("2") => *ours = true,
            Some("3") => *theirs = true,
            _ => {}
        }
    }
    let all = sides.keys().map(|path| (*path).to_owned());
    let of_one = sides.iter().filter(|(_, sides)| **sides != [true, true]);
    let of_one = of_one.map(|(path, _)| (*path).to_owned());
    (all.collect(), of_one.collect())
}

/// Returns true if a commit is in the history of another.
pub(crate) fn is_ancestor(git: &Git, old: &str, new: &str) -> Result<bool, AgentError> {
    let ended = git.ended(&GitCommand {
        place: Place::Objects,
        files: None,
        arguments: &["merge-base", "--is-ancestor", old, new],
        input: &[],
    })?;
    match ended.status {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(AgentError::Usage(format!(
            "git merge-base says: {}",
            ended.reason()
        ))),
    }
}

/// Returns which of these paths have a line that begins like a mark of a conflict.
pub(crate) fn with_marks(
    git: &Git,
    commit: &str,
    paths: &[String],
) -> Result<Vec<String>, AgentError> {
    let pattern = format!("^{MARKER}");
    let mut marked = Vec::new();
    for some in paths.chunks(PATHS_MAX) {
        let mut arguments = vec!["grep", "-z", "--name-only", "-e", &pattern, commit, "--"];
        let literal: Vec<String> = some
            .iter()
            .map(|path| format!(":(literal){path}"))
            .collect();
        arguments.extend(literal.iter().map(String::as_str));
        let ended = git.ended(&GitCommand {
            place: Place::Objects,
            files: None,
            arguments: &arguments,
            input: &[],
        })?;
        if !matches!(ended.status, Some(0 | 1)) {
            return Err(AgentError::Usage(format!(
                "git grep says: {}",
                ended.reason()
            )));
        }
        let found = String::from_utf8_lossy(&ended.stdout).into_owned();
        let name = |line: &str| line.split_once(':').map(|(_, path)| path.to_owned());
        marked.extend(found.split('\0').filter_map(name));
    }
    Ok(marked)
}

/// Makes the commit of a merge. Its time is that of the younger of both, so that it is the same one whenever it is made.
fn commit(git: &Git, tree: &str, parents: [&str; 2]) -> Result<String, AgentError> {
    let mut time = 0;
    for parent in parents {
        let text = git.text(&["log", "--max-count=1", "--format=%ct", parent])?;
        time = time.max(text.parse::<u64>().unwrap_or(0));
    }
    let who = format!("bakeoff <bakeoff@localhost> {time} +0000");
    let text = format!(
        "tree {tree}\nparent {}\nparent {}\nauthor {who}\ncommitter {who}\n\nMerge results of tasks\n",
        parents[0], parents[1]
    );
    let arguments = ["hash-object", "-t", "commit", "-w", "--stdin"];
    let ended = writing(git, &arguments, text.as_bytes())?;
    if !ended.succeeded {
        return Err(AgentError::of_git(format!(
            "git hash-object says: {}",
            ended.reason()
        )));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned())
}

fn writing(git: &Git, arguments: &[&str], input: &[u8]) -> Result<ProgramRun, AgentError> {
    git.ended(&GitCommand {
        place: Place::NewObjects,
        files: None,
        arguments,
        input,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_of_one_side_is_one_that_the_other_has_no_file_of() {
        let lines = [
            "100644 a1 1\tboth",
            "100644 a2 2\tboth",
            "100644 a3 3\tboth",
            "100644 b1 1\tdeleted by us",
            "100644 b3 3\tdeleted by us",
            "100644 c2 2\tadded by both",
            "100644 c3 3\tadded by both",
            "100644 d1 1\ta\ttab",
            "100644 d2 2\ta\ttab",
        ];
        let (all, of_one) = conflicted(lines.into_iter());
        assert_eq!(all, ["a\ttab", "added by both", "both", "deleted by us"]);
        assert_eq!(of_one, ["a\ttab", "deleted by us"]);
    }
}
