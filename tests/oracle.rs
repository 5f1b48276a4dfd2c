//! `bakeoff check DIR`: oracles that can be believed, and others.

use crate::support::{CommandOutput, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const WIT: &str = "package example:evens;
world prototype { export evens: func(values: list<s32>) -> list<s32>; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<s32>;
  export check: func(values: list<s32>, answer: list<s32>) -> result<_, string>;
}";

const GENERATE: &str = "pub fn generate(size: u32, seed: u64) -> Vec<i32> {
    let mut state = seed | 1;
    (0..size).map(|_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as i32
    }).collect()
}
";

/// An experiment about the even numbers of a list, whose workload is this, with these approaches.
fn experiment(workload: &str, approaches: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("wit")).unwrap();
    fs::write(at("wit/evens.wit"), WIT).unwrap();
    fs::write(at("workload.rs"), workload).unwrap();
    let mut text = "name = \"evens\"\nproblem = \"The even numbers, in order.\"\n\
                    [interface]\nwit = \"wit\"\ncall = \"evens\"\n\
                    [workload]\nsource = \"workload.rs\"\nsizes = [8, 16]\n"
        .to_owned();
    for (name, body) in approaches {
        let source = format!("pub fn evens(values: Vec<i32>) -> Vec<i32> {{ {body} }}");
        fs::write(at(&format!("{name}.rs")), source).unwrap();
        text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    }
    fs::write(at("bakeoff.toml"), text).unwrap();
    folder
}

const RIGHT: (&str, &str) = (
    "filter",
    "values.into_iter().filter(|v| v % 2 == 0).collect()",
);

fn check(folder: &Path, more: &[&str]) -> CommandOutput {
    run_bakeoff(&[&["check", folder.to_str().unwrap()], more].concat())
}

/// The result for an oracle with this body, of approaches; the exit status with it.
fn tested(body: &str, approaches: &[(&str, &str)]) -> (i32, Value) {
    let check_fn = format!(
        "#[allow(unused)] pub fn check(values: Vec<i32>, answer: Vec<i32>) -> Result<(), String> {{ {body} }}"
    );
    let folder = experiment(&format!("{GENERATE}{check_fn}"), approaches);
    let output = check(folder.path(), &["--format", "json"]);
    assert!(!output.stdout.is_empty(), "{}", output.stderr);
    (output.status, output.json())
}

