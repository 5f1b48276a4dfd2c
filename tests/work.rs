//! Tasks that coding agents work off: their order, what is tried again, merged and given up. The agents are scripts.

mod conflicts;
mod experiments;
mod going_on;
mod hostile;
mod kills;
mod planned;
mod told;

use crate::agents::{command, repository};
use crate::revisions::Repository;
use crate::support::CommandOutput;
use serde_json::Value;
use std::fs;

/// Does what stands in the prompt, in lines that begin with `do: `.
const DOES: &str = "sh -c 'eval \"$(grep \"^do: \" | cut -c5-)\"'";

/// A task: its name, what it waits for, what its agent does, and its check unless that is empty.
type Task<'a> = (&'a str, &'a [&'a str], &'a str, &'a str);

/// Returns a file of tasks.
fn tasks_file(tasks: &[Task<'_>]) -> String {
    let task = |(name, after, does, check): &Task<'_>| {
        let check = match *check {
            "" => String::new(),
            check => format!("check = '''{check}'''\n"),
        };
        format!(
            "[[task]]\nname = {name:?}\nafter = {after:?}\n{check}prompt = '''\nA task.\ndo: {does}\n'''\n"
        )
    };
    tasks.iter().map(task).collect()
}

/// Writes a file of tasks beside what is committed, and works it off without waits to speak of.
fn work(repository: &Repository, tasks: &[Task<'_>], more: &[&str]) -> CommandOutput {
    work_as(repository, tasks, &[&["--format", "json"], more].concat())
}

fn work_as(repository: &Repository, tasks: &[Task<'_>], more: &[&str]) -> CommandOutput {
    repository.write("todo/tasks.toml", &tasks_file(tasks));
    let begin = [
        "work",
        "todo",
        "--agent",
        DOES,
        "--yes",
        "--retry-wait",
        "10ms",
    ];
    command(repository, &[&begin[..], more].concat())
}

fn row<'a>(report: &'a Value, task: &str) -> &'a Value {
    let rows = report["tasks"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == task).unwrap()
}

/// Returns the state of a task and the number of attempts at it.
fn state<'a>(report: &'a Value, task: &str) -> (&'a str, u64) {
    let row = row(report, task);
    (
        row["state"].as_str().unwrap(),
        row["attempts"].as_u64().unwrap(),
    )
}

