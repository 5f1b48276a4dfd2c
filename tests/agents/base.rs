//! Verifications on the base, and notes of ours in worktrees.

use super::{OBEYS, agents, command, repository, row, set_executable};
use std::fs;
use tempfile::TempDir;

#[test]
fn a_verification_that_cannot_be_started_is_an_error_before_an_agent_is_started() {
    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let tool = outside.path().join("tool");
    fs::write(&tool, "#!/bin/sh\n").unwrap();
    set_executable(&tool);
    let tool = tool.display().to_string();
    for (verify, named) in [
        (tool.as_str(), tool.as_str()),
        ("X=1 no-such-tool", "no-such-tool"),
    ] {
        let verify = ["--verify", "true", "--verify", verify];
        let refused = agents(&repository, &["a=echo x >new"], OBEYS, &verify);
        assert_eq!(refused.status, 2, "{}", refused.stdout);
        assert!(refused.explains("cannot be started"), "{}", refused.stderr);
        assert!(refused.explains(named), "{}", refused.stderr);
        assert!(!repository.path().join(".bakeoff/agents/worktrees").exists());
    }
    // Behind the fence it is only what is named.
    let read = outside.path().display().to_string();
    let verify = ["--verify", &tool, "--read", &read];
    let output = agents(&repository, &["a=echo x >new"], OBEYS, &verify);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn a_verification_that_fails_on_the_base_is_said_and_may_be_what_the_task_mends() {
    let Some(repository) = repository() else {
        return;
    };
    repository.write("add.sh", "echo broken\n");
    repository.commit();
    let variants = ["mends=echo 'expr $1 + $2' >add.sh", "idle=echo x >other"];
    let verify = ["--verify", "sh tests/run.sh", "--verify", "true"];
    let output = agents(&repository, &variants, OBEYS, &verify);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let report = output.json();
    assert_eq!(row(&report, "mends")["outcome"], "passed");
    assert_eq!(row(&report, "idle")["outcome"], "verification-failed");
    let on_base = &row(&report, "mends")["base_verifications"];
    assert_eq!(on_base[0]["passed"], false, "{on_base}");
    assert_eq!(on_base[1]["passed"], true, "{on_base}");
    // It is kept with what agents left, so that it is said again without trying it again.
    let again = [
        &["agents", "Do it", "--agent", OBEYS, "--format", "human"][..],
        &["--variant", variants[0], "--variant", variants[1]],
        &verify,
    ];
    let again = command(&repository, &again.concat());
    let note = "note: sh tests/run.sh fails on the base, too";
    assert!(again.stdout.contains(note), "{}", again.stdout);
    assert_eq!(again.stdout.matches("fails on the base").count(), 1);
    assert!(!again.stderr.contains("on the base"), "{}", again.stderr);
}

#[test]
fn what_is_ours_in_the_worktree_of_an_agent_that_failed_is_nothing_to_lose() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = ["fails=echo why >DONE.md; exit 7"];
    let report = agents(&repository, &variants, OBEYS, &[]).json();
    assert_eq!(row(&report, "fails")["outcome"], "agent-failed");
    assert_eq!(row(&report, "fails")["done"], "why\n");
    // Asked again it begins anew, and nothing was left that would be set aside.
    let again = agents(&repository, &variants, OBEYS, &[]);
    assert_eq!(again.status, 1, "{}", again.stderr);
    let removed = command(&repository, &["worktrees", "--remove", "agents"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    // What an agent put in its place is its own.
    let variants = ["fails=rm TASK.md; mkdir TASK.md; echo x >TASK.md/x; exit 7"];
    agents(&repository, &variants, OBEYS, &[]).json();
    let refused = command(&repository, &["worktrees", "--remove", "agents"]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("not committed"), "{}", refused.stderr);
}
