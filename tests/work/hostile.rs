//! Files of tasks and agents that mean no good, and what is in the way of a work.

use super::{DOES, Task, command, repository, row, state, tasks_file, work};
use crate::support::CommandOutput;
use std::fs;

fn file(name: &str, prompt: &str, check: &str) -> String {
    format!("[[task]]\nname = {name:?}\nprompt = {prompt:?}\ncheck = {check:?}\n")
}

#[test]
fn case_248_a_file_of_tasks_that_leads_elsewhere_or_has_no_end_starts_nothing() {
    let Some(repository) = repository() else {
        return;
    };
    let endless = file("a", &"x".repeat(2 << 20), "true");
    for (text, why) in [
        (file("../../x", "y", "true"), "is no name of a task"),
        (file("result", "y", "true"), "cannot name a task"),
        (endless, "more than 1 MiB"),
        (
            "[[task]]\nname = \"a\"\nprompt = \"\\u001b[2J\"\n".to_owned(),
            "control characters",
        ),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\nafter = \"b\"\n".to_owned(),
            "waits for `b`, which is no task",
        ),
        (
            file("a", "y", "true\n   check: true"),
            "`check` has control characters",
        ),
        (
            file("a", "y", "no-such-program-anywhere"),
            "the check of the task a",
        ),
        ("\0".to_owned(), "TOML"),
    ] {
        repository.write("todo/tasks.toml", &text);
        let output = command(&repository, &["work", "todo", "--agent", "true", "--yes"]);
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.explains(why), "{why}: {}", output.stderr);
        assert!(!output.stderr.contains('\u{1b}'), "{}", output.stderr);
    }
    let missing = command(
        &repository,
        &["work", "nowhere", "--agent", "true", "--yes"],
    );
    assert!(
        missing.explains("there is no nowhere"),
        "{}",
        missing.stderr
    );
    assert!(!repository.path().join(".bakeoff/work/worktrees").exists());
    assert!(!repository.path().join("x").exists());
}

#[test]
fn case_249_checks_of_a_file_are_shown_first_run_behind_the_fence_and_need_leave() {
    let Some(repository) = repository() else {
        return;
    };
    let top = repository.path().canonicalize().unwrap();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let secret = tempfile::TempDir::new().unwrap();
    fs::write(secret.path().join("key"), "secret-key").unwrap();
    let tries = format!(
        "for at in {top}/.git/hooks/pre-commit {top}/.git/refs/heads/main {top}/add.sh {top}/.bakeoff/x {top}/todo/tasks.toml; do \
         echo bad 2>/dev/null >$at; done; cat {secret}/key {top}/.git/config; false",
        top = top.display(),
        secret = secret.path().display()
    );
    let tasks: [Task<'_>; 1] = [("a", &[], &tries, &tries)];
    repository.write("todo/tasks.toml", &tasks_file(&tasks));
    let unasked = command(&repository, &["work", "todo", "--agent", DOES]);
    assert_eq!(unasked.status, 2, "{}", unasked.stdout);
    assert!(
        unasked.explains("check: for at in") && unasked.explains("--yes"),
        "{}",
        unasked.stderr
    );
    assert!(!repository.path().join(".bakeoff/work/worktrees").exists());
    let does = format!("touch x; {tries}; true");
    let tasks: [Task<'_>; 1] = [("a", &[], &does, &tries)];
    let report = work(&repository, &tasks, &["--retries", "0"]).json();
    assert_eq!(
        row(&report, "a")["outcome"],
        "verification-failed",
        "{report}"
    );
    assert!(!report.to_string().contains("secret-key"), "{report}");
    assert_eq!(repository.git(&["rev-parse", "main"]), head);
    assert!(!top.join(".git/hooks/pre-commit").exists() && !top.join(".bakeoff/x").exists());
    assert_eq!(
        fs::read_to_string(top.join("add.sh")).unwrap(),
        "echo $(($1 + $2))\n"
    );
    assert_eq!(
        fs::read_to_string(top.join("todo/tasks.toml")).unwrap(),
        tasks_file(&tasks)
    );
}

#[test]
fn what_is_in_the_way_of_a_work_is_said_before_an_agent_is_started() {
    let Some(repository) = repository() else {
        return;
    };
    let tasks: [Task<'_>; 1] = [("a", &[], "touch a", "")];
    let refused = |why: &str, output: &CommandOutput| {
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.explains(why), "{}", output.stderr);
        assert!(!output.stderr.contains("agent works"), "{}", output.stderr);
    };
    for branch in ["bakeoff/work/result", "bakeoff/work/a"] {
        repository.git(&["branch", branch]);
        refused("there is a branch", &work(&repository, &tasks, &[]));
        repository.git(&["branch", "-D", branch]);
    }
    refused(
        "is no revision",
        &work(&repository, &tasks, &["--base", "nowhere"]),
    );
    refused("--time", &work(&repository, &tasks, &["--time", "0s"]));
    let variant = ["agents", "Do it", "--agent", "touch v", "--variant", "v"];
    assert_eq!(command(&repository, &variant).status, 0);
    refused(
        "that were no tasks",
        &work(&repository, &tasks, &["--name", "agents"]),
    );
    let output = work(&repository, &tasks, &[]);
    assert_eq!(state(&output.json(), "a"), ("done", 1), "{}", output.stderr);
    // Moved, the branch would have other files than those that were checked out.
    let linked = tempfile::TempDir::new().unwrap();
    let linked = linked.path().join("linked");
    let place = linked.to_str().unwrap();
    repository.git(&["worktree", "add", place, "bakeoff/work/result"]);
    refused("is checked out", &work(&repository, &tasks, &[]));
    repository.git(&["worktree", "remove", place]);
    // Records of ours are no work of an agent, whose merge would write them over.
    let plants: [Task<'_>; 1] = [(
        "p",
        &[],
        "mkdir -p .bakeoff/work; touch .bakeoff/work/work.json",
        "",
    )];
    let planted = work(
        &repository,
        &plants,
        &["--name", "plants", "--retries", "0"],
    )
    .json();
    assert_eq!(row(&planted, "p")["outcome"], "refused", "{planted}");
    let named = [&variant[..], &["--name", "work"]].concat();
    refused("has tasks of `bakeoff work`", &command(&repository, &named));
    let picked = command(&repository, &["pick", ".bakeoff/work"]);
    assert!(
        picked.explains("git merge bakeoff/work/result"),
        "{}",
        picked.stderr
    );
    let one = command(
        &repository,
        &["pick", ".bakeoff/work", "--variant", "a", "--apply"],
    );
    assert_eq!(one.status, 0, "{}", one.stderr);
    assert!(repository.path().join("a").exists());
    // A list that came with the folder, or was changed, is none.
    let list = repository.path().join(".bakeoff/work/work.json");
    let text = fs::read_to_string(&list).unwrap();
    fs::write(&list, text.replace("\"name\": \"a\"", "\"name\": \"b\"")).unwrap();
    refused("has not your seal", &work(&repository, &tasks, &[]));
}
