//! Results that conflict: what the agent after both is told, who resolves what conflicts at the end, and what is left out.

use super::going_on::wait_until;
use super::{Task, command, repository, row, state, tasks_file, work, work_as};
use crate::revisions::Repository;
use crate::support::{CommandOutput, bakeoff};
use std::fs;
use std::process::Stdio;
use tempfile::TempDir;

/// Two tasks that write the same file.
const BOTH: [Task<'_>; 2] = [
    ("left", &[], "echo left >f; touch l", ""),
    ("right", &[], "echo right >f; touch r", ""),
];

#[test]
fn a_conflict_is_told_to_the_agent_of_the_task_after_both_which_resolves_it() {
    let Some(repository) = repository() else {
        return;
    };
    let resolves = "grep -q '^<<<<<<< ' f && grep -q '^The files are the merged results of the tasks left, right, which conflict in f:' TASK.md && echo both >f";
    let ignores = "grep -q '^>>>>>>> ' f && touch other";
    let tasks = [
        BOTH[0],
        BOTH[1],
        (
            "join",
            &["left", "right"],
            resolves,
            "grep -qx both f && test -e l -a -e r",
        ),
        ("ignore", &["left", "right"], ignores, "true"),
    ];
    let output = work(&repository, &tasks, &["--retries", "0"]);
    let report = output.json();
    assert_eq!(state(&report, "join"), ("done", 1), "{report}");
    assert_eq!(row(&report, "ignore")["outcome"], "verification-failed");
    assert_eq!(
        row(&report, "ignore")["reason"],
        "marks of conflicts are left in f"
    );
    // Left and right conflict, but their resolution has both in its history.
    assert_eq!(
        report["result"]["left_out"],
        serde_json::json!([]),
        "{report}"
    );
    assert_eq!(repository.git(&["show", "bakeoff/work/result:f"]), "both");
}

/// Does what stands in the prompt, and resolves the conflicts of a merge as the quoted prompt of its task says.
const RESOLVES: &str = "sh -c 'eval \"$(sed -n \"s/^do: //p; s/^> resolve: //p\")\"'";

/// Two tasks that write the same file, each with a check, of which the second says how the conflict is resolved.
fn conflicting(resolve: &str) -> String {
    let right = format!("echo right >f; touch r\nresolve: {resolve}");
    tasks_file(&[
        (
            "left",
            &[],
            "echo left >f; touch l",
            "test -e l && grep -q left f",
        ),
        ("right", &[], &right, "test -e r && grep -q right f"),
    ])
}

fn work_resolving(repository: &Repository, tasks: &str, more: &[&str]) -> CommandOutput {
    repository.write("todo/tasks.toml", tasks);
    let begin = [
        "work",
        "todo",
        "--agent",
        RESOLVES,
        "--yes",
        "--retry-wait",
        "10ms",
    ];
    command(repository, &[&begin[..], more].concat())
}

fn status(repository: &Repository) -> String {
    command(repository, &["status", ".bakeoff/work"]).stdout
}

