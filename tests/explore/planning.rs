//! The plan of `bakeoff explore`: what there is for it, what it is expected to take, and that it is kept.

use super::{explore, recorded};
use crate::mock_model::Mock;
use crate::support::{CommandOutput, bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A plan with so many approaches, each of 1,000 tokens.
fn plan(level: &str, approaches: usize) -> String {
    let task = |kind: &str, after: &[usize], tokens: u32| {
        json!({"kind": kind, "title": format!("The {kind}."), "depends_on": after, "priority": 1,
               "output_tokens": tokens})
    };
    let begin = [
        task("interface", &[], 500),
        task("workload", &[0], 1_000),
        task("sketch", &[1], 500),
    ];
    let tasks: Vec<Value> = begin
        .into_iter()
        .chain((0..approaches).map(|_| task("approach", &[2], 1_000)))
        .collect();
    json!({"complexity": {"level": level, "reasons": ["Many ways."]}, "tasks": tasks, "criteria": [],
           "no_function": ""})
    .to_string()
}

/// Shows the plan of a server's model, within a budget of tokens.
fn planned(address: &str, out: &Path, tokens: &str, more: &[&str]) -> CommandOutput {
    let words = [
        "explore",
        "Sort numbers.",
        "--out",
        out.to_str().unwrap(),
        "--provider",
        "openai",
        "--base-url",
        address,
        "--model",
        "mock",
        "--tokens",
        tokens,
        "--calls-at-once",
        "2",
        "--workers",
        "2",
        "--dry-run",
    ];
    let mut command = bakeoff(&[&words, more].concat());
    command.env("OPENAI_API_KEY", "none");
    command.output().unwrap().into()
}

#[test]
fn a_plan_keeps_within_what_there_is_and_is_kept() {
    let replies = [
        ("has room for 2 of that length", plan("simple", 2)),
        ("Plan the work", plan("moderate", 5)),
        ("plan the work", plan("moderate", 5)),
    ];
    let replies = replies.map(|(mark, reply)| (mark.to_owned(), reply));
    let (mock, address) = Mock::start(replies.to_vec());
    mock.lock().unwrap().left = 9;
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    // Three tasks of 3,000 tokens and what they write are 11,000; an approach is 4,000, and the reply with a plan 1,400.
    let shown = planned(&address, &out, "22000", &[]);
    assert_eq!(shown.status, 0, "{}{}", shown.stdout, shown.stderr);
    let asked = mock.lock().unwrap().asked.clone();
    assert_eq!(asked.len(), 2, "{asked:?}");
    for told in [
        "up to 2 tasks are done at the same time",
        "tried on 2 cores",
        "may take 22000 tokens",
    ] {
        assert!(asked[0].contains(told), "{told}: {}", asked[0]);
    }
    assert!(
        asked[1].contains("5 approaches would take more than there is"),
        "{}",
        asked[1]
    );
    for said in [
        "A simple problem: 2 approaches.",
        "The budget has room for 2 such approaches; 3 would exceed it.",
        "with 2 calls at once",
    ] {
        assert!(shown.stdout.contains(said), "{said}: {}", shown.stdout);
    }

    // With more to spend, it is the same plan, which nobody is asked for again.
    let again = planned(&address, &out, "90000", &["--format", "json"]);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
    assert!(
        again.explains("the plan was made before"),
        "{}",
        again.stderr
    );
    assert_eq!(mock.lock().unwrap().asked.len(), 2);
    let tasks = again.json()["plan"]["tasks"].as_array().unwrap().len();
    assert_eq!((tasks, &again.json()["calls_at_once"]), (5, &json!(2)));
    // 90,000, less two plans and 11,000, by 4,000.
    assert_eq!(again.json()["affordable_approaches"], 19);

    // One that somebody else kept counts for nothing.
    let file = out.join(".bakeoff/generation.json");
    let mut forged: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let reasons = &mut forged["plan_reply"]["reply"]["complexity"]["reasons"];
    assert_eq!(*reasons, json!(["Many ways."]));
    *reasons = json!(["Of somebody else."]);
    fs::write(&file, forged.to_string()).unwrap();
    let other = planned(&address, &out, "90000", &[]);
    assert_eq!(other.status, 0, "{}{}", other.stdout, other.stderr);
    assert!(!other.stdout.contains("somebody else"), "{}", other.stdout);
    assert_eq!(mock.lock().unwrap().asked.len(), 3);

    // Whoever says how many is told that they are too many.
    let other = folder.path().join("other");
    let shown = planned(&address, &other, "22000", &["--approaches", "5"]);
    assert_eq!(shown.status, 0, "{}{}", shown.stdout, shown.stderr);
    let said = "That is more than there is: the budget has room for 2 of these approaches.";
    assert!(shown.stdout.contains(said), "{}", shown.stdout);
}

#[test]
fn tasks_are_kept_with_what_they_were_expected_to_take_and_took() {
    let folder = TempDir::new().unwrap();
    let output = explore(folder.path(), &recorded(), &["--no-run"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let plan = &output.json()["plan"];
    let calls: Vec<(&str, u64)> = plan["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| {
            (
                task["task"].as_str().unwrap(),
                task["cost"]["calls"].as_u64().unwrap(),
            )
        })
        .collect();
    // The workload and the second approach were repaired, once each.
    let expected = [
        ("interface 1", 1),
        ("workload 1", 2),
        ("sketch 1", 1),
        ("approach 1", 1),
        ("approach 2", 2),
        ("approach 3", 1),
        ("combine 1", 1),
    ];
    assert_eq!(calls, expected, "{plan:#}");
    assert_eq!(plan["tasks"][6]["after"], json!([4, 6]), "{plan:#}");
    let first = &plan["tasks"][0];
    assert!(
        first["expected_tokens"].as_u64().unwrap() > 3_000,
        "{first}"
    );

    let out = folder.path().join("out");
    let run = crate::support::run_bakeoff(&[
        "run",
        out.to_str().unwrap(),
        "--budget",
        "500ms",
        "--format",
        "md",
    ]);
    assert!(run.ended_a_run(), "{}", run.stderr);
    for told in [
        "tokens expected",
        "In its plan: a moderate problem",
        "combine 1",
    ] {
        assert!(run.stdout.contains(told), "{told}: {}", run.stdout);
    }
}
