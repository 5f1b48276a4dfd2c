//! What goes wrong only while a prototype is timed.

use crate::support::{run_bakeoff, run_experiment, variant};
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use serde_json::Value;
use std::fs;

/// The run's seed: with it, every input is known beforehand.
pub(crate) const SEED: RunSeed = RunSeed::Named(7);

pub(crate) const WIT: &str = "package timed:test;
world prototype { export total: func(values: list<u64>) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> list<u64>; }
";

/// An input that says which seed it was made from.
pub(crate) const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    std::iter::once(seed).chain(0..u64::from(size)).collect()
}
";

pub(crate) const GOOD: &str = "pub fn total(values: Vec<u64>) -> u64 {
    let mix = |sum: u64, value: &u64| (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9);
    values.iter().fold(0, mix)
}
";

/// Runs a good prototype beside one that does `what` on the first input of the race. That one in the
/// report, and the experiment's folder.
fn run_unlucky(what: &str, size: u32) -> (Value, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let input = sample_seeds(&SEED.race_secret(), InputPurpose::Timed, 0, 0, 0).of_call(0);
    let unlucky = GOOD.replace(
        "u64 {\n",
        &format!("u64 {{\n    if values[0] == {input} {{ {what} }}\n"),
    );
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("good.rs", GOOD);
    write("unlucky.rs", &unlucky);
    let text = format!(
        "name = \"timed\"
problem = \"Fold numbers.\"
interface = {{ wit = \"total.wit\", call = \"total\" }}
workload = {{ source = \"workload.rs\", sizes = [{size}] }}
limits = {{ wall = \"2 s\" }}
approach = [
    {{ name = \"good\", source = \"good.rs\" }},
    {{ name = \"unlucky\", source = \"unlucky.rs\" }},
]
"
    );
    write("bakeoff.toml", &text);
    let experiment = folder.path().to_str().unwrap();
    let (said, report, _out) = run_experiment(experiment, &["--seed", "7", "--budget", "60s"]);
    assert_eq!(said.status, 3, "{}", said.stderr);
    assert!(variant(&report, "good")["failure"].is_null());
    let unlucky = variant(&report, "unlucky").clone();
    assert_eq!(unlucky["failure"]["phase"], "measure", "{unlucky:#}");
    (unlucky, folder)
}

#[test]
fn a_loop_in_one_call_of_many_is_blamed_on_who_runs() {
    // Calls of some fifty microseconds: there are ten in a sample, which all together may not take
    // ten times the limit of each, or the budget would end first.
    let (unlucky, _) = run_unlucky("loop { std::hint::black_box(0); }", 50_000);
    let failure = &unlucky["failure"];
    assert_eq!(failure["class"], "wall-limit", "{failure:#}");
    assert_eq!(failure["limit"], "wall = 2 s", "{failure:#}");
}

#[test]
fn a_trap_after_the_gate_tells_of_its_panic_and_of_its_call_which_can_be_made_again() {
    let (unlucky, folder) = run_unlucky("panic!(\"an unlucky number\")", 100_000);
    let failure = &unlucky["failure"];
    assert_eq!(failure["class"], "trap", "{failure:#}");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("an unlucky number") && message.contains("unlucky.rs:2"),
        "{message}"
    );

    // Of each sample some call is the first: the one with this input.
    let input = sample_seeds(&SEED.race_secret(), InputPurpose::Timed, 0, 0, 0).of_call(0);
    assert_eq!(unlucky["failed_call"]["case"], 100_000);
    assert_eq!(unlucky["failed_call"]["seed"], input);

    let file = folder.path().join("unlucky.rs");
    let again = |seed: &str, more: &[&str]| {
        let call = [
            "check",
            file.to_str().unwrap(),
            "--case",
            "100000",
            "--seed",
            seed,
        ];
        run_bakeoff(&[&call, more].concat())
    };
    let failed = again(&input.to_string(), &["--format", "json"]);
    assert_eq!(failed.status, 1, "{}{}", failed.stdout, failed.stderr);
    let failed = failed.json();
    assert_eq!(failed["outcome"], "trap", "{failed:#}");
    let message = failed["message"].as_str().unwrap();
    assert!(message.contains("an unlucky number"), "{message}");
    let arguments = failed["arguments"].as_str().unwrap();
    assert!(
        arguments.starts_with(&format!("[{input}, 0, 1")),
        "{arguments}"
    );

    let another = again("1", &[]);
    assert_eq!(another.status, 0, "{}{}", another.stdout, another.stderr);
    assert!(
        another.stdout.contains("there is no oracle"),
        "{}",
        another.stdout
    );
    let wit = folder.path().join("total.wit");
    let explicit = ["--wit", wit.to_str().unwrap(), "--call", "total"];
    let missing = again("1", &explicit);
    assert_eq!(missing.status, 2, "{}", missing.stderr);
    assert!(missing.explains("--workload FILE"), "{}", missing.stderr);
    let workload = folder.path().join("workload.rs");
    let whole = [&explicit[..], &["--workload", workload.to_str().unwrap()]].concat();
    let explicit = again(&input.to_string(), &whole);
    assert_eq!(explicit.status, 1, "{}{}", explicit.stdout, explicit.stderr);
    assert!(
        explicit.stdout.contains("an unlucky number"),
        "{}",
        explicit.stdout
    );
}
