//! Tasks that a model plans, from recorded replies.

use super::{DOES, command, repository, state};
use crate::revisions::{Repository, has_git};
use crate::support::CommandOutput;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

fn task(name: &str, after: &[&str], does: &str, check: &str) -> Value {
    json!({"name": name, "prompt": format!("Do it.\ndo: {does}"), "after": after, "priority": 0, "estimate_minutes": 4, "check": check})
}

fn reply(tasks: &[Value]) -> Value {
    json!({"complexity": {"level": "simple", "reasons": ["One file is read, and one is written."]}, "tasks": tasks})
}

fn plan(repository: &Repository, more: &[&str]) -> CommandOutput {
    let begin = ["plan", "A to-do app.", "--workers", "3", "--format", "json"];
    command(repository, &[&begin[..], more].concat())
}

#[test]
fn a_recorded_plan_is_written_begins_nothing_and_is_worked_off() {
    let Some(repository) = repository() else {
        return;
    };
    let good = [
        task("Write it", &["Read it"], "cat in >out", "test -s out"),
        task("Read it", &[], "echo x >in", ""),
    ];
    let circle = [task("a", &["b"], "", ""), task("b", &["a"], "", "")];
    let lines = [
        ("tasks for agents", reply(&circle)),
        ("tasks for agents, repair 1", reply(&good)),
    ];
    let lines = lines.map(|(subject, reply)| {
        json!({"purpose": "plan", "subject": subject, "reply": reply}).to_string()
    });
    let folder = TempDir::new().unwrap();
    let cassette = folder.path().join("plan.jsonl");
    fs::write(&cassette, lines.join("\n")).unwrap();
    let replay = [
        "--provider",
        "replay",
        "--cassette",
        cassette.to_str().unwrap(),
        "--out",
    ];
    let output = plan(&repository, &[&replay[..], &["todo"]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let shown = output.json();
    assert_eq!(
        (&shown["complexity"], &shown["file"]),
        (&"simple".into(), &"todo/tasks.toml".into())
    );
    assert_eq!(shown["tasks"][1]["after"], json!(["read-it"]));
    assert!(!repository.path().join(".bakeoff").exists());
    let text = fs::read_to_string(repository.path().join("todo/tasks.toml")).unwrap();
    assert!(
        text.contains("# One file is read, and one is written."),
        "{text}"
    );
    // What is there may have been changed since.
    let taken = plan(&repository, &[&replay[..], &["todo"]].concat());
    assert_eq!(taken.status, 2);
    assert!(
        taken.explains("has a tasks.toml already"),
        "{}",
        taken.stderr
    );
    let arguments = ["work", "todo", "--agent", DOES, "--yes", "--format", "json"];
    let worked = command(&repository, &arguments);
    assert_eq!(worked.status, 0, "{}{}", worked.stdout, worked.stderr);
    assert_eq!(state(&worked.json(), "write-it"), ("done", 1));
    // A plan that never can be worked off is no answer, and no file.
    let circles = ["", ", repair 1", ", repair 2"].map(|repair| {
        let subject = format!("tasks for agents{repair}");
        json!({"purpose": "plan", "subject": subject, "reply": reply(&circle)}).to_string()
    });
    fs::write(&cassette, circles.join("\n")).unwrap();
    let unusable = plan(&repository, &[&replay[..], &["other"]].concat());
    assert_eq!(unusable.status, 1, "{}", unusable.stdout);
    assert!(
        unusable.explains("wait for each other in a circle"),
        "{}",
        unusable.stderr
    );
    assert!(!repository.path().join("other/tasks.toml").exists());
}

#[test]
fn a_plan_is_asked_for_once_tells_workers_and_is_replayed_from_its_record() {
    let Some(repository) = repository() else {
        return;
    };
    let asked = ["--provider", "manual", "--out", "todo"];
    let waits = plan(&repository, &asked);
    assert_eq!(waits.status, 4, "{}", waits.stderr);
    let open = waits.json()["tasks"][0].clone();
    let prompt = open["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("A to-do app.") && prompt.contains("3 of them at the same time"),
        "{prompt}"
    );
    assert!(!repository.path().join("todo/tasks.toml").exists());
    let good = [task("Do it", &[], "touch x", "test -e x")];
    let answer = json!([{"task": open["task"], "reply": reply(&good)}]);
    let folder = TempDir::new().unwrap();
    let answers = folder.path().join("answers.json");
    fs::write(&answers, answer.to_string()).unwrap();
    let written = plan(
        &repository,
        &[&asked[..], &["--answers", answers.to_str().unwrap()]].concat(),
    );
    assert_eq!(written.status, 0, "{}", written.stderr);
    let replayed = [
        "--provider",
        "replay",
        "--cassette",
        "todo/model.jsonl",
        "--out",
        "again",
    ];
    let replayed = plan(&repository, &replayed);
    assert_eq!(replayed.status, 0, "{}", replayed.stderr);
    assert_eq!(replayed.json()["tasks"], written.json()["tasks"]);
    for (arguments, why) in [
        (&["--out", "x"][..], "--provider"),
        (
            &["--out", "x", "--provider", "manual", "--workers", "0"],
            "--workers",
        ),
    ] {
        let wrong = plan(&repository, arguments);
        assert_eq!(wrong.status, 2);
        assert!(wrong.explains(why), "{}", wrong.stderr);
    }
}

#[test]
fn the_example_of_a_calculator_is_planned_worked_off_and_right() {
    if !has_git() {
        return;
    }
    let repository = Repository::new();
    repository.write("notes.txt", "An empty project.\n");
    repository.commit();
    let example = crate::support::root().join("examples/calculator");
    let [cassette, agent] =
        ["plan.jsonl", "agent.sh"].map(|file| example.join(file).display().to_string());
    let statement = fs::read_to_string(example.join("statement.txt")).unwrap();
    let out = [
        "--provider",
        "replay",
        "--cassette",
        &cassette,
        "--out",
        "todo",
    ];
    let planned = command(
        &repository,
        &[&["plan", &statement, "--workers", "2"], &out[..]].concat(),
    );
    assert_eq!(planned.status, 0, "{}", planned.stderr);
    assert!(
        planned
            .stdout
            .contains("command    5.0 min from minute 10, after lexer, evaluator\n"),
        "{}",
        planned.stdout
    );
    let command_line = format!("sh {agent}");
    let arguments = [
        "work",
        "todo",
        "--agents-at-once",
        "2",
        "--agent",
        &command_line,
        "--read",
        &agent,
        "--yes",
        "--format",
        "json",
    ];
    let worked = command(&repository, &arguments);
    assert_eq!(worked.status, 0, "{}{}", worked.stdout, worked.stderr);
    assert_eq!(worked.json()["success_rate"], 1.0);
    repository.git(&["merge", "--quiet", "bakeoff/work/result"]);
    let mut calc = std::process::Command::new("sh");
    let output = calc
        .args(["calc", "2 * (3 + 4)"])
        .current_dir(repository.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "14\n");
}
