//! The changes between two commits.

use super::error::AgentError;
use super::git::Git;
use super::test_setup::decides_how_tests_run;
use serde::{Deserialize, Serialize};

/// The most changed tests that are named, and other files that decide how tests run.
const TESTS_MAX: usize = 50;

/// Counts of the changes between two commits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Files that are new.
    pub files_added: u64,
    /// Files with other contents or another mode.
    pub files_changed: u64,
    /// Files that are gone.
    pub files_deleted: u64,
    /// Lines that are new, in files of text.
    pub lines_added: u64,
    /// Lines that are gone, in files of text.
    pub lines_deleted: u64,
    /// Paths of tests that are new, changed or gone: at most the first 50.
    pub tests: Vec<String>,
    /// Paths of files that are new, changed or gone, are no tests, and decide how tests run, such as a `Makefile`: at most the
    /// first 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_setup: Vec<String>,
}

impl Changes {
    /// Number of files that are new, others or gone.
    pub fn files(&self) -> u64 {
        self.files_added + self.files_changed + self.files_deleted
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.files() == 0
    }

    /// Reads the changes from one tree to another.
    ///
    /// # Errors
    /// Git fails, or the second has a new link or repository in it.
    pub(crate) fn between(
        git: &Git,
        from: &str,
        to: &str,
        is_test: &dyn Fn(&str) -> bool,
    ) -> Result<Self, AgentError> {
        let diff = |format| {
            let output =
                git.output(&["diff-tree", "-r", "-z", "--no-renames", format, from, to])?;
            in_utf8(output)
        };
        let mut changes = Self::default();
        let raw = diff("--raw")?;
        let mut parts = raw.split('\0');
        while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
            let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
            let [_, mode, _, _, status] = words.as_slice() else {
                return Err(AgentError::Machine(
                    "git's list of changes cannot be read".to_owned(),
                ));
            };
            match *mode {
                "120000" => return refused(path, "is a link"),
                "160000" => return refused(path, "is a repository of its own"),
                _ => {}
            }
            match *status {
                "A" => changes.files_added += 1,
                "D" => changes.files_deleted += 1,
                _ => changes.files_changed += 1,
            }
            let named = if is_test(path) {
                &mut changes.tests
            } else if decides_how_tests_run(path) {
                &mut changes.test_setup
            } else {
                continue;
            };
            if named.len() < TESTS_MAX {
                named.push(path.to_owned());
            }
        }
        for line in diff("--numstat")?.split('\0') {
            let mut words = line.trim_start().split('\t');
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            changes.lines_added += number().unwrap_or(0);
            changes.lines_deleted += number().unwrap_or(0);
        }
        Ok(changes)
    }
}

/// Returns a list of changes as text, or names the first file in it whose name is none.
fn in_utf8(list: Vec<u8>) -> Result<String, AgentError> {
    let text = String::from_utf8(list).map_err(|error| {
        let mut parts = error.as_bytes().split(|byte| *byte == 0);
        let name = parts.find(|part| str::from_utf8(part).is_err());
        AgentError::Usage(format!(
            "\"{}\" is a name of a file that is no UTF-8, and only files with other names are taken over",
            name.unwrap_or_default().escape_ascii()
        ))
    })?;
    Ok(text.trim().to_owned())
}

/// The paths that differ between two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Differing {
    /// All, those of new files included.
    All,
    /// Paths of the first tree alone: what is another file in the second one, or gone.
    OfFirst,
}

/// Returns the paths that differ between two trees.
///
/// # Errors
/// Git fails.
pub(crate) fn differing_paths(
    git: &Git,
    which: Differing,
    [from, to]: [&str; 2],
) -> Result<Vec<String>, AgentError> {
    let mut arguments = vec!["diff-tree", "-r", "-z", "--no-renames", "--name-only"];
    if which == Differing::OfFirst {
        // All but what was added.
        arguments.push("--diff-filter=a");
    }
    arguments.extend([from, to]);
    let list = git.text(&arguments)?;
    let paths = list.split('\0').filter(|path| !path.is_empty());
    Ok(paths.map(str::to_owned).collect())
}

fn refused<T>(path: &str, what: &str) -> Result<T, AgentError> {
    Err(AgentError::Usage(format!(
        "{path:?} {what}, and only plain files are taken over"
    )))
}
