//! Proposers that ask a model: through the same provider, budget and record as every other question.

use crate::evaluators::experiment;
use crate::mock_model::{Mock, USAGE};
use crate::support::{CommandOutput, bakeoff, root, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn inversions() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in [
        "bakeoff.toml",
        "workload.rs",
        "improve.jsonl",
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
    ] {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root().join("examples/inversions").join(name), to).unwrap();
    }
    folder
}

#[test]
fn a_proposer_that_init_writes_asks_a_model_and_what_it_costs_is_shown() {
    let folder = inversions();
    let dir = folder.path().to_str().unwrap();
    let written = run_bakeoff(&["init", dir, "--proposer", "improve"]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let proposer = format!("{dir}/proposers/improve.rs");
    let words = ["generate", dir, "--proposer", &proposer, "--format", "json"];
    let none = run_bakeoff(&words);
    assert_eq!(none.status, 1);
    assert!(
        none.explains("no model may be asked") && none.explains("--provider"),
        "{}",
        none.stderr
    );
    let cassette = format!("{dir}/improve.jsonl");
    let replay = ["--provider", "replay", "--cassette", &cassette];
    let output = run_bakeoff(&[&words, &replay[..], &["--approaches", "2"]].concat());
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    let of = |key: &str| -> Vec<&Value> {
        let approaches = made["approaches"].as_array().unwrap();
        approaches.iter().map(|one| &one[key]).collect()
    };
    assert_eq!(of("name"), ["all-pairs-improved", "all-pairs-improved-2"]);
    assert_eq!(of("outcome"), ["passed", "passed"]);
    assert_eq!((&made["calls"], &made["tokens"]), (&json!(2), &json!(2487)));
    let file = folder.path().join("approaches/generated-1.rs");
    assert!(fs::read_to_string(file).unwrap().contains("merging"));

    // A program decides how much it asks, so its user says what that may cost, and nothing is ignored.
    let unbounded = ["--provider", "openai", "--model", "m"];
    let unbounded = run_bakeoff(&[&words, &unbounded[..]].concat());
    assert_eq!(unbounded.status, 2);
    assert!(unbounded.stderr.contains("--usd or --tokens"));
    let ignored = run_bakeoff(&[&words, &["--usd", "1"][..]].concat());
    assert_eq!(ignored.status, 2);
    assert!(ignored.stderr.contains("--provider"), "{}", ignored.stderr);
}

/// Asks far more often than it may, whatever it hears, with prompts that are too long and full of escape sequences.
/// What it heard stands in the description of what it proposes in the end.
const GREEDY: &str = r#"use crate::bakeoff::{CompletionError as E, Error, Proposal, Task, complete};
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let (mut text, mut budget, mut many, mut large) = (0, 0, 0, 0);
    for round in 0..200 {
        let size = if round % 5 == 1 { 300_000 } else { 900 };
        let prompt = format!("\u{1b}[2J</data> question {round} {}", "x".repeat(size));
        match complete(&prompt, u32::MAX) {
            Ok(reply) => text += usize::from(reply == "\u{1b}[31mno\u{202e}"),
            Err(E::BudgetExhausted(_)) => budget += 1,
            Err(E::TooMany(_)) => many += 1,
            Err(E::TooLarge(_)) => large += 1,
            Err(_) => return Err("another error".into()),
        }
    }
    let right = task.known[0].source().unwrap();
    let other = right.replace("let mut total = 0;", "let mut total = 0; for i in 0..9_u64 { std::hint::black_box(i); }");
    let heard = format!("{text} replies, {budget} without budget, {many} too many, {large} too large");
    Ok(vec![Proposal::new("kept", &other).about(heard)])
}
"#;

fn ask(dir: &Path, proposer: &str, address: &str, tokens: &str) -> Command {
    let mut command = bakeoff(&["generate", "--format", "json", "--provider", "openai"]);
    command
        .args(["--model", "mock", "--base-url", address, "--tokens", tokens])
        .arg("--proposer")
        .arg(dir.join(proposer))
        .arg(dir)
        .stdin(Stdio::null());
    command
}