const STRICT: &str = "let right: Vec<i32> = values.into_iter().filter(|v| v % 2 == 0).collect();
    if right == answer { Ok(()) } else { Err(\"not the even numbers\".into()) }";

#[test]
fn an_oracle_that_refuses_every_changed_answer_is_believed() {
    let (status, test) = tested(STRICT, &[RIGHT]);
    assert_eq!((status, &test["belief"]), (0, &json!("tested")), "{test:#}");
    assert_eq!(test["changes"]["accepted"], 0);
    assert!(
        test["changes"]["changed"].as_u64().unwrap() >= 6 * 6,
        "{test:#}"
    );
    assert_eq!(test["accepted_share"], 0.0);
    assert_eq!(test["inputs"], json!([]));
}

#[test]
fn holes_of_an_oracle_are_shown_with_examples_and_another_order_is_none() {
    // It looks at the set of numbers only.
    let body = "let right: std::collections::BTreeSet<i32> = values.into_iter().filter(|v| v % 2 == 0).collect();
        if right == answer.into_iter().collect() { Ok(()) } else { Err(\"no\".into()) }";
    let (status, test) = tested(body, &[RIGHT]);
    assert_eq!((status, &test["belief"]), (1, &json!("tested")), "{test:#}");
    assert_eq!(test["holes"], json!([["doubled", 12]]));
    for change in ["doubled", "moved"] {
        let counts = &test["by_change"][change];
        assert_eq!(counts["accepted"], counts["changed"], "{test:#}");
    }
    assert_eq!(test["by_change"]["dropped"]["accepted"], 0);
    let kinds: Vec<&str> = test["accepted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|example| example["change"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["doubled", "doubled", "moved", "moved"]);
    // The same numbers in any order.
    let body = "let mut right: Vec<i32> = values.into_iter().filter(|v| v % 2 == 0).collect();
        let mut answer = answer; right.sort(); answer.sort();
        if right == answer { Ok(()) } else { Err(\"no\".into()) }";
    let (status, test) = tested(body, &[RIGHT]);
    assert_eq!((status, &test["holes"]), (0, &json!([])), "{test:#}");
}

#[test]
fn an_oracle_that_accepts_whatever_is_less_is_found_out() {
    let tested = |body: &str| {
        let check_fn = format!(
            "pub fn check(values: Vec<i32>, answer: u32) -> Result<(), String> {{
                let right = values.iter().filter(|v| *v % 2 == 0).count() as u32 + 3; {body} }}"
        );
        let approach = "values.into_iter().filter(|v| v % 2 == 0).count() as u32 + 3";
        let folder = experiment(&format!("{GENERATE}{check_fn}"), &[]);
        let at = |name: &str| folder.path().join(name);
        let wit = WIT.replace("-> list<s32>; }", "-> u32; }");
        let wit = wit.replace("answer: list<s32>", "answer: u32");
        fs::write(at("wit/evens.wit"), wit).unwrap();
        let source = format!("pub fn evens(values: Vec<i32>) -> u32 {{ {approach} }}");
        fs::write(at("count.rs"), source).unwrap();
        let text = fs::read_to_string(at("bakeoff.toml")).unwrap();
        let text = text + "[[approach]]\nname = \"count\"\nsource = \"count.rs\"\n";
        fs::write(at("bakeoff.toml"), text).unwrap();
        let output = check(folder.path(), &["--format", "json"]);
        assert!(!output.stdout.is_empty(), "{}", output.stderr);
        (output.status, output.json()["holes"].clone())
    };
    let refused = "Err(\"no\".into())";
    let less = format!("if answer <= right {{ Ok(()) }} else {{ {refused} }}");
    assert_eq!(tested(&less), (1, json!([["smaller", 6]])));
    let more = format!("if answer >= right {{ Ok(()) }} else {{ {refused} }}");
    let (status, holes) = tested(&more);
    assert_eq!(status, 1);
    assert!(holes.to_string().contains("[\"larger\",6]"), "{holes}");
    let exact = format!("if answer == right {{ Ok(()) }} else {{ {refused} }}");
    assert_eq!(tested(&exact), (0, json!([])));
}

#[test]
fn an_oracle_that_accepts_everything_is_none() {
    let (status, test) = tested("Ok(())", &[RIGHT]);
    assert_eq!((status, &test["belief"]), (1, &json!("accepts-all")));
    assert_eq!(test["accepted_share"], 1.0);
}

#[test]
fn a_run_says_before_it_measures_that_its_oracle_accepts_everything() {
    let measured = |body: &str| {
        let check_fn = format!(
            "#[allow(unused)] pub fn check(values: Vec<i32>, answer: Vec<i32>) -> Result<(), String> {{ {body} }}"
        );
        let folder = experiment(&format!("{GENERATE}{check_fn}"), &[RIGHT]);
        let run = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--budget", "300ms"]);
        run.stderr
    };
    let warned = measured("Ok(())");
    let place = warned.find("The oracle accepts everything").expect(&warned);
    assert!(place < warned.find("measuring").expect(&warned), "{warned}");
    assert!(!measured(STRICT).contains("oracle"), "a strict oracle");
}

#[test]
fn case_140_an_oracle_that_says_two_things_of_one_answer() {
    // It is tired after its first call.
    let body = "static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let calls = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if calls == 0 { Ok(()) } else { Err(format!(\"tired of {values:?}\")) }";
    let (status, test) = tested(body, &[RIGHT]);
    assert_eq!(
        (status, &test["belief"]),
        (1, &json!("contradictory")),
        "{test:#}"
    );
    let what = test["contradictions"][0]["what"].as_str().unwrap();
    assert!(
        what.starts_with("the answer is accepted on a fresh instance, and refused after"),
        "{what}"
    );
    // And one that accepts whatever comes late.
    let body = "static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let calls = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let right: Vec<i32> = values.into_iter().filter(|v| v % 2 == 0).collect();
        if calls > 2 || right == answer { Ok(()) } else { Err(String::new()) }";
    let (_, test) = tested(body, &[RIGHT]);
    assert_eq!(test["belief"], "contradictory", "{test:#}");
}

#[test]
fn approaches_that_agree_with_each_other_and_not_with_the_oracle_make_it_doubtful() {
    let wrong = STRICT.replace("v % 2 == 0", "v % 2 != 0");
    let other = (
        "retain",
        "let mut values = values; values.retain(|v| v & 1 == 0); values",
    );
    let (status, test) = tested(&wrong, &[RIGHT, other]);
    assert_eq!(
        (status, &test["belief"]),
        (1, &json!("doubtful")),
        "{test:#}"
    );
    assert_eq!(
        test["doubtful"][0]["approaches"],
        json!(["filter", "retain"])
    );
    // One alone may just be wrong.
    let (status, test) = tested(&wrong, &[RIGHT]);
    assert_eq!((status, &test["belief"]), (1, &json!("untested")));
    assert_eq!(
        test["not_accepted"][0]["reason"],
        "its answer is refused: not the even numbers"
    );
}

#[test]
fn case_141_an_oracle_that_fails_or_never_ends_on_wrong_answers() {
    let body = "let right: Vec<i32> = values.into_iter().filter(|v| v % 2 == 0).collect();
        assert_eq!(right.len(), answer.len()); if right == answer { Ok(()) } else { loop {} }";
    let (status, test) = tested(body, &[RIGHT]);
    assert_eq!((status, &test["belief"]), (0, &json!("tested")), "{test:#}");
    assert!(test["changes"]["failed"].as_u64().unwrap() > 0, "{test:#}");
}

#[test]
fn what_is_weak_in_inputs_and_approaches_is_said_in_the_text() {
    let workload = "pub fn generate(size: u32, _seed: u64) -> Vec<i32> { vec![3; size as usize] }
        pub fn check(_values: Vec<i32>, answer: Vec<i32>) -> Result<(), String> {
            if answer.is_empty() { Ok(()) } else { Err(\"\\u{1b}[2J none is even\".into()) } }";
    let folder = experiment(workload, &[RIGHT, ("all", "values"), ("broken", "3")]);
    let output = check(folder.path(), &[]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let text = output
        .stdout
        .replace(folder.path().to_str().unwrap(), "EXPERIMENT");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/oracle/weak-inputs");
    let mut different = Vec::new();
    crate::golden::compare(&golden, &text, &mut different);
    crate::golden::assert_none(&different);
    let usage = check(folder.path(), &["--call", "evens"]);
    assert_eq!(usage.status, 2, "{}", usage.stderr);
}

#[test]
fn a_workload_that_makes_another_input_of_the_same_seed_is_named_and_nobody_else() {
    let generate =
        "static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        pub fn generate(size: u32, seed: u64) -> Vec<i32> {
            let calls = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            (0..size).map(|at| (seed as i32).wrapping_add((at + calls) as i32)).collect()
        }
        pub fn check(values: Vec<i32>, answer: Vec<i32>) -> Result<(), String> {
            let right: Vec<i32> = values.into_iter().filter(|v| v % 2 == 0).collect();
            if right == answer { Ok(()) } else { Err(String::new()) }
        }";
    let folder = experiment(generate, &[RIGHT]);
    let run = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--budget", "300ms"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(
        run.explains("`generate` made two inputs from the same arguments"),
        "{}",
        run.stderr
    );
}

/// Case 186 of the corpus: unexported-check.
#[test]
fn case_186_a_judge_that_nobody_would_ask_is_an_error() {
    let judge =
        "pub fn check(_: Vec<i32>, _: Vec<i32>) -> Result<(), String> { Err(\"never\".into()) }";
    let folder = experiment(&format!("{GENERATE}{judge}"), &[RIGHT]);
    let wit = folder.path().join("wit/evens.wit");
    let exported =
        "  export check: func(values: list<s32>, answer: list<s32>) -> result<_, string>;\n";
    let without = WIT.replace(exported, "");
    assert_ne!(without, WIT);
    fs::write(&wit, &without).unwrap();
    for command in ["run", "check"] {
        let output = run_bakeoff(&[command, folder.path().to_str().unwrap()]);
        assert!([1, 2].contains(&output.status), "{}", output.status);
        assert!(
            output.explains("a public function `check` that nobody would call"),
            "{}",
            output.stderr
        );
        assert!(output.explains(exported), "{}", output.stderr);
    }
    // As a private function it is a helper.
    let private = judge.replace("pub fn", "#[allow(dead_code)] fn");
    fs::write(
        folder.path().join("workload.rs"),
        format!("{GENERATE}{private}"),
    )
    .unwrap();
    let output = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--budget", "100ms"]);
    assert!(!output.stderr.contains("nobody"), "{}", output.stderr);
    let assess = "pub fn assess(_: Vec<i32>, _: Vec<i32>) -> Vec<(String, f64)> { Vec::new() }";
    fs::write(
        folder.path().join("workload.rs"),
        format!("{GENERATE}{assess}"),
    )
    .unwrap();
    let output = run_bakeoff(&["run", folder.path().to_str().unwrap()]);
    let line =
        "export assess: func(values: list<s32>, answer: list<s32>) -> list<tuple<string, f64>>;";
    assert!(output.explains(line), "{}", output.stderr);
}
