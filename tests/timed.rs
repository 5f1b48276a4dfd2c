//! What goes wrong only while a prototype is timed.

use crate::support::{run_experiment, variant};
use bakeoff_domain::plan::{InputPurpose, sample_seeds};
use serde_json::Value;
use std::fs;

/// The run's seed: with it, every input is known beforehand.
pub(crate) const SEED: u64 = 7;

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

/// Runs a good prototype beside one that does `what` on the first input of the race. How that one
/// failed.
fn run_unlucky(what: &str, size: u32) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let input = sample_seeds(SEED, InputPurpose::Timed, 0, 0, 0).of_call(0);
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
    let failure = variant(&report, "unlucky")["failure"].clone();
    assert_eq!(failure["phase"], "measure", "{failure:#}");
    failure
}

#[test]
fn a_loop_in_one_call_of_many_is_blamed_on_who_runs() {
    // Calls of some fifty microseconds: there are ten in a sample, which all together may not take
    // ten times the limit of each, or the budget would end first.
    let failure = run_unlucky("loop { std::hint::black_box(0); }", 50_000);
    assert_eq!(failure["class"], "wall-limit", "{failure:#}");
    assert_eq!(failure["limit"], "wall = 2 s", "{failure:#}");
}

#[test]
fn a_trap_after_the_gate_tells_of_its_panic() {
    let failure = run_unlucky("panic!(\"an unlucky number\")", 100_000);
    assert_eq!(failure["class"], "trap", "{failure:#}");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("an unlucky number") && message.contains("unlucky.rs:2"),
        "{message}"
    );
}
