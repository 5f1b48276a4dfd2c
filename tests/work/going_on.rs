//! Interrupted and killed work, and how far it is from another terminal.

use super::{DOES, Task, command, repository, row, state, tasks_file, work};
use crate::revisions::Repository;
use crate::support::{CommandOutput, bakeoff};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Number of looks, a hundredth of a second apart, for what has to come.
const LOOKS_MAX: u32 = 6_000;

pub(super) fn wait_until(is_so: impl Fn() -> bool) {
    for _ in 0..LOOKS_MAX {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never came");
}

const ENDLESS: &str = "setsid sleep 4324 & echo $! $$ >pids.new; mv pids.new pids; sleep 4324";

fn endless() -> [Task<'static>; 3] {
    [
        ("quick", &[], "touch quick", "test -e quick"),
        ("slow", &["quick"], ENDLESS, ""),
        ("after", &["slow"], "touch after", ""),
    ]
}

/// Starts the work on tasks of which one never ends, and returns the command with the processes of that one.
fn start(repository: &Repository) -> (Child, Vec<String>) {
    repository.write("todo/tasks.toml", &tasks_file(&endless()));
    let mut command = bakeoff(&["work", "todo", "--agent", DOES, "--yes"]);
    command.current_dir(repository.path());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let file = repository.path().join(".bakeoff/work/worktrees/slow/pids");
    wait_until(|| file.exists());
    let text = fs::read_to_string(file).unwrap();
    (child, text.split_whitespace().map(str::to_owned).collect())
}

fn states(repository: &Repository) -> Value {
    command(repository, &["status", ".bakeoff/work", "--format", "json"]).json()
}

fn state_of(states: &Value, task: usize) -> &str {
    states["tasks"][task]["state"].as_str().unwrap()
}

#[test]
fn killed_work_leaves_no_agent_is_seen_from_elsewhere_and_goes_on() {
    let Some(repository) = repository() else {
        return;
    };
    let (mut child, pids) = start(&repository);
    let seen = states(&repository);
    assert_eq!(seen["running"], true);
    assert_eq!(
        [state_of(&seen, 0), state_of(&seen, 1), state_of(&seen, 2)],
        ["passed", "its agent works", "waits for slow"]
    );
    assert_eq!(seen["tasks"][1]["worktree"], ".bakeoff/work/worktrees/slow");
    child.kill().unwrap();
    child.wait().unwrap();
    for pid in &pids {
        wait_until(|| !Path::new("/proc").join(pid).exists());
    }
    let text = command(&repository, &["status", ".bakeoff/work"]).stdout;
    assert!(
        text.starts_with("1 of 3 tasks is done; nobody works now\n"),
        "{text}"
    );
    assert!(
        text.contains("slow   interrupted  (.bakeoff/work/worktrees/slow)"),
        "{text}"
    );
    let listed = command(&repository, &["worktrees"]).stdout;
    assert!(
        listed.contains("work/quick  passed") && listed.contains("work/slow  not ended"),
        "{listed}"
    );
    let mut tasks = endless();
    tasks[1].2 = "test ! -e pids && touch slow";
    let output = work(&repository, &tasks, &[]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(
        !output.stderr.contains("quick: its agent works"),
        "{}",
        output.stderr
    );
    let files = repository.git(&["diff", "--name-only", "HEAD", "bakeoff/work/result"]);
    assert_eq!(files, "after\nquick\nslow");
    let listed = command(&repository, &["worktrees"]).stdout;
    assert!(listed.contains("work/slow.aside-1  set aside"), "{listed}");
    let removed = command(&repository, &["worktrees", "--remove", "work"]);
    assert_eq!(
        removed.status, 2,
        "what was interrupted is set aside: {}",
        removed.stdout
    );
    let removed = command(&repository, &["worktrees", "--remove", "work", "--force"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert!(!repository.path().join(".bakeoff/work").exists());
    repository.git(&["rev-parse", "--verify", "bakeoff/work/result"]);
}

#[test]
fn an_interrupt_ends_the_agents_and_says_how_to_go_on() {
    let Some(repository) = repository() else {
        return;
    };
    let (child, pids) = start(&repository);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output: CommandOutput = child.wait_with_output().unwrap().into();
    assert_eq!(output.status, 130, "{}", output.stderr);
    assert!(
        output.explains("the same command goes on"),
        "{}",
        output.stderr
    );
    for pid in &pids {
        assert!(!Path::new("/proc").join(pid).exists(), "{pid}");
    }
}

#[test]
fn an_agent_is_not_asked_again_if_its_check_was_cut_short() {
    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let slow = outside.path().join("slow");
    fs::write(&slow, "").unwrap();
    let check = format!("test -e {} && sleep 4325; test -e x", slow.display());
    let tasks: [Task<'_>; 1] = [("one", &[], "touch x", &check)];
    let read = ["--read", outside.path().to_str().unwrap()];
    repository.write("todo/tasks.toml", &tasks_file(&tasks));
    let mut begun = bakeoff(&["work", "todo", "--agent", DOES, "--yes"]);
    begun.args(read).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = begun.current_dir(repository.path()).spawn().unwrap();
    let completion = repository
        .path()
        .join(".bakeoff/work/completions/one/completion.json");
    wait_until(|| fs::read_to_string(&completion).is_ok_and(|text| text.contains("\"committed\"")));
    assert_eq!(state_of(&states(&repository), 0), "is being checked");
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(&slow).unwrap();
    // Whoever would be asked now fails.
    repository.write("todo/tasks.toml", &tasks_file(&tasks));
    let arguments = [
        "work",
        "todo",
        "--agent",
        "false",
        "--yes",
        "--format",
        "json",
        "--retries",
        "0",
    ];
    let again = command(&repository, &[&arguments[..], &read].concat());
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
    assert_eq!(state(&again.json(), "one"), ("done", 1));
    assert!(
        again
            .stderr
            .contains("one: what its agent left is checked\n")
            && !again.stderr.contains("agent works"),
        "{}",
        again.stderr
    );
    assert_eq!(row(&again.json(), "one")["branch"], "bakeoff/work/one");
}

#[test]
fn locks_of_branches_that_a_killed_git_left_are_no_hindrance() {
    let Some(repository) = repository() else {
        return;
    };
    // As git writes them before it names a commit.
    for branch in ["one", "result"] {
        repository.write(&format!(".git/refs/heads/bakeoff/work/{branch}.lock"), "");
    }
    let tasks: [Task<'_>; 1] = [("one", &[], "touch x", "")];
    let output = work(&repository, &tasks, &[]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    repository.git(&["rev-parse", "--verify", "bakeoff/work/one"]);
    repository.git(&["branch", "-D", "bakeoff/work/result"]);
}
