//! Answers that are meant to break whoever judges them: the failure of who gave them, and of nobody
//! else.

use super::batch::World;
use crate::support::{CommandOutput, variant, verdict};
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use serde_json::Value;
use std::sync::LazyLock;

/// The run's seed: with it, every input is known beforehand.
const SEED: RunSeed = RunSeed::Named(7);

const WIT: &str = "package judged:test;
world prototype { export total: func(values: list<u64>) -> list<u64>; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<u64>;
  export check: func(values: list<u64>, answer: list<u64>) -> result<_, string>;
}
";

/// An oracle that trusts the answer: it takes the first number without a look, as much memory as the
/// second says, and as many steps as the third.
const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    std::iter::once(seed).chain(0..u64::from(size)).collect()
}

pub fn check(values: Vec<u64>, answer: Vec<u64>) -> Result<(), String> {
    let total = answer[0];
    if let [_, room, steps] = answer[..] {
        std::hint::black_box(vec![1u8; room as usize]);
        (0..steps).for_each(|step| drop(std::hint::black_box(step)));
    }
    let mix = |sum: u64, value: &u64| (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9);
    let right = values.iter().fold(0, mix);
    if total == right { Ok(()) } else { Err(format!(\"expected {right}\")) }
}
";

const FOLD: &str = "values.iter().fold(0, |sum: u64, value: &u64| \
                    (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9))";

/// Approaches by name, each with the body of its function.
fn run(approaches: &[(&str, String)], workload: &str) -> CommandOutput {
    run_measured(approaches, workload, "budget = \"60 s\"")
}

fn run_measured(approaches: &[(&str, String)], workload: &str, measure: &str) -> CommandOutput {
    let world = World::new();
    world.write("experiment/total.wit", WIT);
    world.write("experiment/workload.rs", workload);
    let mut file = format!(
        "name = \"judged\"\nproblem = \"Fold numbers.\"\n\
         interface = {{ wit = \"total.wit\", call = \"total\" }}\n\
         workload = {{ source = \"workload.rs\", sizes = [20_000] }}\n\
         limits = {{ memory = \"64 MiB\", fuel = 400_000_000 }}\n\
         measure = {{ {measure} }}\n"
    );
    for (name, body) in approaches {
        let code = format!("pub fn total(values: Vec<u64>) -> Vec<u64> {{ {body} }}\n");
        world.write(&format!("experiment/{name}.rs"), code);
        file.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n"
        ));
    }
    world.write("experiment/bakeoff.toml", file);
    let results = world.text("results");
    let seed = SEED.to_string();
    world.run(&[
        "run", ".", "--seed", &seed, "--format", "json", "--color", "never", "--out", &results,
    ])
}

fn good() -> String {
    format!("vec![{FOLD}]")
}

/// Six times the work.
fn slow() -> String {
    let once = FOLD.replace("values.iter()", "std::hint::black_box(&values).iter()");
    format!(
        "let mut total = 0; for _ in 0..6 {{ total = std::hint::black_box({once}); }} vec![total]"
    )
}

static REPORT: LazyLock<Value> = LazyLock::new(|| {
    let input = sample_seeds(&SEED.race_secret(), InputPurpose::Timed, 0, 0, 0).of_call(0);
    let answer = |more: &str| format!("vec![{FOLD}, {more}]");
    let said = run(
        &[
            ("good", good()),
            ("slow", slow()),
            ("empty", "drop(values); vec![]".to_owned()),
            ("hungry", answer("1 << 30, 0")),
            ("endless", answer("0, 1 << 40")),
            ("rarely", unless(input, "vec![]")),
            // Wrong on the same input, and so in the same replica.
            ("wrong", unless(input, "vec![1]")),
            ("wrong_too", unless(input, "vec![2]")),
        ],
        WORKLOAD,
    );
    assert_eq!(said.status, 3, "{}", said.stderr);
    let report = said.json();
    for id in ["good", "slow"] {
        assert_eq!(variant(&report, id)["status"], "ranked", "{report:#}");
    }
    assert_eq!(verdict(&report, "good", "slow"), "beats");
    report
});

/// Answers well, but for one input.
fn unless(input: u64, answer: &str) -> String {
    format!("if values[0] == {input} {{ return {answer}; }} {}", good())
}

/// The failure of a variant on whose answer the oracle fails, for this reason, while it accepts that of
/// a good one.
fn assert_unjudged(id: &str, phase: &str, why: &str) {
    let failed = variant(&REPORT, id);
    let failure = &failed["failure"];
    assert_eq!(failure["class"], "unjudged-answer", "{failed:#}");
    assert_eq!(failure["phase"], phase, "{failed:#}");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("`check` failed on its answer [") && message.contains(why),
        "{message}"
    );
    assert!(message.contains("it accepts"), "{message}");
    assert_eq!(failed["failed_call"]["case"], 20_000, "{failed:#}");
}

