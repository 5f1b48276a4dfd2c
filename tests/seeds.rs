//! Which inputs follow from what: those that are timed from nothing that anybody can read.

use crate::support::{run_bakeoff, variant};
use serde_json::Value;
use std::fs;
use std::path::Path;

const WIT: &str = "package seeds:test;
world prototype { export total: func(values: list<u64>) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> list<u64>; }
";

/// As many numbers as the seed says: fuel tells which seed it was.
const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    (0..u64::from(size) + seed % 1_000).collect()
}
";

const TOTAL: &str = "pub fn total(values: Vec<u64>) -> u64 {
    let mix = |sum: u64, value: &u64| (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9);
    values.iter().fold(0, mix)
}
";

fn write(folder: &Path, seed: &str) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("total.rs", TOTAL);
    let text = format!(
        "name = \"seeds\"
problem = \"Fold numbers.\"
interface = {{ wit = \"total.wit\", call = \"total\" }}
workload = {{ source = \"workload.rs\", sizes = [50_000]{seed} }}
approach = [{{ name = \"total\", source = \"total.rs\" }}]
"
    );
    write("bakeoff.toml", &text);
}

fn run(folder: &Path, more: &[&str]) -> Value {
    let experiment = folder.to_str().unwrap();
    let mut arguments = vec!["run", experiment, "--format", "json", "--budget", "100ms"];
    arguments.extend(more);
    run_bakeoff(&arguments).json()
}

/// The seeds of what is timed and of what is checked, as `--seed` takes them.
fn seeds(report: &Value) -> (String, String) {
    let seed = |key: &str| match &report["experiment"][key] {
        Value::String(drawn) => drawn.clone(),
        named => named.as_u64().unwrap().to_string(),
    };
    (seed("seed"), seed("check_seed"))
}

fn fuel(report: &Value) -> f64 {
    variant(report, "total")["readings"]["fuel"]["value"]
        .as_f64()
        .unwrap()
}

#[test]
fn a_run_draws_its_seed_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "");
    let first = run(folder.path(), &[]);
    let (seed, checks) = seeds(&first);
    assert_eq!(seed, checks);
    assert_eq!(seed.len(), 32, "128 bits: {seed}");
    let both = (seed.clone(), seed.clone());
    assert_eq!(seeds(&run(folder.path(), &[])), both, "it was gone on with");
    assert_ne!(seeds(&run(folder.path(), &["--fresh"])).0, seed);
    let again = run(folder.path(), &["--fresh", "--seed", &seed]);
    assert_eq!((seeds(&again), fuel(&again)), (both, fuel(&first)));
}

#[test]
fn whatever_was_written_since_a_seed_was_told_is_timed_with_another() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "");
    let mut told = vec![seeds(&run(folder.path(), &[])).0];
    for file in ["total.rs", "workload.rs", "total.wit"] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        // A comment alone would make no other workload: its component is what counts.
        let text = text.replace("1_000", "1_001");
        fs::write(&path, format!("// Another word.\n{text}")).unwrap();
        let seed = seeds(&run(folder.path(), &[])).0;
        assert!(!told.contains(&seed), "{file}: {told:?}, {seed}");
        assert_eq!(
            seeds(&run(folder.path(), &[])).0,
            seed,
            "it was gone on with"
        );
        told.push(seed);
    }
    let last = told[3].clone();
    let path = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}limits = {{ wall = \"9 s\" }}\n")).unwrap();
    assert_eq!(
        seeds(&run(folder.path(), &[])).0,
        last,
        "a limit is no code"
    );
    let named = run(folder.path(), &["--seed", "9"]);
    assert_eq!(seeds(&named).0, "9");
}

#[test]
fn a_seed_in_the_file_fixes_what_is_checked_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ", seed = 5");
    let (one, other) = (run(folder.path(), &[]), run(folder.path(), &["--fresh"]));
    assert_eq!(seeds(&one).1, "5");
    assert_eq!(seeds(&other).1, "5");
    assert_eq!(fuel(&one), fuel(&other));
    assert_ne!(seeds(&one).0, seeds(&other).0);
    let named = run(folder.path(), &["--fresh", "--seed", "9"]);
    assert_eq!(
        (seeds(&named), fuel(&named)),
        (("9".to_owned(), "5".to_owned()), fuel(&one))
    );
}
