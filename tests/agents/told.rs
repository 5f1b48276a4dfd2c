//! What agents are told: the name of their variant, and instructions, which are read as each begins.

use super::{OBEYS, agents, repository, row};
use std::fs;
use tempfile::TempDir;

#[test]
fn instructions_are_read_as_each_agent_begins_and_what_has_ended_stays() {
    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let file = outside.path().join("instructions.md");
    fs::write(&file, "Told at first.").unwrap();
    let path = file.display().to_string();
    let more = ["--instructions", &path, "--agents-at-once", "1"];
    let says = "head -n 1 TASK.md; echo $BAKEOFF_VARIANT; echo x >new";
    let (first, second) = (format!("first={says}"), format!("second={says}"));
    let told = |variants: &[&str]| {
        let output = agents(&repository, variants, OBEYS, &more);
        assert_eq!(output.status, 0, "{}", output.stderr);
        output.json()
    };
    let report = told(&[&first]);
    assert_eq!(row(&report, "first")["reply"], "Told at first.\nfirst");
    fs::write(&file, "Told later.").unwrap();
    let report = told(&[&first, &second]);
    assert_eq!(row(&report, "first")["reply"], "Told at first.\nfirst");
    assert_eq!(row(&report, "second")["reply"], "Told later.\nsecond");
    // What each was told is kept with what it left.
    let kept = |variant: &str| {
        let file = format!(".bakeoff/agents/completions/{variant}/completion.json");
        fs::read_to_string(repository.path().join(file)).unwrap()
    };
    assert!(kept("first").contains("Told at first."));
    assert!(kept("second").contains("Told later."));
    fs::remove_file(&file).unwrap();
    let none = agents(&repository, &[&first], OBEYS, &more);
    assert!(
        none.status == 2 && none.explains("cannot read the instructions"),
        "{}",
        none.stderr
    );
}

/// The file changes while the command works: an agent outside of this test's reach cannot write it, so that the listener of
/// its progress does.
#[test]
fn a_change_of_the_instructions_meanwhile_holds_for_those_that_begin_after_it() {
    use crate::support::bakeoff;
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let file = outside.path().join("instructions.md");
    fs::write(&file, "Told at first.").unwrap();
    let go = outside.path().join("go");
    // The first agent ends once the file has changed.
    let waits = format!(
        "until [ -e {} ]; do sleep 0.02; done; head -n 1 TASK.md; echo x >new",
        go.display()
    );
    let first = format!("first={waits}");
    let mut command = bakeoff(&["agents", "Do it", "--agent", OBEYS, "--format", "json"]);
    command
        .args([
            "--variant",
            &first,
            "--variant",
            "second=head -n 1 TASK.md; echo y >new",
        ])
        .args(["--agents-at-once", "1", "--instructions"])
        .arg(&file)
        .current_dir(repository.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let news = BufReader::new(child.stderr.take().unwrap());
    let mut lines = news.lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "first: its agent works"));
    // It is told once its worktree has a task.
    let task = repository
        .path()
        .join(".bakeoff/agents/worktrees/first/TASK.md");
    while !task.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    fs::write(&file, "Told later.").unwrap();
    fs::write(&go, "").unwrap();
    lines.for_each(drop);
    let output = child.wait_with_output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(row(&report, "first")["reply"], "Told at first.");
    assert_eq!(row(&report, "second")["reply"], "Told later.");
}