#[test]
fn case_70_answer_that_traps_the_oracle() {
    assert_unjudged("empty", "check", "index out of bounds");
}

#[test]
fn case_71_answer_that_exhausts_the_oracle() {
    assert_unjudged("hungry", "check", "memory = 64 MiB");
    assert_unjudged("endless", "check", "fuel = 400000000");
}

#[test]
fn case_72_once_in_2500() {
    assert_unjudged("rarely", "measure", "index out of bounds");
    let input = sample_seeds(&SEED.race_secret(), InputPurpose::Timed, 0, 0, 0).of_call(0);
    assert_eq!(variant(&REPORT, "rarely")["failed_call"]["seed"], input);
}

#[test]
fn all_who_fail_in_one_replica_have_failed() {
    for id in ["wrong", "wrong-too"] {
        let failure = &variant(&REPORT, id)["failure"];
        assert_eq!(failure["class"], "wrong-answer", "{failure:#}");
    }
}

/// Both break the oracle once the honest one is beaten and gone, when nobody is there who answers well.
#[test]
fn case_72_after_the_honest_one_has_left() {
    let secret = SEED.race_secret();
    let inputs = (12..40).map(|replica| {
        let seeds = sample_seeds(&secret, InputPurpose::Timed, replica, 0, 0);
        seeds.of_call(0)
    });
    let inputs: Vec<u64> = inputs.collect();
    let breaks = |answer: &str| {
        format!(
            "if {inputs:?}.contains(&values[0]) {{ return {answer}; }} {}",
            good()
        )
    };
    let approaches = [
        ("honest", slow()),
        ("one", breaks("vec![]")),
        (
            "other",
            format!("std::hint::black_box(1); {}", breaks("vec![]")),
        ),
    ];
    let said = run_measured(
        &approaches,
        WORKLOAD,
        "budget = \"60 s\", practical = \"0.01 %\"",
    );
    assert_eq!(said.status, 3, "{}", said.stderr);
    let report = said.json();
    assert_eq!(variant(&report, "honest")["status"], "ranked", "{report:#}");
    for id in ["one", "other"] {
        let failure = &variant(&report, id)["failure"];
        assert_eq!(failure["class"], "unjudged-answer", "{failure:#}");
        let message = failure["message"].as_str().unwrap();
        assert!(
            message.contains("it accepts the answer of honest"),
            "{message}"
        );
    }
}

#[test]
fn an_oracle_that_fails_on_every_answer_ends_the_run_by_name_and_input() {
    let workload = WORKLOAD.replace(
        "let right",
        "assert!(values.is_empty(), \"no use\"); let right",
    );
    let said = run(&[("good", good()), ("slow", slow())], &workload);
    assert_eq!(said.status, 2, "{}", said.stderr);
    for why in [
        "workload.rs",
        "no use",
        "size 20000 and seed",
        "answers the same",
    ] {
        assert!(said.explains(why), "{why}: {}", said.stderr);
    }
    // With a single variant nothing shows who is at fault.
    let said = run(&[("good", good())], &workload);
    assert_eq!(said.status, 1, "{}", said.stderr);
    let report = said.json();
    let failure = &variant(&report, "good")["failure"];
    assert_eq!(failure["class"], "unjudged-answer", "{failure:#}");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("workload itself may be at fault"),
        "{message}"
    );
}
