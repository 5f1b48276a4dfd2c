//! `bakeoff compare main HEAD --package NAME --natively`: the functions of a package built for this machine, too.

use crate::crates::Place;
use crate::natively::{folds, has_linker};
use crate::revisions::{MANIFEST, Repository, function, has_git};
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::fs;

/// A library whose `fold` folds so many times in WebAssembly and natively, and two more functions: one that never changes,
/// and one that folds as often in WebAssembly whatever `natively` says.
fn library(in_wasm: u32, natively: u32) -> String {
    let there = folds(2, natively).replace("pub fn fold(", "pub fn there(");
    format!(
        "{}{there}
/// Never changes, and has constants of its own.
pub fn mean(values: &[f64]) -> f64 {{
    let scaled: Vec<f64> = values.iter().map(|value| value * 0.1234567 + 7.65).collect();
    scaled.iter().sum::<f64>() / scaled.len().max(1) as f64
}}
",
        folds(in_wasm, natively)
    )
}

const OPTIONS: [&str; 9] = [
    "HEAD~1",
    "HEAD",
    "--package",
    "codec-core",
    "--natively",
    "--seed",
    "5",
    "--budget",
    "20s",
];

#[test]
fn several_functions_have_both_times_and_what_is_the_same_program_has_none() {
    if !has_git() || !has_linker() {
        return;
    }
    let repository = Repository::new();
    repository.write("Cargo.toml", MANIFEST);
    repository.write("src/lib.rs", &library(2, 40));
    repository.commit();
    repository.write("src/lib.rs", &format!("\n\n{}", library(10, 4)));
    repository.commit();
    let size = ["--size", "20000"];
    let said = repository.compare(&[&OPTIONS[..], &size, &["--format", "json"]].concat());
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let fold = function(&report, "fold");
    assert_eq!(fold["time"]["verdict"], "beaten", "{fold:#}");
    let natively = &fold["natively"]["time"];
    assert_eq!(natively["verdict"], "beats", "{fold:#}");
    let ratio = natively["ratio"].as_f64().unwrap();
    assert!(ratio < 0.2, "{fold:#}");
    // The component is the same, and the program is not.
    let there = function(&report, "there");
    assert_eq!(there["is_same_code"], false, "{there:#}");
    assert_eq!(there["time"]["verdict"], "tie", "{there:#}");
    assert_eq!(there["natively"]["time"]["verdict"], "beats", "{there:#}");
    // It only moved.
    let mean = function(&report, "mean");
    assert_eq!(mean["is_same_code"], true, "{mean:#}");
    assert!(mean["natively"].is_null(), "{mean:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("sources that do not cheat"), "{notes}");
    let answer = report["answer"].as_str().unwrap();
    let otherwise = "Built for this machine it is otherwise: surely faster: fold, there.";
    assert!(answer.ends_with(otherwise), "{answer}");
    // Alone, it ties untimed just so.
    let alone = [&OPTIONS[..], &size, &["--call", "mean", "--format", "json"]].concat();
    let report = repository.compare(&alone).json();
    let natively = &report["natively"];
    assert_eq!(natively["verdicts"][0]["verdict"], "tie", "{natively:#}");
    assert_eq!(natively["protocol"]["replicas"], 0, "{natively:#}");
}

#[test]
fn a_package_and_its_crates_are_built_for_this_machine() {
    if !has_git() || !has_linker() {
        return;
    }
    let place = Place::new();
    let script = "fn main() {
    let target = std::env::var(\"TARGET\").unwrap();
    let times = if target.starts_with(\"wasm32\") { 1 } else { 20 };
    let made = format!(\"pub const TIMES: u32 = {times};\");
    std::fs::write(std::env::var(\"OUT_DIR\").unwrap() + \"/made.rs\", made).unwrap();
}
";
    let step = "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));
#[inline(never)]
pub fn step(sum: u64, value: u64) -> u64 { (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9) }
";
    place.publish("helper", "", &[("build.rs", script), ("src/lib.rs", step)]);
    let repository = Repository::new();
    repository.write(
        "Cargo.toml",
        &format!("{MANIFEST}[dependencies]\nhelper = \"1\"\n"),
    );
    let lock = format!(
        "version = 4\n\n[[package]]\nname = \"codec-core\"\nversion = \"0.1.0\"\ndependencies = [\n \"helper\",\n]\n\n\
         [[package]]\nname = \"helper\"\nversion = \"1.0.0\"\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{}\"\n",
        "0f".repeat(32)
    );
    repository.write("Cargo.lock", &lock);
    // As often in WebAssembly, and twenty times as often natively.
    let library = |times: &str| {
        format!(
            "pub fn fold(values: &[u64]) -> u64 {{
    let mut folded = 0;
    for _ in 0..{times} {{
        folded = std::hint::black_box(std::hint::black_box(values).iter().fold(7, |sum, value| helper::step(sum, *value)));
    }}
    folded
}}
"
        )
    };
    repository.write("src/lib.rs", &library("4"));
    repository.commit();
    repository.write("src/lib.rs", &library("2 * helper::TIMES"));
    repository.commit();
    let run = |more: &[&str]| -> CommandOutput {
        let _slot = measuring_slot();
        let call = ["--call", "fold", "--size", "20000", "--format", "json"];
        let mut command = bakeoff(&[&["compare"], &OPTIONS[..], &call, more].concat());
        command
            .current_dir(repository.path())
            .env("CARGO_HOME", place.path("home"))
            .env("BAKEOFF_CACHE_DIR", place.path("cache"));
        command.output().unwrap().into()
    };
    let refused = run(&[]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    let said = run(&["--allow-crates"]);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let answer = report["recommendation"]["text"].as_str().unwrap();
    assert!(answer.starts_with("Take HEAD: "), "{answer}");
    let opposite = &report["natively"]["opposite"];
    assert_eq!(opposite.as_array().unwrap().len(), 1, "{report:#}");
    let row = &report["natively"]["verdicts"][0];
    let ratio = row["ratio"].as_f64().unwrap();
    assert!(!(0.2..=5.0).contains(&ratio), "{row:#}");
}

#[test]
fn a_host_that_forbids_programs_is_asked_before_anything_is_read() {
    if !has_git() {
        return;
    }
    let repository = Repository::new();
    repository.write("policy.toml", "[programs]\nallow = false\n");
    let mut command = bakeoff(&[&["compare"], &OPTIONS[..]].concat());
    let policy = repository.path().join("policy.toml");
    command
        .env("BAKEOFF_POLICY", policy)
        .current_dir(repository.path());
    let said: CommandOutput = command.output().unwrap().into();
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(
        said.explains("refused by the host's policy"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_package_that_cannot_be_built_for_this_machine_is_named_with_its_message() {
    if !has_git() || !has_linker() {
        return;
    }
    let repository = Repository::new();
    repository.write("Cargo.toml", MANIFEST);
    repository.write("src/lib.rs", &folds(2, 2));
    repository.commit();
    let other =
        "#[cfg(not(target_arch = \"wasm32\"))]\ncompile_error!(\"for WebAssembly alone\");\n";
    repository.write("src/lib.rs", &format!("{other}{}", folds(4, 4)));
    repository.commit();
    let said = repository.compare(&OPTIONS);
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    for part in [
        "for WebAssembly alone",
        "codec-core at HEAD cannot be built for this machine",
    ] {
        assert!(said.explains(part), "{part}: {}", said.stderr);
    }
}

#[test]
fn what_is_kept_shows_the_programs_of_revisions_again() {
    if !has_git() || !has_linker() {
        return;
    }
    let repository = Repository::new();
    repository.write("Cargo.toml", MANIFEST);
    repository.write("src/lib.rs", &library(2, 40));
    repository.commit();
    repository.write("src/lib.rs", &library(10, 4));
    repository.commit();
    let one = [
        "--call", "fold", "--size", "20000", "--out", "kept", "--format", "json",
    ];
    let said = repository.compare(&[&OPTIONS[..], &one].concat());
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let mut command = bakeoff(&["report", "kept", "--format", "json"]);
    let again: CommandOutput = command
        .current_dir(repository.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(again.json()["natively"], said.json()["natively"]);
    assert!(fs::metadata(repository.path().join("kept/natively")).is_ok());
}