#[test]
fn a_conflict_of_the_last_merge_is_given_to_an_agent_and_what_passes_both_checks_is_the_result() {
    let Some(repository) = repository() else {
        return;
    };
    let tasks = conflicting(
        "grep -q '^<<<<<<< ' f && git log --format=%s | grep -q '^left: A task' && \
         grep -q '^> A task' TASK.md && printf 'left\\nright\\n' >f",
    );
    let output = work_resolving(&repository, &tasks, &["--format", "json"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    assert_eq!(
        report["result"]["left_out"],
        serde_json::json!([]),
        "{report}"
    );
    let resolved = &report["result"]["resolved"][0];
    assert_eq!(resolved["task"], "right", "{report}");
    assert_eq!(resolved["conflicts"], serde_json::json!(["f"]));
    assert_eq!(resolved["attempts"], 1);
    assert_eq!(
        repository.git(&["show", "bakeoff/work/result:f"]),
        "left\nright"
    );
    for task in ["left", "right"] {
        let branch = format!("bakeoff/work/{task}");
        repository.git(&[
            "merge-base",
            "--is-ancestor",
            &branch,
            "bakeoff/work/result",
        ]);
    }
    let says = "result: an agent resolves the conflicts of right with the others\n";
    assert!(output.stderr.contains(says), "{}", output.stderr);
    assert!(
        status(&repository).contains("\n  result  passed\n"),
        "{}",
        status(&repository)
    );
    // Its files are those of the branch.
    let listed = command(&repository, &["worktrees"]).stdout;
    assert!(!listed.contains("work/result"), "{listed}");
    // Nothing is resolved twice.
    let again = work_resolving(&repository, &tasks, &["--format", "json"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(
        !again.stderr.contains("an agent resolves"),
        "{}",
        again.stderr
    );
    assert_eq!(again.json()["result"]["commit"], report["result"]["commit"]);
    // Another work with the same name of a task asks anew.
    let other = work_resolving(&repository, &tasks, &["--name", "other"]).stdout;
    assert!(
        other.contains(
            "right conflicted with what was merged before it in f: an agent resolved that"
        ) && other.contains("takes all of it"),
        "{other}"
    );
}

#[test]
fn a_conflict_that_no_agent_resolves_is_left_out_and_named() {
    let Some(repository) = repository() else {
        return;
    };
    let output = work(&repository, &BOTH, &["--retries", "1"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let report = output.json();
    let left_out = &report["result"]["left_out"][0];
    assert_eq!(left_out["task"], "right", "{report}");
    assert_eq!(left_out["conflicts"], serde_json::json!(["f"]));
    assert_eq!(left_out["attempts"], 2);
    assert_eq!(left_out["reason"], "it ended, and changed nothing");
    assert_eq!(repository.git(&["show", "bakeoff/work/result:f"]), "left");
    assert!(
        output.explains("result: nothing changed; tried again in")
            && output.explains("of right with the others, attempt 2"),
        "{}",
        output.stderr
    );
    assert!(
        status(&repository).contains("\n  result  nothing changed"),
        "{}",
        status(&repository)
    );
    let text = work_as(&repository, &BOTH, &["--retries", "0"]).stdout;
    for part in [
        "1 of them is merged",
        "right is not on the branch of results",
        "`git merge bakeoff/work/result` takes what was done, without right (",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn case_257_a_merge_that_drops_a_side_changes_a_test_or_leaves_marks_is_not_taken() {
    let Some(repository) = repository() else {
        return;
    };
    for (name, resolve, why) in [
        ("drops", "echo right >f", "test -e l && grep -q left f"),
        (
            "weakens",
            "printf 'left\\nright\\n' >f; echo true >tests/run.sh",
            "it changes tests that were there before it (tests/run.sh)",
        ),
        ("ignores", "touch other", "marks of conflicts are left in f"),
        (
            "commits",
            "git update-ref refs/heads/bakeoff/commits/result HEAD; exit 1",
            "status 1",
        ),
    ] {
        let tasks = conflicting(resolve);
        let more = ["--name", name, "--retries", "0", "--format", "json"];
        let output = work_resolving(&repository, &tasks, &more);
        assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
        let report = output.json();
        let reason = report["result"]["left_out"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{name}: {reason}");
        let result = format!("bakeoff/{name}/result");
        assert_eq!(repository.git(&["show", &format!("{result}:f")]), "left");
        let changed = repository.git(&["diff", "--name-only", "HEAD", &result]);
        assert_eq!(changed, "f\nl", "{name}");
    }
}

#[test]
fn a_merge_that_was_killed_is_seen_from_elsewhere_and_goes_on() {
    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let slow = outside.path().join("slow");
    fs::write(&slow, "").unwrap();
    let resolve = format!(
        "test -e {} && sleep 4326; printf 'left\\nright\\n' >f",
        slow.display()
    );
    let tasks = conflicting(&resolve);
    repository.write("todo/tasks.toml", &tasks);
    let read = ["--read", outside.path().to_str().unwrap()];
    let mut begun = bakeoff(&["work", "todo", "--agent", RESOLVES, "--yes"]);
    begun.args(read).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = begun.current_dir(repository.path()).spawn().unwrap();
    wait_until(|| status(&repository).contains("  result  an agent resolves its conflicts"));
    child.kill().unwrap();
    child.wait().unwrap();
    let json = ["status", ".bakeoff/work", "--format", "json"];
    let states = command(&repository, &json).json();
    assert_eq!(states["merge"]["state"], "interrupted", "{states}");
    fs::remove_file(&slow).unwrap();
    let again = work_resolving(&repository, &tasks, &read);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
    assert!(
        !again.stderr.contains("its agent works"),
        "{}",
        again.stderr
    );
    assert_eq!(
        repository.git(&["show", "bakeoff/work/result:f"]),
        "left\nright"
    );
    let removed = command(&repository, &["worktrees", "--remove", "work"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
}

#[test]
fn a_file_that_one_side_deleted_may_stay_if_the_checks_say_so() {
    let Some(repository) = repository() else {
        return;
    };
    let tasks = |checks: [&str; 2]| {
        let changes = "echo 'expr $1 + $2' >add.sh\nresolve: true";
        tasks_file(&[
            ("left", &[], "rm add.sh; touch l", checks[0]),
            ("right", &[], changes, checks[1]),
        ])
    };
    let stays = tasks(["test -e l", "grep -q expr add.sh"]);
    let output = work_resolving(&repository, &stays, &["--format", "json"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let resolved = &report["result"]["resolved"][0];
    assert_eq!(
        (&resolved["task"], &resolved["attempts"]),
        (&"right".into(), &1.into()),
        "{report}"
    );
    let changed = repository.git(&["diff", "--name-only", "HEAD", "bakeoff/work/result"]);
    assert_eq!(changed, "add.sh\nl");
    // A side is held to its check, and where none says that a file may stay, an agent has to do something.
    for (name, checks, why) in [
        ("gone", ["test ! -e add.sh", "true"], "test ! -e add.sh"),
        ("unchecked", ["", ""], "it ended, and changed nothing"),
    ] {
        let more = ["--name", name, "--retries", "0", "--format", "json"];
        let output = work_resolving(&repository, &tasks(checks), &more);
        assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
        let report = output.json();
        let reason = report["result"]["left_out"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{name}: {reason}");
    }
}
