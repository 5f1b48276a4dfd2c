//! A prototype whose calls are quicker than the CPU clock can tell: it takes nothing from the others, and
//! its own verdicts are as obvious as they are.

use super::experiment::{assert_wins, run, wins, written};

const WIT: &str = "package too:quick;
world prototype { export sum: func(below: u64) -> u64; }
world workload {
  export generate: func(size: u32, seed: u64) -> u64;
  export check: func(below: u64, answer: u64) -> result<_, string>;
}
";

const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> u64 {
    u64::from(size) + seed % 1_000
}
pub fn check(below: u64, answer: u64) -> Result<(), String> {
    if answer == below * (below - 1) / 2 { return Ok(()); }
    Err(\"another sum\".to_owned())
}
";

/// Adds up one by one, in so many rounds of which the last counts.
fn adds_up(rounds: u32) -> String {
    format!(
        "use std::hint::black_box;
pub fn sum(below: u64) -> u64 {{
    let mut sum = 0;
    for _ in 0..{rounds} {{
        sum = 0;
        for value in 0..below {{
            sum = black_box(sum + value);
        }}
    }}
    sum
}}
"
    )
}

const FORMULA: &str = "pub fn sum(below: u64) -> u64 { below * (below - 1) / 2 }\n";

const EXPERIMENT: &str = "name = \"quick\"
problem = \"Add up.\"
interface = { wit = \"sum.wit\", call = \"sum\" }
workload = { source = \"workload.rs\", sizes = [100_000] }
";

#[test]
fn case_69_quicker_than_the_clock() {
    let files = [("sum.wit", WIT), ("workload.rs", WORKLOAD)];
    let prototypes = [
        written("formula", FORMULA),
        written("once", &adds_up(1)),
        written("twice", &adds_up(2)),
    ];
    let (_, report) = run(EXPERIMENT, &files, &prototypes, &["--budget", "30s"]);
    // Some hundred thousand times; with that the race has its winner.
    assert_wins(&report, "formula", "once");
    assert_wins(&report, "formula", "twice");
    assert!(wins(&report, "twice", "once").is_empty());
}
