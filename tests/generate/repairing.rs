//! What goes back to a model on a prototype that fails.

use super::{by_pairs, cassette, example, generate, idea};
use crate::mock_model::{Mock, USAGE};
use crate::support::{CommandOutput, bakeoff, run_bakeoff};
use serde_json::{Value, json};
use std::fs;

/// Asks for one approach, whose prototype is replied with this source and repaired with a right one.
fn repaired(source: &str) -> Value {
    let folder = example();
    let recorded = fs::read_to_string(folder.path().join("model.jsonl")).unwrap();
    let mut recorded = recorded.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line
    });
    let right = recorded.find(|one| one["subject"] == "approach 3").unwrap();
    let replies = [
        (
            "approaches",
            "round 1",
            json!({"approaches": [idea("counting")]}),
        ),
        ("prototype", "approach 1", json!({"source": source})),
        ("repair", "approach 1", right["reply"].clone()),
    ];
    let cassette = cassette(folder.path(), &replies);
    let output = generate(folder.path(), &cassette, &["--approaches=1"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    output.json()["approaches"][0].clone()
}

#[test]
fn what_only_the_check_of_a_run_finds_goes_back_while_it_can_be_repaired() {
    let made = repaired(
        "use std::sync::atomic::{AtomicU32, Ordering};
        static CALLS: AtomicU32 = AtomicU32::new(0);
        pub fn count_inversions(values: Vec<i32>) -> u64 {
            let tired = u64::from(CALLS.fetch_add(1, Ordering::Relaxed) / 8);
            let after = |a: usize| values[a + 1..].iter().filter(|b| **b < values[a]).count() as u64;
            (0..values.len()).map(after).sum::<u64>() + tired
        }",
    );
    assert_eq!(
        (&made["outcome"], &made["attempts"]),
        (&json!("passed"), &json!(2)),
        "{made:#}"
    );
    let first = &made["iterations"][0];
    let message = first["message"].as_str().unwrap();
    assert_ne!(first["outcome"], "passed");
    assert!(message.contains("arguments: ["), "{message}");
}

#[test]
fn a_failure_goes_back_with_the_smallest_input_that_was_found() {
    let made = repaired(
        "pub fn count_inversions(values: Vec<i32>) -> u64 {
            if values.len() > 2 { return 7_777_777; }
            u64::from(values.len() == 2 && values[0] > values[1])
        }",
    );
    let first = &made["iterations"][0];
    assert_eq!(first["outcome"], "wrong-answer", "{made:#}");
    let message = first["message"].as_str().unwrap();
    assert!(
        message.starts_with("case 3, smaller than what is measured\narguments: ["),
        "{message}"
    );
    let arguments = message.lines().nth(1).unwrap();
    assert_eq!(arguments.matches(',').count(), 2, "{message}");
    let made = repaired(
        "pub fn count_inversions(values: Vec<i32>) -> u64 {
            if values.len() > 3 { panic!(\"more than {}\", 3); }
            let after = |a: usize| values[a + 1..].iter().filter(|b| **b < values[a]).count() as u64;
            (0..values.len()).map(after).sum()
        }",
    );
    let message = made["iterations"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("case 4,") && message.contains("more than 3"),
        "{message}"
    );
}

/// A prototype that answers nothing rightly.
const WRONG: &str = "pub fn count_inversions(_: Vec<i32>) -> u64 { 7 }";

#[test]
fn another_model_repairs_within_the_same_budget_and_each_call_names_its_own() {
    let folder = example();
    let replies = [
        ("It failed:", by_pairs(1).to_string()),
        ("\nfirst:", json!({ "source": WRONG }).to_string()),
    ];
    let replies = replies.map(|(mark, reply)| (mark.to_owned(), reply));
    let (mock, address) = Mock::start(replies.into());
    mock.lock().unwrap().left = usize::MAX;
    let prices = folder.path().join("prices.toml");
    let text =
        "[openai]\nwriter = { input = 1, output = 1 }\nmender = { input = 10, output = 10 }\n";
    fs::write(&prices, text).unwrap();
    let asked_for = |idea: &str| {
        let words = [
            "generate",
            folder.path().to_str().unwrap(),
            "--provider=openai",
            "--model=writer",
            "--repair-model=mender",
            "--usd=5",
            "--prices",
            prices.to_str().unwrap(),
            "--approaches=0",
            idea,
            "--base-url",
            &address,
            "--format=json",
        ];
        CommandOutput::from(bakeoff(&words).output().unwrap())
    };
    let output = asked_for("--idea=first=Guess.");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let models = std::mem::take(&mut mock.lock().unwrap().models);
    assert_eq!(models, ["writer", "mender"]);
    let made = output.json();
    assert_eq!(made["model"], "openai writer, repairs by openai mender");
    let tokens = USAGE[0] + USAGE[1];
    assert_eq!(made["tokens"], 2 * tokens);
    let usd = made["usd"].as_f64().unwrap();
    assert!((usd - 11.0 * tokens as f64 / 1e6).abs() < 1e-9, "{usd}");
    let record = fs::read_to_string(folder.path().join(".bakeoff/models.jsonl")).unwrap();
    let lines = record.lines().skip(1);
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |key: &str| -> Vec<&Value> { lines.iter().map(|line| &line[key]).collect() };
    assert_eq!(of("purpose"), ["prototype", "repair"]);
    assert_eq!(of("provider"), ["openai writer", "openai mender"]);

    // A price that is not known is not known of repairs either, and a replay has no other model.
    fs::write(&prices, text.replace("mender", "other")).unwrap();
    let refused = asked_for("--idea=second=Guess.");
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("`mender` is not known"),
        "{}",
        refused.stderr
    );
    let replayed = generate(
        folder.path(),
        &folder.path().join("model.jsonl"),
        &["--repair-model=mender"],
    );
    assert_eq!(replayed.status, 2, "{}", replayed.stderr);
    assert!(
        replayed.explains("a replay asks nobody"),
        "{}",
        replayed.stderr
    );
}

/// The experiment file names the model for repairs, also of candidates of a search.
#[test]
fn an_experiment_names_the_model_that_repairs() {
    let folder = example();
    let (mock, address) = Mock::start(vec![
        ("It failed:".to_owned(), by_pairs(2).to_string()),
        (
            "A search goes on".to_owned(),
            json!({"change": "guessed", "source": WRONG}).to_string(),
        ),
    ]);
    mock.lock().unwrap().left = usize::MAX;
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let tables = "\n[generate]\nprovider = \"openai\"\nmodel = \"writer\"\nrepair_model = \"mender\"\ntokens = 1_000_000\n\
                  approaches = 0\n\n[rounds]\npropose = [\"model\"]\nwidth = 1\ncount = 1\n";
    fs::write(&file, format!("{text}{tables}")).unwrap();
    let dir = folder.path().to_str().unwrap();
    let forecast = run_bakeoff(&["evolve", dir, "--dry-run"]);
    let said = forecast
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(said.contains("2 repairs each by openai mender"), "{said}");
    let words = [
        "evolve",
        dir,
        "--generate",
        "--budget=300ms",
        "--base-url",
        &address,
        "--format=json",
    ];
    let run = run_bakeoff(&words);
    assert!(run.ended_a_run(), "{}", run.stderr);
    let models = std::mem::take(&mut mock.lock().unwrap().models);
    assert_eq!(models, ["writer", "mender"], "{}", run.stderr);
    let report = run.json();
    let rounds = &report["rounds"];
    assert_eq!(rounds["model"], "openai writer, repairs by openai mender");
    assert_eq!(rounds["cost"]["calls"], 2);
}
