//! Work that is killed at random moments, and goes on until all is done.

use super::{DOES, Task, command, repository, row, tasks_file};
use crate::revisions::Repository;
use crate::support::{CommandOutput, bakeoff};
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

/// Kills in the suite; all 60 are made by the test that is ignored.
const SOME_KILLS: u64 = 3;
const ALL_KILLS: u64 = 60;
/// Kills of the same work, which is then left to end.
const KILLS_PER_WORK: u64 = 12;
/// A kill comes at most so long after a start.
const LATEST_MS: u64 = 2_000;

/// Seven tasks with a diamond, each of which writes a file of its name.
const TASKS: [Task<'_>; 7] = [
    ("a", &[], "sleep 0.1; echo a >a", "test -e a"),
    ("b", &[], "sleep 0.1; echo b >b", "test -e b"),
    ("c", &["a"], "sleep 0.1; echo c >c", "test -e a"),
    (
        "d",
        &["a", "b"],
        "sleep 0.1; echo d >d",
        "test -e a -a -e b",
    ),
    ("e", &["c", "d"], "sleep 0.1; echo e >e", ""),
    ("f", &["b"], "sleep 0.1; echo f >f", "test -e f"),
    (
        "g",
        &["e", "f"],
        "sleep 0.1; echo g >g",
        "test -e c -a -e f",
    ),
];

const ARGUMENTS: [&str; 9] = [
    "work",
    "tasks.toml",
    "--agent",
    DOES,
    "--yes",
    "--agents-at-once",
    "2",
    "--format",
    "json",
];

/// Returns the names that lines of progress end with these words for.
fn named<'a>(output: &'a CommandOutput, words: &str) -> BTreeSet<&'a str> {
    let lines = output.stderr.lines();
    lines.filter_map(|line| line.strip_suffix(words)).collect()
}

/// Kills the work on tasks, lets it go on, and holds against each other what was said and what there is.
fn killed(repository: &Repository, kills: std::ops::Range<u64>) {
    let head = repository.commit();
    repository.write("tasks.toml", &tasks_file(&TASKS));
    let mut done: BTreeSet<String> = BTreeSet::new();
    for number in kills {
        let mut begun = bakeoff(&ARGUMENTS);
        begun.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = begun.current_dir(repository.path()).spawn().unwrap();
        // The multiples of the golden ratio fall everywhere alike.
        let part = (number as f64 * 0.618_033_988_749_895).fract();
        std::thread::sleep(Duration::from_millis((LATEST_MS as f64 * part) as u64));
        let _ = child.kill();
        let output: CommandOutput = child.wait_with_output().unwrap().into();
        let again = named(&output, ": its agent works");
        assert!(
            done.iter().all(|task| !again.contains(task.as_str())),
            "{done:?}: {}",
            output.stderr
        );
        done.extend(named(&output, ": passed").into_iter().map(str::to_owned));
        // Whatever is there has a name in the list.
        let listed = command(repository, &["worktrees"]).stdout;
        if let Ok(entries) = fs::read_dir(repository.path().join(".bakeoff/work/worktrees")) {
            for entry in entries {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(
                    listed.contains(&format!("work/{name}  ")),
                    "{name}: {listed}"
                );
            }
        }
    }
    let output = command(repository, &ARGUMENTS);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    for (name, ..) in TASKS {
        assert_eq!(row(&report, name)["state"], "done", "{report}");
        assert_eq!(row(&report, name)["changes"]["files_added"], 1, "{report}");
    }
    let files = repository.git(&["diff", "--name-only", &head, "bakeoff/work/result"]);
    assert_eq!(files, "a\nb\nc\nd\ne\nf\ng");
    let branches = repository.git(&[
        "for-each-ref",
        "--format=%(refname:short)",
        "refs/heads/bakeoff",
    ]);
    let expected =
        ["a", "b", "c", "d", "e", "f", "g", "result"].map(|name| format!("bakeoff/work/{name}"));
    assert_eq!(branches, expected.join("\n"));
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? tasks.toml");
}

fn killed_at_moments(kills: u64) {
    for first in (0..kills).step_by(KILLS_PER_WORK as usize) {
        let Some(repository) = repository() else {
            return;
        };
        killed(&repository, first..kills.min(first + KILLS_PER_WORK));
    }
}

#[test]
fn work_that_is_killed_loses_nothing_and_does_nothing_twice() {
    killed_at_moments(SOME_KILLS);
}

#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn work_that_is_killed_at_60_moments_loses_nothing_and_does_nothing_twice() {
    killed_at_moments(ALL_KILLS);
}