#[test]
fn tasks_begin_with_the_merged_results_of_what_they_wait_for_and_all_ends_on_one_branch() {
    let Some(repository) = repository() else {
        return;
    };
    let head = repository.git(&["rev-parse", "HEAD"]);
    let tasks: [Task<'_>; 5] = [
        (
            "last",
            &["left", "right"],
            "cat left right first >last",
            "grep -q first last && test -f left -a -f right",
        ),
        (
            "first",
            &[],
            "test ! -e left && echo first >first",
            "test -f first",
        ),
        (
            "left",
            &["first"],
            "test -e first && test ! -e right && echo left >left",
            "test -f left",
        ),
        (
            "right",
            &["first"],
            "test -e first && test ! -e left && echo right >right",
            "",
        ),
        // All of it is there already, as its check says.
        ("idle", &["last"], "true", "test -f last"),
    ];
    let output = work(&repository, &tasks, &["--retries", "0"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    for task in ["first", "left", "right", "last", "idle"] {
        assert_eq!(state(&report, task), ("done", 1), "{report}");
    }
    assert_eq!(row(&report, "right")["outcome"], "unverified");
    assert_eq!(
        row(&report, "last")["after"],
        serde_json::json!(["left", "right"])
    );
    assert_eq!(row(&report, "last")["changes"]["files_added"], 1);
    assert_eq!(report["result"]["branch"], "bakeoff/work/result");
    assert_eq!(report["result"]["changes"]["files_added"], 4);
    assert_eq!(report["result"]["checks"].as_array().unwrap().len(), 4);
    let files = repository.git(&["diff", "--name-only", &head, "bakeoff/work/result"]);
    assert_eq!(files, "first\nlast\nleft\nright");
    assert_eq!(
        repository.git(&["show", "bakeoff/work/last:last"]),
        "left\nright\nfirst"
    );
    let chain = report["longest_chain"]["tasks"].as_array().unwrap();
    assert_eq!((&chain[0], chain.len()), (&"first".into(), 4));
    let attempts = report["workers"].as_array().unwrap().iter();
    assert_eq!(
        attempts
            .map(|one| one["attempts"].as_u64().unwrap())
            .sum::<u64>(),
        5
    );
    assert_eq!(report["success_rate"], 1.0);
    // Nothing of the user's own is touched.
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? todo/");
    // The same command again asks nobody, and merges nothing anew.
    let again = work_as(&repository, &tasks, &[]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(!again.stderr.contains("agent works"), "{}", again.stderr);
    assert!(
        again
            .stdout
            .starts_with("5 of 5 tasks are done, and merged on bakeoff/work/result."),
        "{}",
        again.stdout
    );
    let result = repository.git(&["rev-parse", "bakeoff/work/result"]);
    assert_eq!(report["result"]["commit"], result.as_str());
    let quiet = work_as(&repository, &tasks, &["--quiet"]);
    assert_eq!(
        (quiet.stdout.lines().count(), quiet.stderr.as_str()),
        (1, "")
    );
    let markdown = work_as(&repository, &tasks, &["--format", "md"]).stdout;
    assert!(
        markdown.contains("| last | done before | 1 |"),
        "{markdown}"
    );
}

#[test]
fn as_many_agents_work_at_once_as_are_asked_for_and_the_urgent_one_first() {
    let Some(repository) = repository() else {
        return;
    };
    let waits = |other: &str| {
        format!("touch here-$$; touch here; until [ -e ../{other}/here ]; do sleep 0.02; done")
    };
    let (left, right) = (waits("right"), waits("left"));
    let tasks: [Task<'_>; 2] = [("left", &[], &left, ""), ("right", &[], &right, "")];
    let more = ["--agents-at-once", "2", "--time", "60s", "--retries", "0"];
    let output = work(&repository, &tasks, &more);
    let report = output.json();
    assert_eq!(state(&report, "left"), ("done", 1), "{report}");
    for worker in report["workers"].as_array().unwrap() {
        assert_eq!(worker["attempts"], 1, "{report}");
    }
    // One at a time: whoever is not the urgent one finds its folder.
    let alone: [Task<'_>; 2] = [
        (
            "usual",
            &[],
            "test -e ../urgent && test ! -e ../urgent/.git && touch a",
            "",
        ),
        ("urgent", &[], "test ! -e ../usual && touch b", ""),
    ];
    let file = tasks_file(&alone).replace("name = \"urgent\"", "name = \"urgent\"\npriority = 1");
    repository.write("alone.toml", &file);
    let arguments = [
        "work",
        "alone.toml",
        "--agent",
        DOES,
        "--yes",
        "--agents-at-once",
        "1",
        "--name",
        "alone",
        "--retries",
        "0",
    ];
    let output = command(&repository, &arguments);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn what_fails_is_tried_again_with_its_reason_and_given_up_and_the_rest_goes_on() {
    let Some(repository) = repository() else {
        return;
    };
    let second = "if grep -q '^An earlier attempt at' TASK.md && grep -q '^grep -q good f: it ended' TASK.md; then echo good; else sleep 0.3; echo bad; fi >f; \
                  test ! -e g && touch g";
    let mut tasks: Vec<Task<'_>> = vec![
        ("second", &[], second, "grep -q good f"),
        ("broken", &[], "touch x; exit 7", ""),
        ("child", &["broken"], "touch child", ""),
        ("grandchild", &["child", "second"], "touch grandchild", ""),
        ("other", &["second"], "touch other", "test -e f"),
    ];
    let output = work(&repository, &tasks, &["--retries", "1"]);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    assert_eq!(state(&report, "second"), ("done", 2), "{report}");
    // Its time is that of both attempts, with their checks.
    let kept = ".bakeoff/work/completions/second/completion.json";
    let kept = fs::read_to_string(repository.path().join(kept)).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    let seconds = |value: &Value| value.as_f64().unwrap();
    let last = &kept["completion"];
    let check = seconds(&last["verifications"][0]["seconds"]);
    let earlier = seconds(&last["earlier_seconds"]);
    assert!(earlier >= 0.3, "{last}");
    let all = earlier + seconds(&last["seconds"]) + check;
    assert!(
        (seconds(&row(&report, "second")["seconds"]) - all).abs() < 1e-6,
        "{report}"
    );
    assert_eq!(state(&report, "broken"), ("given-up", 2));
    assert!(
        row(&report, "broken")["reason"]
            .as_str()
            .unwrap()
            .contains("status 7")
    );
    assert_eq!(
        row(&report, "broken")["worktree"],
        ".bakeoff/work/worktrees/broken"
    );
    for task in ["child", "grandchild"] {
        assert_eq!(state(&report, task), ("unreachable", 0));
        assert_eq!(
            row(&report, task)["reason"],
            "waits for broken, which was given up"
        );
    }
    assert_eq!(state(&report, "other"), ("done", 1));
    assert_eq!(report["success_rate"], 0.4);
    assert!(
        output.explains("second: verification failed; tried again in"),
        "{}",
        output.stderr
    );
    // A task that is not done may be another one the next time.
    tasks[1].2 = "touch x";
    let mended = work(&repository, &tasks, &[]);
    assert_eq!(mended.status, 0, "{}{}", mended.stdout, mended.stderr);
    let again = mended.json();
    assert_eq!(
        (
            row(&again, "second")["kept"].clone(),
            state(&again, "second")
        ),
        (true.into(), ("done", 2))
    );
    assert_eq!(state(&again, "grandchild"), ("done", 1));
    // The branch of results went forward.
    let (old, new) = (&report["result"]["commit"], &again["result"]["commit"]);
    repository.git(&[
        "merge-base",
        "--is-ancestor",
        old.as_str().unwrap(),
        new.as_str().unwrap(),
    ]);
    // One that is done may not.
    tasks[0].3 = "true";
    let other = work(&repository, &tasks, &[]);
    assert_eq!(other.status, 2, "{}", other.stdout);
    assert!(
        other.explains("the task \"second\" is done already"),
        "{}",
        other.stderr
    );
    let nothing: [Task<'_>; 1] = [("no", &[], "false", "")];
    let none = work(&repository, &nothing, &["--name", "none", "--retries", "0"]);
    assert_eq!(none.status, 1, "{}", none.stdout);
    assert!(none.json()["result"].is_null());
}

#[test]
fn tests_that_are_there_are_used_as_they_are_and_new_ones_are_kept() {
    let Some(repository) = repository() else {
        return;
    };
    let tasks: [Task<'_>; 4] = [
        // Without a check of its own: what comes after it would be held to nothing.
        ("unchecked", &[], "echo true >tests/run.sh", ""),
        (
            "weak",
            &[],
            "echo 'echo 4' >add.sh; echo true >tests/run.sh",
            "sh tests/run.sh",
        ),
        (
            "new",
            &[],
            "echo 'test -e add.sh' >tests/new.sh; echo 'tests/* text' >.gitattributes",
            "sh tests/new.sh && test ! -e .gitattributes",
        ),
        // What an earlier task tests is held against a later one.
        (
            "later",
            &["new"],
            "git rm -q tests/new.sh; rm add.sh",
            "sh tests/new.sh",
        ),
    ];
    let report = work(&repository, &tasks, &["--retries", "0"]).json();
    for weakens in ["unchecked", "weak", "later"] {
        let row = row(&report, weakens);
        assert_eq!(row["outcome"], "verification-failed", "{report}");
        let reason = row["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("it changes tests that were there before it (tests/"),
            "{reason}"
        );
    }
    assert_eq!(state(&report, "new"), ("done", 1), "{report}");
    let result = repository.git(&["show", "bakeoff/work/result:tests/run.sh"]);
    assert_ne!(result.trim(), "true");
}
