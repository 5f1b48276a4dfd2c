//! A machine that has too few addresses for a pool of instances: it measures, and says what that means.

use crate::support::{bakeoff, measuring_slot};
use crate::timed::{GOOD, WIT, WORKLOAD};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

/// Addresses in KiB: enough for instances that are made one by one, of 4 GiB each and more with what
/// surrounds them, and far too few for the slots of three components.
const ADDRESSES_KIB: u64 = 128 << 20;

/// What a command writes to stdout, with this many addresses or all of them.
fn said(arguments: &[&str], addresses_kib: Option<u64>) -> String {
    let command = bakeoff(arguments);
    let limit = addresses_kib.map_or_else(|| "unlimited".to_owned(), |kib| kib.to_string());
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &limit])
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let _slot = measuring_slot();
    let Output { stdout, stderr, .. } = limited.output().unwrap();
    assert!(!stdout.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

#[test]
fn a_run_without_a_pool_of_instances_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("good.rs", GOOD);
    let other = GOOD.replace("    let", "    std::hint::black_box(&values);\n    let");
    write("other.rs", &other);
    write(
        "bakeoff.toml",
        "name = \"addresses\"
problem = \"Fold numbers.\"
interface = { wit = \"total.wit\", call = \"total\" }
workload = { source = \"workload.rs\", sizes = [50000] }
measure = { precision = 0.5 }
approach = [
    { name = \"good\", source = \"good.rs\" },
    { name = \"other\", source = \"other.rs\" },
]
",
    );
    let out = tempfile::tempdir().unwrap();
    let (experiment, out) = (
        folder.path().to_str().unwrap(),
        out.path().to_str().unwrap(),
    );
    for (addresses, is_said) in [(Some(ADDRESSES_KIB), true), (None, false)] {
        let arguments = [
            "run", experiment, "--fresh", "--format", "json", "--out", out,
        ];
        let report: Value = serde_json::from_str(&said(&arguments, addresses)).unwrap();
        let notes = report["notes"].to_string();
        assert!(report["variants"][0]["failure"].is_null(), "{report:#}");
        assert_eq!(notes.contains("pool of instances"), is_said, "{notes}");
    }
}
