//! `--natively` of `bakeoff compare` and `bakeoff run`: the same sources built for this machine and run as programs.

use crate::support::{CommandOutput, bakeoff, measuring_slot};
use rustix::process::{Pid, Signal};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Folds the values so many times, in WebAssembly and natively.
pub(crate) fn folds(in_wasm: u32, natively: u32) -> String {
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

/// Folds the values, and answers otherwise natively.
fn answers_otherwise() -> String {
    let bits = "    folded + usize::MAX.count_ones() as u64 - 32\n";
    folds(4, 4).replace("    folded\n", bits)
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
    "20s",
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
    let opposite = serde_json::json!([["a", "b"]]);
    assert_eq!(natively["opposite"], opposite, "{natively:#}");
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
    let other = answers_otherwise();
    let prints = folds(4, 4).replace("    let mut", "    println!(\"[1, 2]\");\n    let mut");
    let files = [
        ("a.rs", &*folds(2, 2)),
        ("b.rs", &*prints),
        ("c.rs", &*other),
    ];
    let folder = TempDir::new().unwrap();
    for (name, text) in files.iter().chain([&("workload.rs", WORKLOAD)]) {
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

/// The workload of [`experiment`].
const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> { (0..u64::from(size)).map(|i| i ^ seed).collect() }
pub fn check(values: Vec<u64>, answer: u64) -> Result<(), String> {
    let right = values.iter().fold(7, |sum: u64, value: &u64| (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9));
    if answer == right { Ok(()) } else { Err(format!(\"not {right}\")) }
}
";

/// Writes an experiment with these approaches, of which the time of a call decides.
pub(crate) fn experiment(folder: &Path, approaches: &[(&str, &str)]) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let world = "package test:fold;\nworld prototype {\n  export fold: func(values: list<u64>) -> u64;\n}\nworld workload {\n  \
                 export generate: func(size: u32, seed: u64) -> list<u64>;\n  export check: func(values: list<u64>, \
                 answer: u64) -> result<_, string>;\n}\n";
    write("fold.wit", world);
    write("workload.rs", WORKLOAD);
    let mut file = "name = \"fold\"\nproblem = \"Fold.\"\n[interface]\nwit = \"fold.wit\"\ncall = \"fold\"\n[workload]\n\
                    source = \"workload.rs\"\nsizes = [20_000]\n[[criterion]]\nname = \"speed\"\nfrom = \"time\"\n\
                    weight = 1.0\n"
        .to_owned();
    for (name, text) in approaches {
        write(&format!("{name}.rs"), text);
        file += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    }
    write("bakeoff.toml", &file);
}

/// Runs a command in the folder of an experiment.
fn command_in(folder: &Path, arguments: &[&str]) -> CommandOutput {
    let _slot = measuring_slot();
    bakeoff(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .into()
}

const RUN: [&str; 8] = [
    "run",
    "--natively",
    "--seed",
    "11",
    "--budget",
    "16s",
    "--format",
    "json",
];

#[test]
fn a_run_races_its_sources_natively_too_and_keeps_that() {
    if !has_linker() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let other = answers_otherwise();
    experiment(
        at,
        &[("a", &folds(2, 40)), ("b", &folds(10, 2)), ("c", &other)],
    );
    let said = command_in(at, &RUN);
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let natively = &report["natively"];
    let opposite = serde_json::json!([["a", "b"]]);
    assert_eq!(natively["opposite"], opposite, "{natively:#}");
    assert_eq!(natively["failures"]["c"]["class"], "wrong-answer");
    let text = report["recommendation"]["text"].as_str().unwrap();
    assert!(text.starts_with("Take a"), "{text}");
    let otherwise = "Built for this machine the order is another one: b is ahead of a";
    assert!(text.contains(otherwise), "{text}");
    // Later, in every format, also with other weights, and from the files that lie beside.
    let again = command_in(at, &["report", ".", "--format", "json"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(again.json()["natively"], *natively);
    for format in ["human", "md", "html"] {
        let page = command_in(
            at,
            &["report", ".", "--format", format, "--weight", "speed=2"],
        );
        for part in ["as components", "the order is another one"] {
            assert!(page.stdout.contains(part), "{format}: {}", page.stdout);
        }
    }
    let summary = fs::read_to_string(at.join(".bakeoff/fold/report.md")).unwrap();
    assert!(summary.contains("Natively"), "{summary}");
    // A session more measures nothing again, and one that does not ask for it takes nothing away.
    let programs = at.join(".bakeoff/fold/natively");
    let replicas = || {
        let shown = programs.to_str().unwrap();
        let arguments = ["export", shown, "--table", "replicas", "--format", "csv"];
        command_in(at, &arguments).stdout
    };
    let before = replicas();
    assert!(before.lines().count() > 1, "{before}");
    for options in [
        &RUN[..],
        &["run", "--seed", "11", "--budget", "16s", "--format", "json"],
    ] {
        let said = command_in(at, options);
        assert_eq!(said.json()["natively"], *natively, "{}", said.stderr);
        assert_eq!(replicas(), before);
    }
    let verified = command_in(at, &["verify", "."]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    // A bundle has the components alone, and is whole without the programs.
    let packed = command_in(at, &["pack", ".", "--out", "fold.bundle"]);
    assert_eq!(packed.status, 0, "{}", packed.stderr);
    let verified = command_in(at, &["verify", "fold.bundle"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn a_comparison_that_is_kept_keeps_what_was_seen_natively() {
    if !has_linker() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.rs"), folds(2, 40)).unwrap();
    fs::write(at.join("b.rs"), folds(10, 2)).unwrap();
    let arguments = [&["compare", "a.rs", "b.rs", "--out", "kept"], &OPTIONS[..]].concat();
    let said = command_in(at, &arguments);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let again = command_in(at, &["report", "kept", "--format", "json"]);
    assert_eq!(again.json()["natively"], said.json()["natively"]);
    assert!(again.json()["natively"]["opposite"][0][0] == "a");
}

#[test]
fn a_run_natively_is_refused_before_it_begins_where_nothing_could_come_of_it() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    experiment(at, &[("a", &folds(1, 1)), ("b", &folds(2, 2))]);
    fs::write(at.join("policy.toml"), "[programs]\nallow = false\n").unwrap();
    let file = fs::read_to_string(at.join("bakeoff.toml")).unwrap();
    let refused = |policy: &str, why: &str| {
        let mut command = bakeoff(&["run", "--natively"]);
        command.env("BAKEOFF_POLICY", policy).current_dir(at);
        let said: CommandOutput = command.output().unwrap().into();
        assert_eq!(said.status, 2, "{}{}", said.stdout, said.stderr);
        assert!(said.explains(why), "{}", said.stderr);
        assert!(!at.join(".bakeoff").exists());
    };
    let policy = at.join("policy.toml").display().to_string();
    refused(&policy, "refused by the host's policy");
    let by_memory = file.replace("from = \"time\"", "from = \"peak-memory\"");
    fs::write(at.join("bakeoff.toml"), by_memory).unwrap();
    refused("", "no criterion of the experiment is `time`");
    let swept = file.replace(
        "source = \"b.rs\"",
        "source = \"b.rs\"\nsweep = { n = [1, 2] }",
    );
    assert_ne!(swept, file);
    fs::write(at.join("bakeoff.toml"), swept).unwrap();
    refused("", "fewer than two approaches");
}

#[test]
fn a_race_of_programs_that_was_interrupted_goes_on_where_it_stopped() {
    if !has_linker() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    // Far apart as components, and natively other programs that are so close that nothing is known of them for long.
    let other = folds(10, 20).replace("folded = 0;", "folded = std::hint::black_box(0);");
    experiment(at, &[("a", &folds(2, 20)), ("b", &other)]);
    let file = fs::read_to_string(at.join("bakeoff.toml")).unwrap();
    fs::write(
        at.join("bakeoff.toml"),
        file + "[measure]\npractical = 0.0001\n",
    )
    .unwrap();
    let slot = measuring_slot();
    let mut command = bakeoff(&["run", "--natively", "--seed", "3", "--budget", "300s"]);
    let mut run = command
        .current_dir(at)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let programs = at.join(".bakeoff/fold/natively");
    // Two replicas: the run that goes on may have no time for another one, and one alone is no estimate.
    let has_replicas = || {
        let events = fs::read_to_string(programs.join("events.jsonl")).unwrap_or_default();
        events.matches("bakeoff:replica:complete").count() >= 2
    };
    while !has_replicas() {
        assert!(run.try_wait().unwrap().is_none(), "it ended before");
        std::thread::sleep(Duration::from_millis(20));
    }
    rustix::process::kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let said: CommandOutput = run.wait_with_output().unwrap().into();
    drop(slot);
    assert_eq!(said.status, 130, "{}", said.stderr);
    assert!(said.stderr.contains("--natively"), "{}", said.stderr);
    let table = |folder: &Path, table: &str| {
        let folder = folder.to_str().unwrap();
        let arguments = ["export", folder, "--table", table, "--format", "csv"];
        let rows = command_in(at, &arguments).stdout;
        rows.lines().count() - 1
    };
    let results = at.join(".bakeoff/fold");
    let before = [&results, &programs].map(|folder| table(folder, "replicas"));
    assert!(before.iter().all(|count| *count > 0), "{before:?}");
    // What is known so far is no report of the programs, and no damage either.
    let so_far = command_in(at, &["report", "."]);
    assert_eq!(so_far.status, 1, "{}", so_far.stderr);
    assert!(so_far.stdout.contains("Not finished"), "{}", so_far.stdout);
    let said = command_in(at, &["run", "--natively", "--seed", "3", "--budget", "1s"]);
    // Both races take what is there, whether or not the second has time for more.
    let reused = said.stderr.matches("reused").count();
    assert_eq!(reused, 2, "{}", said.stderr);
    assert!(said.stdout.contains("atively"), "{}", said.stdout);
    let after = [&results, &programs].map(|folder| table(folder, "replicas"));
    assert_eq!(after[0], before[0], "the components raced again");
    assert!(after[1] >= before[1], "{before:?}, {after:?}");
    let runs = [&results, &programs].map(|folder| table(folder, "runs"));
    assert_eq!(runs, [1, 1], "one of them began anew");
}