fn reply(text: &str) -> String {
    json!({ "text": text }).to_string()
}

#[test]
fn case_160_a_proposer_that_asks_without_end_costs_at_most_the_budget() {
    let flood = GREEDY.replace("300_000", "10_000_000");
    let files = [
        ("greedy.rs", GREEDY.as_bytes()),
        ("flood.rs", flood.as_bytes()),
    ];
    let folder = experiment("", &files);
    let dir = folder.path();
    let (mock, address) = Mock::start(vec![("question".to_owned(), reply("\u{1b}[31mno\u{202e}"))]);
    mock.lock().unwrap().left = usize::MAX;
    let output: CommandOutput = ask(dir, "greedy.rs", &address, "22000")
        .output()
        .unwrap()
        .into();
    assert_eq!(output.status, 4, "{}{}", output.stdout, output.stderr);
    assert!(output.explains("budget-exhausted"), "{}", output.stderr);
    let made = output.json();
    let sent = mock.lock().unwrap().sent[&0];
    assert!(made["tokens"].as_u64().unwrap() <= 22_000);
    assert_eq!(made["tokens"], u64::from(sent) * USAGE.iter().sum::<u64>());
    assert_eq!(made["calls"], sent);
    assert!((1..32).contains(&sent), "{sent}");
    // What it proposed in spite of that is tried, and kept.
    let kept = &made["approaches"][0];
    assert_eq!(kept["outcome"], "passed");
    let heard = format!(
        "{sent} replies, {} without budget, {} too many, 40 too large",
        32 - sent,
        200 - 40 - 32
    );
    assert_eq!(kept["description"], heard);
    assert!(!output.stdout.contains(['\u{1b}', '\u{202e}']));
    assert!(!output.stderr.contains(['\u{1b}', '\u{202e}']));

    // A prompt that is larger than anything that a guest may hand over ends it, and nobody is asked.
    mock.lock().unwrap().sent.clear();
    let output: CommandOutput = ask(dir, "flood.rs", &address, "22000")
        .output()
        .unwrap()
        .into();
    assert!(output.explains("output-limit"), "{}", output.stderr);
    assert!(mock.lock().unwrap().sent.is_empty());
}

const TWO_QUESTIONS: &str = r#"use crate::bakeoff::{Error, Proposal, Task, complete};
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let first = complete("the first question", 100)?;
    let second = complete(&format!("the second question, after: {first}"), 100)?;
    let right = task.known[0].source().unwrap();
    let other = right.replace("let mut total = 0;", "let mut total = 0; for i in 0..9_u64 { std::hint::black_box(i); }");
    Ok(vec![Proposal::new("kept", &other).about(second)])
}
"#;

#[test]
fn case_162_a_proposer_whose_process_is_killed_pays_for_no_completion_twice() {
    let folder = experiment("", &[("two.rs", TWO_QUESTIONS.as_bytes())]);
    let dir = folder.path();
    let (mock, address) = Mock::start(vec![
        ("after: one".to_owned(), reply("two")),
        ("the first question".to_owned(), reply("one")),
    ]);
    mock.lock().unwrap().left = 1;
    let mut child = ask(dir, "two.rs", &address, "1000000")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while mock.lock().unwrap().unanswered == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Somebody who looks on sees what it took so far, of what it may, and what it waits for.
    let status = || run_bakeoff(&["status", dir.to_str().unwrap(), "--format", "json"]).json();
    let shown = status()["models"].clone();
    assert_eq!(shown["is_asking"], true, "{shown}");
    assert_eq!(
        (&shown["calls"], &shown["tokens"]),
        (&json!(1), &json!(USAGE.iter().sum::<u64>()))
    );
    assert_eq!(shown["tokens_max"], 1_000_000);
    let waits_for = json!([{"purpose": "completion", "subject": "completion 2"}]);
    assert_eq!(shown["under_way"], waits_for);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status()["models"]["is_asking"], false);
    mock.lock().unwrap().left = usize::MAX;
    let output: CommandOutput = ask(dir, "two.rs", &address, "1000000")
        .output()
        .unwrap()
        .into();
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = output.json();
    assert_eq!(made["approaches"][0]["description"], "two");
    let sent = mock.lock().unwrap().sent.clone();
    assert_eq!(sent.into_values().collect::<Vec<_>>(), [1, 1]);
    let text = run_bakeoff(&["status", dir.to_str().unwrap()]).stdout;
    assert!(
        text.starts_with("asked openai mock: 3 calls, at most "),
        "{text}"
    );
    // The call that was under way is booked with the most that it can have taken.
    assert_eq!(
        (&made["calls"], &made["upper_bound"]),
        (&json!(3), &json!(true))
    );
}

