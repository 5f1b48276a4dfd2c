//! `bakeoff compare --save-inputs`.

use crate::support::run_bakeoff;
use std::fs;
use tempfile::TempDir;

/// Runs a comparison of two files that agree, and returns what it said on stderr and the file that it kept.
fn saved(more: &[&str]) -> (String, Option<String>, TempDir) {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, start) in [("a.rs", "0"), ("b.rs", "std::hint::black_box(0)")] {
        let text = format!(
            "pub fn sum(items: &[u32], by: &str) -> u32 {{ let mut all: u32 = {start};
                for item in items {{ all = all.wrapping_mul(31) ^ item.wrapping_add(by.len() as u32); }} all }}"
        );
        fs::write(path(name), text).unwrap();
    }
    let (a, b, kept) = (path("a.rs"), path("b.rs"), path("kept.toml"));
    let arguments = ["compare", &a, &b, "--save-inputs", &kept, "--budget", "20s"];
    let output = run_bakeoff(&[&arguments, more].concat());
    (output.stderr, fs::read_to_string(&kept).ok(), folder)
}

#[test]
fn inputs_that_were_timed_are_cases_that_are_read_again() {
    let (_, kept, folder) = saved(&["--size", "300", "--seed", "7"]);
    let kept = kept.expect("something was timed");
    let count = kept.matches("[[case]]").count();
    assert!((1..=8).contains(&count), "{kept}");
    assert!(kept.contains("call = \"sum(["), "{kept}");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let output = run_bakeoff(&[
        "compare",
        &path("a.rs"),
        &path("b.rs"),
        "--cases",
        &path("kept.toml"),
        "--budget",
        "100ms",
        "--format",
        "json",
    ]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    for variant in output.json()["variants"].as_array().unwrap() {
        assert!(variant["failure"].is_null(), "{variant:#}");
    }
}
