//! Results that conflict: what the agent after both is told, and what is left out at the end.

use super::{Task, repository, row, state, work, work_as};

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

#[test]
fn a_result_that_conflicts_is_left_out_and_named() {
    let Some(repository) = repository() else {
        return;
    };
    let output = work(&repository, &BOTH, &[]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let report = output.json();
    assert_eq!(
        report["result"]["left_out"],
        serde_json::json!([{"task": "right", "conflicts": ["f"]}])
    );
    assert_eq!(repository.git(&["show", "bakeoff/work/result:f"]), "left");
    let text = work_as(&repository, &BOTH, &[]).stdout;
    assert!(
        text.contains("1 of them is merged")
            && text.contains("right is not on the branch of results"),
        "{text}"
    );
}
