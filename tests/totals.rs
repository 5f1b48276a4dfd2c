//! Totals: a race goes on until they are told apart, not until the times are.

use crate::support::{run_experiment, verdict};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

const WIT: &str = "package totals:test;
world prototype { export work: func(seed: u64) -> u64; }
world workload {
  export generate: func(size: u32, seed: u64) -> u64;
  export check: func(seed: u64, answer: u64) -> result<_, string>;
}
";

const WORKLOAD: &str = "pub fn generate(_size: u32, seed: u64) -> u64 { seed }
pub fn check(_seed: u64, _answer: u64) -> Result<(), String> { Ok(()) }
";

/// A source that mixes a number as often as `rounds` says, with this many lines more than it needs.
fn mixing(rounds: u32, lines: u32) -> String {
    let mut text = "pub fn work(seed: u64) -> u64 {\n    let state = seed;\n".to_owned();
    for line in 0..lines {
        let _ = writeln!(text, "    let state = state ^ {line} ^ {line};");
    }
    text + &format!(
        "    (0..{rounds}u64).fold(state, |state, _| (state ^ state >> 7).wrapping_mul(0x9E37_79B9))\n}}\n"
    )
}

/// An experiment of `quick`, which takes an eighth of the time, and `short`, which has a sixth of the lines.
fn experiment() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("totals.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("quick.rs", &mixing(5_000, 14));
    write("short.rs", &mixing(40_000, 0));
    write(
        "bakeoff.toml",
        r#"name = "totals"
problem = "Mix a number."
interface = { wit = "totals.wit", call = "work" }
workload = { source = "workload.rs", sizes = [1] }
approach = [{ name = "quick", source = "quick.rs" }, { name = "short", source = "short.rs" }]
criterion = [
  { name = "performance", from = "time", weight = 1 },
  { name = "simplicity", from = "source-lines", weight = 1 },
]
"#,
    );
    folder
}

/// The totals are 0.06 apart. That `quick` is faster is known from the blocks of two or three processes, while it may
/// still be 4 × or 13 ×, and the total of either the higher one.
#[test]
fn a_race_whose_times_are_told_apart_goes_on_until_the_totals_are() {
    let folder = experiment();
    let path = folder.path().to_str().unwrap();
    let (output, report, _out) = run_experiment(path, &["--budget", "60s"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(verdict(&report, "quick", "short"), "beats");
    let outcome = &report["recommendation"]["outcome"];
    assert!(
        [Value::from("winner"), Value::from("tie")].contains(outcome),
        "{}",
        report["recommendation"]["text"]
    );
    assert_eq!(report["protocol"]["ended"], "settled");
}
