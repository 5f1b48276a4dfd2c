//! A prototype that is a little faster on most inputs, and takes far longer on one in ten.

use super::experiment::{Prototype, assert_wins, notes, run, wins, written};
use crate::support::verdict;

const WIT: &str = "package heavy:tail;
world prototype { export total: func(values: list<u64>) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> list<u64>; }
";

const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    std::iter::once(seed).chain(0..u64::from(size)).collect()
}
";

const EXPERIMENT: &str = "name = \"tail\"
problem = \"Fold numbers.\"
interface = { wit = \"total.wit\", call = \"total\" }
workload = { source = \"workload.rs\", sizes = [10_000] }
";

/// Goes over the numbers as many times as the expression `times` says, which sees the seed of the input.
fn repeated(name: &'static str, times: &str) -> Prototype {
    let text = format!(
        "pub fn total(values: Vec<u64>) -> u64 {{
    let once = |values: &[u64]| values.iter().fold(0, |sum: u64, value: &u64| {{
        (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9)
    }});
    let seed = values[0];
    let mut total = seed;
    for _ in 0..{times} {{
        total = std::hint::black_box(once(std::hint::black_box(&values)));
    }}
    total
}}
"
    );
    written(name, &text)
}

#[test]
fn case_86_heavy_tail() {
    let prototypes = [
        repeated("honest", "if seed > 0 { 12 } else { 13 }"),
        repeated("light", "if seed > 0 { 11 } else { 12 }"),
        repeated("tail", "if seed % 10 > 0 { 11 } else { 300 }"),
    ];
    let files = [("total.wit", WIT), ("workload.rs", WORKLOAD)];
    let (_, report) = run(EXPERIMENT, &files, &prototypes, &["--budget", "10s"]);
    assert_wins(&report, "light", "honest");
    for other in ["honest", "light"] {
        assert!(
            wins(&report, "tail", other).is_empty(),
            "{:#}",
            report["verdicts"]
        );
        assert_ne!(
            verdict(&report, "tail", other),
            "tie",
            "{:#}",
            report["verdicts"]
        );
    }
    let winner = &report["recommendation"]["winner"];
    assert_ne!(*winner, "tail", "{:#}", report["recommendation"]);
    let said = notes(&report);
    assert!(
        said.contains("tail takes far longer in some calls"),
        "{said}"
    );
}
