//! A machine without a Rust compiler: components are run there, and whoever has sources is told.

use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const WIT: &str =
    "package a:b;\nworld prototype { export total: func(values: list<u32>) -> u64; }\n";

/// Runs a command in a folder of a machine whose compiler is gone.
fn without_compiler(folder: &Path, arguments: &[&str]) -> CommandOutput {
    let mut command = bakeoff(arguments);
    command.current_dir(folder).env("RUSTC", "/nowhere/rustc");
    command.output().unwrap().into()
}

/// A folder with two ways to add up, as sources and as components, and with calls of them.
fn ways_to_add_up() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("total.wit"), WIT).unwrap();
    for (name, rounds) in [("quick", 1), ("slow", 40)] {
        let source = format!(
            "pub fn total(values: Vec<u32>) -> u64 {{\n    let mut total = 0;\n    for _ in 0..{rounds} {{\n        \
             total = std::hint::black_box(&values).iter().map(|one| u64::from(*one)).sum();\n    }}\n    total\n}}\n"
        );
        fs::write(at(&format!("{name}.rs")), source).unwrap();
        let (file, output) = (format!("{name}.rs"), format!("{name}.wasm"));
        let built = bakeoff(&["build", &file, "--wit", "total.wit", "--call", "total"])
            .args(["--output", &output])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(built.status.success(), "{built:?}");
    }
    let mut cases = String::new();
    for last in [2_000_u64, 3_000] {
        let values: Vec<String> = (1..=last).map(|value| value.to_string()).collect();
        let (values, total) = (values.join(", "), last * (last + 1) / 2);
        writeln!(
            cases,
            "[[case]]\ncall = \"total([{values}])\"\nexpect = \"{total}\""
        )
        .unwrap();
    }
    fs::write(at("cases.toml"), cases).unwrap();
    folder
}

#[test]
fn components_are_compared_and_sources_are_refused_with_the_reason() {
    let _slot = measuring_slot();
    let folder = ways_to_add_up();
    let compare = |files: [&str; 2]| {
        let files = [&["compare", "--cases", "cases.toml"], &files[..]].concat();
        without_compiler(folder.path(), &files)
    };
    let compared = compare(["quick.wasm", "slow.wasm"]);
    assert_eq!(compared.status, 0, "{}", compared.stderr);
    assert!(
        compared.stdout.contains("faster"),
        "{}{}",
        compared.stdout,
        compared.stderr
    );
    for refused in [
        compare(["quick.wasm", "slow.rs"]),
        // The generator of drawn inputs is a source of ours.
        without_compiler(folder.path(), &["compare", "quick.wasm", "slow.wasm"]),
        without_compiler(
            folder.path(),
            &[
                "build",
                "quick.rs",
                "--wit",
                "total.wit",
                "--call",
                "total",
                "--output",
                "x.wasm",
            ],
        ),
    ] {
        assert_eq!(refused.status, 5, "{}{}", refused.stdout, refused.stderr);
        assert!(refused.explains("no Rust compiler"), "{}", refused.stderr);
        assert!(refused.explains("/nowhere/rustc"), "{}", refused.stderr);
    }
    let checked = without_compiler(
        folder.path(),
        &[
            "build",
            "quick.wasm",
            "--wit",
            "total.wit",
            "--call",
            "total",
            "--output",
            "x.wasm",
        ],
    );
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}
