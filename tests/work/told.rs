//! What is said of tasks that failed, or that changed tests: in the report, and to another terminal.

use super::going_on::wait_until;
use super::{DOES, Task, command, repository, tasks_file, work, work_as};
use crate::support::bakeoff;
use std::process::Stdio;

#[test]
fn a_report_names_what_was_given_up_in_its_chain_and_the_tests_that_were_added() {
    let Some(repository) = repository() else {
        return;
    };
    let tasks: [Task<'_>; 3] = [
        (
            "good",
            &[],
            "mkdir -p tests; echo true >tests/new.sh; touch x Makefile; printf '%s' '{\"type\":\"result\",\"num_turns\":3}'",
            "sh tests/new.sh",
        ),
        ("bad", &["good"], "echo true >tests/run.sh; sleep 0.2", ""),
        ("after", &["bad"], "touch y", ""),
    ];
    let output = work_as(&repository, &tasks, &["--retries", "0"]);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let text = output.stdout;
    assert!(
        text.starts_with(
            "1 of 3 tasks is done, and merged on bakeoff/work/result. 1 failed in every attempt."
        ),
        "{text}"
    );
    for part in [
        "good changed or added tests: tests/new.sh\n",
        "good changed how tests may run: Makefile\n",
        "bad changed or added tests: tests/run.sh\n",
        "\nby the agents' own words they took: good 3 turns\n",
        "Longest chain of what was worked on: good → bad (",
        "\nphase 1  1 of 1 done: good\nphase 2  0 of 1 done: bad\nphase 3  0 of 1 done: after\nsuccess rate: 33 % of the tasks\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = work(&repository, &tasks, &["--retries", "0"]).json();
    assert_eq!(
        report["longest_chain"]["tasks"],
        serde_json::json!(["good", "bad"])
    );
    assert_eq!(
        report["phases"][0],
        serde_json::json!({"phase": 1, "done": 1, "tasks": ["good"]})
    );
    let markdown = work_as(&repository, &tasks, &["--retries", "0", "--format", "md"]).stdout;
    assert!(
        markdown.contains("\n- phase 1  1 of 1 done: good\n"),
        "{markdown}"
    );
    let one: [Task<'_>; 1] = [("only", &[], "touch z", "")];
    let text = work_as(&repository, &one, &["--name", "other"]).stdout;
    assert!(
        text.starts_with("1 of 1 task is done, and merged on bakeoff/other/result."),
        "{text}"
    );
    assert!(
        text.contains("\nsuccess rate: 100 % of the tasks\n") && !text.contains("phase"),
        "{text}"
    );
}

#[test]
fn another_terminal_is_told_of_an_attempt_that_is_to_come() {
    let Some(repository) = repository() else {
        return;
    };
    let tasks: [Task<'_>; 1] = [("one", &[], "exit 3", "")];
    repository.write("todo/tasks.toml", &tasks_file(&tasks));
    let mut begun = bakeoff(&["work", "todo", "--agent", DOES, "--yes"]);
    begun.args(["--retry-wait", "10min", "--retries", "1"]);
    begun.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = begun.current_dir(repository.path()).spawn().unwrap();
    let completion = repository
        .path()
        .join(".bakeoff/work/completions/one/completion.json");
    wait_until(|| completion.exists());
    let told = || command(&repository, &["status", ".bakeoff/work"]).stdout;
    let text = told();
    assert!(
        text.starts_with("0 of 1 task is done; the work goes on\n"),
        "{text}"
    );
    assert!(
        text.contains("one  agent failed; attempt 2 of 2 is to come"),
        "{text}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(told().contains("one  agent failed  ("), "{}", told());
}
