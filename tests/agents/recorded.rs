//! Recorded diffs of agents, replayed on a public crate: a task with a known good answer, and two that are none.
//!
//! The crate is strsim 0.11.1 (MIT), from the folder of sources that cargo built this workspace from. The diffs, in `recorded`,
//! are of its function `levenshtein`: `bit-parallel` is Myers's algorithm, which everybody who needs it fast uses;
//! `whole-matrix` is right and slower; `upper-bound` is wrong, and has its tests ask for less.

use super::{agents, command, row};
use crate::revisions::{Repository, has_git};
use crate::support::measuring_slot;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variants, by the names of their diffs.
const VARIANTS: [&str; 3] = ["bit-parallel", "whole-matrix", "upper-bound"];
/// The agent: it applies the diff that has the name of its variant.
const REPLAYS: &str = "sh -c 'git apply --whitespace=nowarn \"$RECORDED/$BAKEOFF_VARIANT.diff\"'";
/// A program whose time is that of the function.
const DISTANCES: &str = "//! Distances between all pairs of words that follow from a seed.

fn main() {
    let mut state = 1_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % limit
    };
    let mut words = Vec::new();
    for _ in 0..120 {
        let length = 10 + below(40);
        let letters = (0..length).map(|_| char::from(b'a' + below(8) as u8));
        words.push(letters.collect::<String>());
    }
    let mut sum = 0;
    for a in &words {
        for b in &words {
            sum += strsim::levenshtein(a, b);
        }
    }
    println!(\"{sum}\");
}
";

/// Returns the folder with the sources of the crate.
fn sources() -> PathBuf {
    let triple = Command::new("rustc").arg("-vV").output().unwrap();
    let triple = String::from_utf8(triple.stdout).unwrap();
    let triple = triple.lines().find_map(|line| line.strip_prefix("host: "));
    let mut metadata = Command::new("cargo");
    metadata
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--filter-platform", triple.unwrap()])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let output = metadata.output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = found["packages"].as_array().unwrap();
    let one = packages.iter().find(|one| one["name"] == "strsim").unwrap();
    assert_eq!(one["version"], "0.11.1", "the diffs are of this version");
    let manifest = Path::new(one["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_owned()
}

/// Returns a repository of the crate, with the program.
fn repository() -> Repository {
    let repository = Repository::new();
    let from = sources();
    for name in [
        "Cargo.toml",
        "README.md",
        "LICENSE",
        "src/lib.rs",
        "tests/lib.rs",
    ] {
        repository.write(name, &fs::read_to_string(from.join(name)).unwrap());
    }
    repository.write(".gitignore", "target\nCargo.lock\n");
    repository.write("examples/distances.rs", DISTANCES);
    repository.commit();
    repository
}

#[test]
fn recorded_approaches_to_a_public_crate_are_told_apart_by_evidence() {
    if !has_git() {
        return;
    }
    let _slot = measuring_slot();
    let repository = repository();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/agents/recorded");
    let recorded = recorded.canonicalize().unwrap();
    let recorded = recorded.to_str().unwrap();
    let agent = REPLAYS.replace("$RECORDED", recorded);
    let more = [
        "--read",
        recorded,
        "--verify",
        "cargo test --offline --quiet --test lib",
        "--verify",
        "cargo test --offline --quiet --lib",
        "--build",
        "cargo build --offline --quiet --release --example distances",
        "--measure",
        "target/release/examples/distances",
        "--budget",
        "20s",
    ];
    let output = agents(&repository, &VARIANTS, &agent, &more);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    // One weakens a test, is held to that of the base, and would have passed with its own.
    let weak = row(&report, "upper-bound");
    assert_eq!(weak["outcome"], "verification-failed", "{weak}");
    assert_eq!(weak["changes"]["tests"], json!(["tests/lib.rs"]));
    let reason = weak["reason"].as_str().unwrap();
    assert!(reason.contains("levenshtein_works"), "{reason}");
    assert_eq!(weak["verifications"].as_array().unwrap().len(), 1, "{weak}");
    for good in ["bit-parallel", "whole-matrix"] {
        let row = row(&report, good);
        assert_eq!(row["outcome"], "passed", "{row}");
        assert_eq!(row["changes"]["tests"], json!([]));
    }
    // Of those that are right, one is surely faster than the crate as it is, and one surely slower.
    let measured = &report["measured"]["report"];
    assert_eq!(measured["winner"], "bit-parallel", "{measured}");
    let names = measured["variants"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["the base", "bit-parallel", "whole-matrix"]);
    // A person reads the same, and no agent is started again.
    let mut again = vec!["agents", "Do it", "--agent", &agent];
    for variant in VARIANTS {
        again.extend(["--variant", variant]);
    }
    again.extend(more);
    let again = command(&repository, &again);
    let text = &again.stdout;
    for part in [
        "2 of 3 passed the verification. ",
        "upper-bound changed tests: tests/lib.rs",
        "upper-bound: cargo test --offline --quiet --test lib",
        "Take bit-parallel",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        !again.stderr.contains("its agent works"),
        "{}",
        again.stderr
    );
    repository.git(&["checkout", "--quiet", "bakeoff/agents/upper-bound"]);
    let mut own = Command::new("cargo");
    own.args(["test", "--offline", "--quiet", "--test", "lib"])
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .current_dir(repository.path());
    let own = own.output().unwrap();
    assert!(own.status.success(), "{own:?}");
}
