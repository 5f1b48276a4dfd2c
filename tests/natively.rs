//! `bakeoff compare --natively`: the same sources built for this machine and run as programs.

use crate::support::{CommandOutput, bakeoff, measuring_slot};
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// Folds the values so many times, in WebAssembly and natively.
fn folds(in_wasm: u32, natively: u32) -> String {
    format!(
        "pub fn fold(values: &[u64]) -> u64 {{
    let times = if cfg!(target_arch = \"wasm32\") {{ {in_wasm} }} else {{ {natively} }};
    let mut folded = 0;
    for _ in 0..times {{
        folded = std::hint::black_box(std::hint::black_box(values).iter().fold(7, |sum: u64, value: &u64| {{
            (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9)
        }}));
    }}
    folded
}}
"
    )
}

/// Compares files in a folder of their own.
fn compare(files: &[(&str, &str)], options: &[&str]) -> CommandOutput {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let _slot = measuring_slot();
    let mut command = bakeoff(&[&["compare"], names.as_slice(), options].concat());
    command.current_dir(folder.path()).output().unwrap().into()
}

/// True if programs of this machine can be linked.
pub(crate) fn has_linker() -> bool {
    let has = Command::new("cc").arg("--version").output().is_ok();
    if !has {
        println!("skipped: there is no `cc`");
    }
    has
}

const OPTIONS: [&str; 9] = [
    "--natively",
    "--seed",
    "11",
    "--size",
    "20000",
    "--budget",
    "6s",
    "--format",
    "json",
];

#[test]
fn the_call_alone_is_timed_and_another_order_is_said() {
    if !has_linker() {
        return;
    }
    let files = [("a.rs", &*folds(2, 40)), ("b.rs", &*folds(10, 2))];
    let said = compare(&files, &OPTIONS);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let natively = &report["natively"];
    assert_eq!(
        natively["opposite"],
        serde_json::json!([["a", "b"]]),
        "{natively:#}"
    );
    let row = &natively["verdicts"][0];
    // Reading 20,000 numbers takes longer than folding them twice: were it inside, the ratio would be far smaller.
    let ratio = row["ratio"].as_f64().unwrap();
    let ratio = if row["a"] == "a" { ratio } else { 1.0 / ratio };
    assert!(ratio > 8.0, "{row:#}");
    let text = report["recommendation"]["text"].as_str().unwrap();
    assert!(text.starts_with("Take a"), "{text}");
    assert!(
        text.contains("Built for this machine the order is another one: b is ahead of a"),
        "{text}"
    );
    // The same for people.
    let page = compare(&files, &OPTIONS[..7]);
    for part in ["Natively", "as components", "a against b: natively"] {
        assert!(page.stdout.contains(part), "{part}: {}", page.stdout);
    }
}

#[test]
fn a_source_that_answers_otherwise_natively_is_a_row_of_its_own() {
    if !has_linker() {
        return;
    }
    let other = folds(4, 4).replace(
        "    folded\n",
        "    folded + usize::MAX.count_ones() as u64 - 32\n",
    );
    let prints = folds(4, 4).replace("    let mut", "    println!(\"[1, 2]\");\n    let mut");
    let files = [
        ("a.rs", &*folds(2, 2)),
        ("b.rs", &*prints),
        ("c.rs", &*other),
    ];
    let workload = "pub fn generate(size: u32, seed: u64) -> Vec<u64> { (0..u64::from(size)).map(|i| i ^ seed).collect() }
pub fn check(values: Vec<u64>, answer: u64) -> Result<(), String> {
    let right = values.iter().fold(7, |sum: u64, value: &u64| (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9));
    if answer == right { Ok(()) } else { Err(format!(\"not {right}\")) }
}
";
    let folder = TempDir::new().unwrap();
    for (name, text) in files.iter().chain([&("workload.rs", workload)]) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let _slot = measuring_slot();
    let arguments = [
        "compare",
        "a.rs",
        "b.rs",
        "c.rs",
        "--workload",
        "workload.rs",
    ];
    let mut command = bakeoff(&[&arguments[..], &OPTIONS].concat());
    let said: CommandOutput = command.current_dir(folder.path()).output().unwrap().into();
    let report = said.json();
    let natively = &report["natively"];
    let failures = natively["failures"].as_object().unwrap();
    assert_eq!(failures.keys().collect::<Vec<_>>(), ["c"], "{natively:#}");
    assert_eq!(failures["c"]["class"], "wrong-answer", "{natively:#}");
    // What a source prints is no answer.
    let times = natively["times"].as_object().unwrap();
    assert_eq!(times.keys().collect::<Vec<_>>(), ["a", "b"]);
    // Among the components nothing failed.
    let variants = report["variants"].as_array().unwrap();
    assert!(
        variants
            .iter()
            .all(|variant| variant["failure"] == Value::Null)
    );
}

#[test]
fn what_cannot_be_built_natively_is_refused_before_anything_runs() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.rs"), folds(1, 1)).unwrap();
    fs::write(at("b.rs"), folds(2, 2)).unwrap();
    fs::write(at("c.wasm"), b"\0asm\x0d\0\x01\0").unwrap();
    fs::write(at("policy.toml"), "[programs]\nallow = false\n").unwrap();
    let compare = |files: [&str; 2], policy: &str| {
        let mut command = bakeoff(&["compare", files[0], files[1], "--natively"]);
        command.env("BAKEOFF_POLICY", policy);
        let said: CommandOutput = command.current_dir(folder.path()).output().unwrap().into();
        assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
        said
    };
    let component = compare(["a.rs", "c.wasm"], "");
    assert!(
        component.explains("c.wasm is no Rust source"),
        "{}",
        component.stderr
    );
    let policy = at("policy.toml").display().to_string();
    let forbidden = compare(["a.rs", "b.rs"], &policy);
    assert!(
        forbidden.explains("refused by the host's policy"),
        "{}",
        forbidden.stderr
    );
}
