//! Variants that a model names, from recorded replies.

use super::{OBEYS, command, repository, row};
use crate::revisions::Repository;
use crate::support::CommandOutput;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

fn agents(repository: &Repository, arguments: &[&str]) -> CommandOutput {
    let begin = ["agents", "Do it", "--agent", OBEYS, "--format", "json"];
    command(repository, &[&begin[..], arguments].concat())
}

fn names(report: &Value) -> Vec<&str> {
    let rows = report["completions"].as_array().unwrap().iter();
    rows.map(|row| row["variant"].as_str().unwrap()).collect()
}

#[test]
fn a_model_names_variants_beside_those_of_the_user_and_is_asked_once() {
    let Some(repository) = repository() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let answers = folder.path().join("answers.json");
    let asked = [
        "--variant",
        "own=echo x >own",
        "--variants",
        "2",
        "--provider",
        "manual",
    ];
    let waits = agents(&repository, &asked);
    assert_eq!(waits.status, 4, "{}", waits.stderr);
    let task = waits.json()["tasks"][0].clone();
    let prompt = task["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("Do it") && prompt.contains("- own: echo x >own"),
        "{prompt}"
    );
    assert!(!repository.path().join(".bakeoff/agents/worktrees").exists());
    let reply = json!({"variants": [
        {"name": "Own", "idea": "echo\n1 >one"},
        {"name": "../..", "idea": "echo 2 >two"},
    ]});
    let answer = json!([{"task": task["task"], "reply": reply}]);
    fs::write(&answers, answer.to_string()).unwrap();
    let with_answers = ["--answers", answers.to_str().unwrap()];
    let output = agents(&repository, &[&asked[..], &with_answers].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let report = output.json();
    assert_eq!(names(&report), ["own", "own-2", "variant-2"]);
    assert_eq!(row(&report, "own-2")["idea"], "echo 1 >one");
    let second = repository.git(&["show", "bakeoff/agents/variant-2:two"]);
    assert_eq!(second.trim(), "2");
    // The record answers the same question, so that the variants stay what they are.
    let again = agents(&repository, &asked);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(again.json()["completions"], report["completions"]);
    assert!(
        !again.stderr.contains("its agent works"),
        "{}",
        again.stderr
    );
}

#[test]
fn without_an_answer_no_agent_is_started() {
    let Some(repository) = repository() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let cassette = folder.path().join("replies.jsonl");
    let line = json!({"purpose": "approaches", "reply": {"variants": []}});
    fs::write(&cassette, format!("{line}\n")).unwrap();
    let replay = ["--variants", "2", "--provider", "replay", "--cassette"];
    let replay = [&replay[..], &[cassette.to_str().unwrap()]].concat();
    let too_few = agents(&repository, &replay);
    assert_eq!(too_few.status, 4, "{}", too_few.stderr);
    assert!(!repository.path().join(".bakeoff/agents/worktrees").exists());
    for (arguments, named) in [
        (&["--variants", "2"][..], "--provider"),
        (
            &["--variant", "a=true", "--provider", "manual"],
            "--variants",
        ),
        (&[], "--variant"),
    ] {
        let wrong = agents(&repository, arguments);
        assert_eq!(wrong.status, 2, "{arguments:?}");
        assert!(wrong.explains(named), "{}", wrong.stderr);
    }
}