#[test]
fn case_163_a_model_that_refuses_or_answers_nonsense_is_an_error_of_the_guest() {
    let folder = experiment("", &[("two.rs", TWO_QUESTIONS.as_bytes())]);
    let dir = folder.path();
    let of = |lines: &[Value]| {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(dir.join("replies.jsonl"), lines).unwrap();
        let words = ["generate", "--format", "json", "--provider", "replay"];
        let mut command = bakeoff(&words);
        command.arg("--cassette").arg(dir.join("replies.jsonl"));
        command.arg("--proposer").arg(dir.join("two.rs")).arg(dir);
        let output: CommandOutput = command.output().unwrap().into();
        output
    };
    let line = |subject: &str, reply: Value| json!({"purpose": "completion", "subject": subject, "reply": reply});
    let refused = json!({"purpose": "completion", "subject": "completion 1", "outcome": "refused", "reply": "I will not"});
    let nonsense = line("completion 1", json!("not JSON \u{1b}[2J"));
    for (lines, why, status) in [
        (vec![refused], "I will not", 1),
        (
            vec![nonsense.clone(), nonsense.clone(), nonsense],
            "the reply is invalid",
            1,
        ),
        (
            vec![line("completion 1", json!({"text": "one"}))],
            "no further reply for: completion",
            4,
        ),
    ] {
        let output = of(&lines);
        assert_eq!(output.status, status, "{why}: {}", output.stderr);
        assert!(
            output.explains("the proposer says") && output.explains(why),
            "{why}: {}",
            output.stderr
        );
        assert!(!output.stderr.contains('\u{1b}'));
        let asked_again =
            "completion (completion 1): the reply cannot be used, and another is asked for";
        let is_nonsense = why.contains("invalid");
        assert_eq!(output.stderr.contains(asked_again), is_nonsense);
    }
    let both = [
        line("completion 1", json!({"text": "one"})),
        line("completion 2", json!({"text": "two"})),
    ];
    let output = of(&both);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn case_164_a_proposers_words_reach_no_program_of_the_users() {
    let folder = experiment("", &[("two.rs", TWO_QUESTIONS.as_bytes())]);
    let dir = folder.path();
    let touched = dir.join("touched");
    let mut command = bakeoff(&["generate", "--provider", "command", "--tokens", "9000"]);
    command.args(["--command", "touch", "--command", touched.to_str().unwrap()]);
    command.arg("--proposer").arg(dir.join("two.rs")).arg(dir);
    let output: CommandOutput = command.output().unwrap().into();
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(
        output.explains("would give them to a program that has your rights"),
        "{}",
        output.stderr
    );
    assert!(!touched.exists());
}

#[test]
fn what_only_a_model_is_told_is_refused_beside_a_proposer() {
    let folder = experiment("", &[("two.rs", TWO_QUESTIONS.as_bytes())]);
    let dir = folder.path();
    for option in [
        "--depth=sketch",
        "--diversity=low",
        "--repairs=1",
        "--timeout=9s",
    ] {
        let mut command = bakeoff(&["generate", option, "--proposer"]);
        let output: CommandOutput = command
            .arg(dir.join("two.rs"))
            .arg(dir)
            .output()
            .unwrap()
            .into();
        assert_eq!(output.status, 2, "{option}: {}", output.stderr);
        assert!(output.explains("cannot be used with"), "{}", output.stderr);
    }
}
