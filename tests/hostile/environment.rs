//! The environment that bakeoff is started in: what of it reaches a child, and what it decides.

use crate::finished::CASES;
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Variables that libraries and tools obey, with values that would be seen.
const HEARD_ELSEWHERE: [(&str, &str); 14] = [
    ("CANARY", "tweet"),
    ("CARGO_BUILD_RUSTFLAGS", "-Cpasses=tweet"),
    ("CARGO_ENCODED_RUSTFLAGS", "-Cpasses=tweet"),
    ("GLIBC_TUNABLES", "glibc.malloc.arena_max=1"),
    ("LD_BIND_NOW", "1"),
    ("MALLOC_ARENA_MAX", "1"),
    ("RAYON_NUM_THREADS", "tweet"),
    ("RUSTC_LOG", "trace"),
    ("RUSTFLAGS", "-Cpasses=tweet"),
    ("RUST_BACKTRACE", "full"),
    ("RUST_LOG", "trace"),
    ("RUST_MIN_STACK", "1"),
    ("TOKIO_WORKER_THREADS", "0"),
    ("WASMTIME_BACKTRACE_DETAILS", "1"),
];

/// What a compiler and its linker have, which is the same in every build.
const OF_A_COMPILER: [&str; 2] = ["MAKEFLAGS", "TMPDIR"];

/// The processes of a parent, and theirs: their arguments and the names of their variables.
fn descendants(parent: u32) -> Vec<(String, BTreeSet<String>)> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default();
        if let Some(of) = after.split_whitespace().nth(1) {
            children.entry(of.parse().unwrap()).or_default().push(id);
        }
    }
    let mut left = vec![parent];
    let mut found = Vec::new();
    while let Some(id) = left.pop() {
        for child in children.get(&id).into_iter().flatten() {
            left.push(*child);
            let read = |name: &str| fs::read(format!("/proc/{child}/{name}")).unwrap_or_default();
            let before = read("cmdline");
            let environment = read("environ");
            // A process that is just becoming another program has still what its parent has.
            if before.is_empty() || before != read("cmdline") {
                continue;
            }
            let names = environment
                .split(|byte| *byte == 0)
                .filter(|one| !one.is_empty());
            let name = |one: &[u8]| {
                let text = String::from_utf8_lossy(one);
                text.split('=').next().unwrap().to_owned()
            };
            let arguments = String::from_utf8_lossy(&before).replace('\0', " ");
            found.push((arguments, names.map(name).collect()));
        }
    }
    found
}

/// Two files that do the same.
fn two_that_double(folder: &Path) -> [String; 2] {
    let sources = [
        (
            "first.rs",
            "pub fn double(n: u32) -> u32 { n.wrapping_mul(2) }",
        ),
        ("second.rs", "pub fn double(n: u32) -> u32 { n << 1 }"),
    ];
    sources.map(|(name, text)| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn case_113_children_start_with_nothing_of_the_environment() {
    let _slot = measuring_slot();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [first, second] = two_that_double(folder.path());
    let mut command = bakeoff(&["compare", &first, &second, "--quiet", "--budget", "1s"]);
    let mut running = command
        .envs(HEARD_ELSEWHERE)
        .env("BAKEOFF_CACHE_DIR", at("cache"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = BTreeSet::new();
    while running.try_wait().unwrap().is_none() {
        for (arguments, names) in descendants(running.id()) {
            let role = arguments.split("--bakeoff-child ").nth(1);
            let role = role.and_then(|rest| rest.split_whitespace().next());
            if let Some(role) = role {
                assert_eq!(names, BTreeSet::new(), "{arguments}");
                seen.insert(role.to_owned());
            } else if arguments.contains("--crate-type") {
                let known = |name: &String| OF_A_COMPILER.contains(&name.as_str());
                assert!(names.iter().all(known), "{arguments}: {names:?}");
                seen.insert("compiler".to_owned());
            }
        }
    }
    for role in ["builder", "runner", "compiler"] {
        assert!(seen.contains(role), "no {role} was seen, only {seen:?}");
    }
}

#[test]
fn case_113_variables_that_libraries_obey_decide_nothing() {
    let _slot = measuring_slot();
    let finished = CASES.copy();
    let output = bakeoff(&["run", finished.dir(), "--format", "json", "--verbose"])
        .envs(HEARD_ELSEWHERE)
        .output()
        .unwrap();
    let said = CommandOutput::from(output);
    assert!(said.ended_a_run(), "{}", said.stderr);
    assert_eq!(said.json()["environment"], CASES.report["environment"]);
    assert!(!said.stderr.contains("build:started"), "{}", said.stderr);
}
