//! The paths at which a command may write files that come back.

use serde::{Deserialize, Serialize};

/// The folder of results below an experiment's.
pub(crate) const RESULTS: &str = ".bakeoff";

/// Folder of the files that were replaced or removed by the last command whose files came, where it was started.
pub(crate) const BEFORE: &str = "bakeoff-before-elsewhere";

/// A file without which git takes no folder for a repository; it would do what that one's `config` says.
const OF_REPOSITORIES: &str = "HEAD";

/// The longest name of a file that comes, in bytes.
const NAME_BYTES_MAX: usize = 200;

/// The files that come back: those that the user named, and results of the experiments that the user named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnedFiles {
    /// Files that the command writes, or folders in which it does.
    pub outputs: Vec<String>,
    /// Folders of experiments, whose results lie in `.bakeoff`; the empty text is the folder in which the command runs.
    pub experiments: Vec<String>,
}

impl ReturnedFiles {
    /// Returns true if a file of this path may come back. Below what the user named, names are of letters, digits, `.`,
    /// `-` and `_`, as bakeoff gives them: others may mean something to other programs, as `.git`, `.envrc` and `-rf` do.
    pub(crate) fn allows(&self, path: &str) -> bool {
        let is_in = |folder: &str| {
            let rest = path.strip_prefix(folder)?;
            let rest = if folder.is_empty() {
                rest
            } else {
                rest.strip_prefix('/')?
            };
            Some(rest.split('/').all(is_own_name))
        };
        // An output is not the whole folder, with all sources in it.
        let is_output =
            |output: &String| !output.is_empty() && (path == output || is_in(output) == Some(true));
        let is_result = |experiment: &String| is_in(&results_of(experiment)) == Some(true);
        !path.starts_with(BEFORE)
            && (self.outputs.iter().any(is_output) || self.experiments.iter().any(is_result))
    }
}

/// Returns the folder of an experiment's results.
fn results_of(experiment: &str) -> String {
    if experiment.is_empty() {
        RESULTS.to_owned()
    } else {
        format!("{experiment}/{RESULTS}")
    }
}

/// Returns true for a name such as bakeoff gives to files and folders of results.
fn is_own_name(name: &str) -> bool {
    let is_own = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && !name.starts_with(['.', '-'])
        && !name.eq_ignore_ascii_case(OF_REPOSITORIES)
        && name.chars().all(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(outputs: &[&str], experiments: &[&str]) -> ReturnedFiles {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        ReturnedFiles {
            outputs: owned(outputs),
            experiments: owned(experiments),
        }
    }

    #[test]
    fn results_of_named_experiments_and_named_files_are_wanted() {
        let wanted = wanted(&["out/A file", "kept"], &["", "x"]);
        for path in [
            ".bakeoff/top-k/bakeoff.db",
            ".bakeoff/top-k/bakeoff.db-wal",
            ".bakeoff/top-k/contents/00ff",
            ".bakeoff/top-k/events.jsonl.aside-1",
            "x/.bakeoff/generation.attempts/A_b/3.rs",
            "out/A file",
            "kept",
            "kept/report.json",
        ] {
            assert!(wanted.allows(path), "{path}");
        }
        for path in [
            ".bakeoff",
            "x/.bakeoff",
            "x/in.txt",
            "xy/.bakeoff/a",
            "approaches/.bakeoff/models.jsonl",
            "out",
            "out/A file/",
            "out/A files",
            "bakeoff-before-elsewhere/x",
        ] {
            assert!(!wanted.allows(path), "{path}");
        }
        let other = super::ReturnedFiles {
            outputs: vec![BEFORE.to_owned(), String::new()],
            ..wanted
        };
        assert!(!other.allows("bakeoff-before-elsewhere/x"));
        assert!(!other.allows("in.txt"));
    }

    #[test]
    fn case_313_names_that_act_on_other_programs_do_not_come() {
        let wanted = wanted(&["out"], &[""]);
        let long = "a".repeat(300);
        for name in [
            ".git/config",
            ".git/hooks/post-checkout",
            "HEAD",
            "head",
            ".envrc",
            ".cargo/config.toml",
            ".gitignore",
            ".bakeoff-new-abc123",
            "-rf",
            "a\\b",
            "a b",
            "a\nb",
            "\u{1b}]0;x",
            "a\u{202e}b",
            "ä",
            "$(x)",
            "*",
            &long,
        ] {
            for folder in [".bakeoff", ".bakeoff/top-k", "out"] {
                let path = format!("{folder}/{name}");
                assert!(!wanted.allows(&path), "{path:?}");
            }
        }
    }
}
