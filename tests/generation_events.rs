//! Events of a model at work: `.bakeoff/generation.events.jsonl`, and `bakeoff status` meanwhile.

use crate::generate::example;
use crate::mock_model::Mock;
use crate::support::{bakeoff, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn events(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(".bakeoff/generation.events.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The data of the events of a name, each with its sequence number.
fn named<'a>(events: &'a [Value], name: &str) -> Vec<(u64, &'a Value)> {
    let named = events.iter().filter(|event| event["name"] == name);
    named
        .map(|event| (event["sequence"].as_u64().unwrap(), &event["data"]))
        .collect()
}

#[test]
fn what_a_model_writes_is_told_from_the_start_to_the_end() {
    let folder = example();
    let named_by_user = folder.path().to_str().unwrap();
    let cassette = format!("--cassette={named_by_user}/model.jsonl");
    let output = run_bakeoff(&["generate", named_by_user, "--provider=replay", &cassette]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let all = events(folder.path());
    for (place, event) in all.iter().enumerate() {
        assert_eq!(
            (&event["sequence"], &event["run"]),
            (&json!(place + 1), &json!(0))
        );
    }
    let start = &all[0];
    assert_eq!(start["name"], "orchestrator:exploration:start");
    assert_eq!(
        start["data"],
        json!({"num_approaches": 3, "criteria": ["performance", "simplicity"]})
    );
    let ideas = named(&all, "orchestrator:approach:generated");
    let names: Vec<&Value> = ideas.iter().map(|(_, data)| &data["approach_id"]).collect();
    assert_eq!(names, ["merge-sort", "fenwick-tree", "sorted-insertion"]);
    let tree = |name: &str| -> Vec<(u64, &Value)> {
        let mut of_tree = named(&all, name);
        of_tree.retain(|(_, data)| data["approach_id"] == "fenwick-tree");
        of_tree
    };
    let attempts = tree("bakeoff:attempt:complete");
    let outcomes: Vec<&Value> = attempts.iter().map(|(_, data)| &data["outcome"]).collect();
    assert_eq!(outcomes, ["trap", "passed"]);
    let begun = tree("orchestrator:approach:start")[0].0;
    let written = tree("bakeoff:approach:written")[0];
    assert!(ideas[1].0 < begun && begun < attempts[0].0 && attempts[1].0 < written.0);
    assert_eq!(written.1["outcome"], "passed");
    let replies = named(&all, "bakeoff:call:complete");
    let repair = json!({"purpose": "repair", "subject": "approach 2", "recorded": true});
    assert_eq!(replies.len(), 5);
    assert!(replies.iter().any(|(_, data)| **data == repair));
    let last = all.last().unwrap();
    assert_eq!(last["name"], "bakeoff:writing:complete");
    assert_eq!(last["data"]["is_complete"], true);
}

#[test]
fn an_approach_that_is_being_written_is_known_meanwhile() {
    let folder = example();
    let idea = |name: &str| {
        json!({
            "name": name, "description": "", "rationale": "", "key_characteristics": [], "pros": [], "cons": [],
            "guidelines": ""
        })
    };
    let ideas = json!({"approaches": [idea("one"), idea("two")]}).to_string();
    let source = json!({"source": "pub fn count_inversions(_: Vec<i32>) -> u64 { 0 }"}).to_string();
    let (mock, address) = Mock::start(vec![
        ("The idea to write:".to_owned(), source),
        ("Prefer those of which".to_owned(), ideas),
    ]);
    mock.lock().unwrap().left = 1;
    let words = [
        "generate",
        folder.path().to_str().unwrap(),
        "--provider=openai",
        "--model=m",
        "--tokens=1000000",
        "--approaches=2",
        "--base-url",
        &address,
    ];
    let mut child = bakeoff(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while mock.lock().unwrap().unanswered < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = ["status", folder.path().to_str().unwrap()];
    let shown = run_bakeoff(&[&status[..], &["--format=json"]].concat()).json();
    let text = run_bakeoff(&status).stdout;
    child.kill().unwrap();
    child.wait().unwrap();
    let writing = &shown["models"]["writing"];
    assert_eq!(writing["wanted"], 2);
    for name in ["one", "two"] {
        assert_eq!(writing["approaches"][name]["state"], "writing", "{shown:#}");
        assert!(
            text.contains(&format!("  {name}: is being written\n")),
            "{text}"
        );
    }
    let sent = events(folder.path());
    let sent = named(&sent, "bakeoff:call:start");
    assert_eq!(sent.len(), 3);
    assert_eq!(
        sent[0].1,
        &json!({"purpose": "approaches", "subject": "round 1"})
    );
}

#[test]
fn a_command_of_the_user_is_told_of_each_event_and_holds_nothing_up() {
    let folder = example();
    let named_by_user = folder.path().to_str().unwrap();
    let cassette = format!("--cassette={named_by_user}/model.jsonl");
    let told = folder.path().join("told.jsonl");
    let on_event = format!("--on-event=cat > {}", told.display());
    let words = [
        "generate",
        named_by_user,
        "--provider=replay",
        &cassette,
        &on_event,
    ];
    let output = run_bakeoff(&words);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(!output.stderr.contains("--on-event"), "{}", output.stderr);
    let file = folder.path().join(".bakeoff/generation.events.jsonl");
    assert_eq!(fs::read(&told).unwrap(), fs::read(file).unwrap());

    // The events of a run, as they are in its own file.
    let run = ["run", named_by_user, "--budget=200ms", "--format=json"];
    let output = run_bakeoff(&[&run[..], &[&*on_event]].concat());
    assert!(output.ended_a_run(), "{}", output.stderr);
    let file = folder.path().join(".bakeoff/inversions/events.jsonl");
    assert_eq!(fs::read(&told).unwrap(), fs::read(file).unwrap());

    // One that fails, and one that never reads, are a warning each.
    for (command, why) in [
        ("exit 7", "exit status: 7"),
        ("sleep 600", "longer than 2 s"),
    ] {
        let on_event = format!("--on-event={command}");
        let output = run_bakeoff(&[&run[..], &["--fresh", &on_event]].concat());
        assert!(output.ended_a_run(), "{}", output.stderr);
        assert_eq!(
            output.stderr.matches("--on-event").count(),
            1,
            "{}",
            output.stderr
        );
        assert!(output.explains(why), "{}", output.stderr);
    }
    let none = run_bakeoff(&[&run[..], &["--on-event=/no/such/program"]].concat());
    assert_eq!(none.status, 2, "{}", none.stderr);
    assert!(none.explains("there is no program"), "{}", none.stderr);
}
