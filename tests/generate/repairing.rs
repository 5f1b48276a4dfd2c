//! What goes back to a model on a prototype that fails.

use super::{cassette, example, generate, idea};
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
