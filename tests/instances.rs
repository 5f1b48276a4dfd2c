//! Fixed inputs: workloads that make them by their names.

use crate::finished::{BIN_PACKING, FinishedRun};
use crate::support::{CommandOutput, run_bakeoff, run_experiment, variant};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tempfile::TempDir;

/// The verdict about `a` against `b` by the number of bins.
fn by_bins(report: &Value, a: &str, b: &str) -> Value {
    let rows = report["reading_verdicts"]["assess:bins"].as_array();
    let mut rows = rows.unwrap().iter();
    let row = rows.find(|row| row["a"] == a && row["b"] == b);
    row.unwrap_or_else(|| panic!("{a} against {b}")).clone()
}

#[test]
fn a_set_is_one_scope_whose_quality_is_exact() {
    let report = &BIN_PACKING.report;
    let set = &report["experiment"]["instances"];
    assert_eq!((&set["count"], &set["checked"]), (&12.into(), &12.into()));
    assert_eq!(set["names"][11], "triplets-7998-1");
    assert_eq!(report["experiment"]["cases"], Value::Array(Vec::new()));
    let rows = report["verdicts"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["case"].is_null()), "{rows:#?}");
    for id in ["first-fit", "best-fit", "worst-fit"] {
        let read = &variant(report, id)["readings"];
        assert!(read["assess:bins"]["low"].is_null(), "{read:#}");
        assert!(read["time"]["value"].as_f64().unwrap() > 1_000.0);
        assert!(read["time"]["by_case"].is_null(), "{read:#}");
        assert!(variant(report, id)["growth"].is_null());
    }
    let apart = by_bins(report, "first-fit", "worst-fit");
    assert_eq!(
        (&apart["claim"], &apart["verdict"]),
        (&"exact".into(), &"beats".into())
    );
    assert_eq!(
        (&apart["low"], &apart["count"]),
        (&apart["high"], &12.into())
    );
    let bins = |id: &str| {
        variant(report, id)["readings"]["assess:bins"]["value"]
            .as_f64()
            .unwrap()
    };
    let expected = bins("first-fit") - bins("worst-fit");
    assert_eq!(apart["value"].as_f64(), Some(expected));
}

#[test]
fn blocks_draw_instances_that_all_variants_share() {
    let finished = BIN_PACKING.copy();
    let table = ["--format", "jsonl", "--table", "samples"];
    let exported = run_bakeoff(&[&["export", finished.dir()][..], &table].concat());
    assert_eq!(exported.status, 0, "{}", exported.stderr);
    let lines = exported.stdout.lines();
    let samples: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut blocks: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    let mut drawn = BTreeSet::new();
    for sample in samples.iter() {
        let text = |key: &str| sample[key].as_str().unwrap().to_owned();
        let block = format!("{} {}", sample["replica"], sample["block"]);
        let instances = blocks.entry(block).or_default();
        instances
            .entry(text("case"))
            .or_default()
            .insert(text("variant"));
        drawn.insert(text("case"));
    }
    assert_eq!(drawn.len(), 12);
    for (block, instances) in &blocks {
        assert_eq!(instances.len(), 4, "{block}");
        // Whoever is beaten leaves with a replica, never in the middle of one.
        let all: BTreeSet<_> = instances.values().collect();
        assert_eq!(all.len(), 1, "{block}: {instances:?}");
    }
}

#[test]
fn a_finished_set_is_shown_packed_and_verified_to_the_last_figure() {
    let finished = BIN_PACKING.copy();
    let shown = run_bakeoff(&["report", finished.dir()]);
    let text: Vec<&str> = shown.stdout.split_whitespace().collect();
    let text = text.join(" ");
    for part in [
        "over 12 instances",
        "in the mean of 12 instances",
        "Time of one call, geometric mean over 12 instances",
    ] {
        assert!(text.contains(part), "{}", shown.stdout);
    }
    let bundle = finished.pack();
    let verified = run_bakeoff(&[
        "verify",
        bundle.to_str().unwrap(),
        "--quiet",
        "--format",
        "json",
    ]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    let figures = verified.json()["figures"].clone();
    let figures = figures.as_array().unwrap();
    assert!(figures.iter().all(|figure| figure["status"] != "differs"));
    let alike = "instances of the same answer, fuel, memory and quality";
    let alike = |figure: &&Value| figure["figure"] == alike && figure["value"] == "12";
    assert_eq!(figures.iter().filter(alike).count(), 3, "{figures:#?}");
    again(&finished);
}

/// A second run of the same experiment measures nothing again.
fn again(finished: &FinishedRun) {
    let output = run_bakeoff(&["run", finished.dir(), "--quiet", "--format", "json"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    let (one, other) = (&BIN_PACKING.report, output.json());
    assert_eq!(one["experiment"]["id"], other["experiment"]["id"]);
    assert_eq!(one["verdicts"], other["verdicts"]);
}

#[test]
fn a_call_on_an_instance_is_made_again_by_its_name() {
    let finished = BIN_PACKING.copy();
    let file = finished.path("approaches/best_fit.rs");
    let call = |instance: &str| run_bakeoff(&["check", file.to_str().unwrap(), "--case", instance]);
    let right = call("uniform-1000-2");
    assert_eq!(right.status, 0, "{}", right.stderr);
    assert!(
        right.stdout.contains("the answer is right"),
        "{}",
        right.stdout
    );
    let unknown = call("uniform-1000-9\u{1b}[2J");
    assert_eq!(unknown.status, 2, "{}", unknown.stdout);
    assert!(unknown.explains("the experiment has no instance uniform-1000-9"));
    assert!(!unknown.stderr.contains('\u{1b}'));
}

const WIT: &str = "package names:test;
world prototype { export measure: func(name: string) -> u32; }
world workload {
  export generate: func(instance: string) -> string;
  export check: func(name: string, answer: u32) -> result<_, string>;
}
";

/// Each name is its own input; the answer is the number of its bytes.
const WORKLOAD: &str = r#"
pub fn generate(instance: String) -> String {
    assert!(instance != "../trap", "there is no such input");
    instance
}
pub fn check(name: String, answer: u32) -> Result<(), String> {
    if answer as usize % 1000 == name.len() { Ok(()) } else { Err("not its length".to_owned()) }
}
"#;

/// Takes long enough to be timed.
const RIGHT: &str = "pub fn measure(name: String) -> u32 {
    let turns = std::hint::black_box(200_000_u32);
    let sum = (0..turns).fold(0_u32, |sum, turn| std::hint::black_box(sum ^ turn));
    name.len() as u32 + (sum & 0)
}
";

/// The same answer on every fresh instance, and another one after other calls.
const CHANGES: &str = "use std::sync::atomic::{AtomicU32, Ordering};
static CALLS: AtomicU32 = AtomicU32::new(0);
pub fn measure(name: String) -> u32 {
    name.len() as u32 + 1000 * CALLS.fetch_add(1, Ordering::Relaxed)
}
";

const WRONG: &str = "pub fn measure(name: String) -> u32 {
    name.chars().count() as u32
}
";

fn experiment(names: &[&str], wit: &str, inputs: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("names.wit", wit);
    write("workload.rs", WORKLOAD);
    write("right.rs", RIGHT);
    write("changes.rs", CHANGES);
    write("wrong.rs", WRONG);
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let inputs = inputs.replace("NAMES", &names.join(", "));
    write(
        "bakeoff.toml",
        &format!(
            "name = \"names\"\nproblem = \"Measure names.\"
interface = {{ wit = \"names.wit\", call = \"measure\" }}
workload = {{ source = \"workload.rs\", {inputs} }}
measure = {{ precision = 0.5, budget = \"20 s\" }}
[[approach]]\nname = \"right\"\nsource = \"right.rs\"
[[approach]]\nname = \"changes\"\nsource = \"changes.rs\"
[[approach]]\nname = \"wrong\"\nsource = \"wrong.rs\"\n"
        ),
    );
    folder
}

fn run(folder: &TempDir) -> (CommandOutput, Value, TempDir) {
    run_experiment(folder.path().to_str().unwrap(), &[])
}

#[test]
fn names_are_texts_and_nothing_else() {
    // A path, markup, a command, a right-to-left mark: and one that the wrong variant fails on.
    let long = "x".repeat(200);
    let hostile = "../../bin/sh; $(touch pwned) <b>|\u{202e}é";
    let names = ["../../x", "/etc/passwd", "<script>", &long, hostile];
    let folder = experiment(&names, WIT, "instances = [NAMES]");
    let (_, report, results) = run(&folder);
    let listed = &report["experiment"]["instances"]["names"];
    assert_eq!(*listed, Value::from(names.to_vec()));
    assert!(variant(&report, "right")["failure"].is_null());
    let changed = variant(&report, "changes");
    assert_eq!(
        changed["failure"]["class"], "nondeterministic",
        "{changed:#}"
    );
    assert_eq!(changed["failed_call"]["case"]["instance"], names[1]);
    let failed = variant(&report, "wrong");
    assert_eq!(failed["failure"]["class"], "wrong-answer");
    assert_eq!(failed["failed_call"]["case"]["instance"], hostile);
    for format in ["human", "md", "html"] {
        let out = results.path().to_str().unwrap();
        let shown = run_bakeoff(&["report", out, "--format", format]);
        assert!(!shown.stdout.contains(hostile), "{}", shown.stdout);
        assert!(!shown.stdout.contains('\u{202e}'), "{}", shown.stdout);
        if format == "human" {
            assert!(
                shown.stdout.contains("instance ../../bin/sh"),
                "{}",
                shown.stdout
            );
        }
    }
    let file = folder.path().join("wrong.rs");
    let again = run_bakeoff(&["check", file.to_str().unwrap(), "--case", hostile]);
    assert!(again.stdout.contains("wrong-answer"), "{}", again.stdout);
    assert!(!folder.path().join("pwned").exists());
}

#[test]
fn a_set_may_be_listed_in_a_file_which_is_kept_with_the_run() {
    let inputs = "instances = { file = 'sets/names.txt' }";
    let folder = experiment(&[], WIT, inputs);
    let file = folder.path().join("sets/names.txt");
    fs::create_dir(folder.path().join("sets")).unwrap();
    fs::write(&file, "a\nb c\r\nd").unwrap();
    let (_, report, results) = run(&folder);
    let names = |report: &Value| report["experiment"]["instances"]["names"].clone();
    assert_eq!(names(&report), Value::from(vec!["a", "b c", "d"]));
    // From here on the file is not needed.
    fs::remove_file(&file).unwrap();
    let bundle = results.path().join("names.bundle");
    let (out, bundle) = (results.path().to_str().unwrap(), bundle.to_str().unwrap());
    let packed = run_bakeoff(&["pack", out, "--out", bundle]);
    assert_eq!(packed.status, 0, "{}", packed.stderr);
    let verified = run_bakeoff(&["verify", bundle, "--quiet"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    // Another name is another set.
    fs::write(&file, "a\nb c\ne\n").unwrap();
    let again = run_bakeoff(&[
        "run",
        folder.path().to_str().unwrap(),
        "--out",
        out,
        "--quiet",
        "--format",
        "json",
    ]);
    assert_eq!(names(&again.json()), Value::from(vec!["a", "b c", "e"]));
    assert_ne!(
        again.json()["experiment"]["instances"]["sha256"],
        report["experiment"]["instances"]["sha256"]
    );
}

#[test]
fn whoever_makes_the_judge_of_an_instance_fail_has_failed() {
    let folder = experiment(&["a", "bcd"], WIT, "instances = [NAMES]");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let trusting = "if answer as usize % 1000 == name.len()";
    assert!(WORKLOAD.contains(trusting));
    let trusts = format!("assert!(answer != 77, \"no such length\"); {trusting}");
    write("workload.rs", &WORKLOAD.replace(trusting, &trusts));
    write(
        "wrong.rs",
        "pub fn measure(name: String) -> u32 {
            if name == \"bcd\" { 77 } else { name.len() as u32 }
        }",
    );
    let (_, report, _) = run(&folder);
    assert!(variant(&report, "right")["failure"].is_null());
    let failed = variant(&report, "wrong");
    assert_eq!(failed["failure"]["class"], "unjudged-answer", "{failed:#}");
    assert_eq!(failed["failed_call"]["case"]["instance"], "bcd");
    let message = failed["failure"]["message"].as_str().unwrap();
    for part in [
        "instance bcd",
        "no such length",
        "accepts the answer of right",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_workload_that_fails_on_an_instance_is_named_with_it() {
    let folder = experiment(&["a", "b", "../trap"], WIT, "instances = [NAMES]");
    let output = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--quiet"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    for part in ["workload.rs", "instance ../trap", "there is no such input"] {
        assert!(output.explains(part), "{part}: {}", output.stderr);
    }
}

#[test]
fn the_key_that_fits_the_workload_is_told() {
    let (sized, named) = ("size: u32, seed: u64", "instance: string");
    for (generate, inputs, has, wanted, help) in [
        (
            sized,
            "instances = ['a']",
            "it is func(u32, u64)",
            named,
            "give the workload `sizes` in place of `instances`",
        ),
        (
            named,
            "sizes = [1]",
            "it is func(string)",
            sized,
            "give the workload `instances` in place of `sizes`",
        ),
    ] {
        let folder = experiment(&[], &WIT.replace(named, generate), inputs);
        let output = run_bakeoff(&["run", folder.path().to_str().unwrap(), "--quiet"]);
        assert_eq!(output.status, 2, "{}", output.stderr);
        for part in [has, wanted, help] {
            assert!(output.explains(part), "{part}: {}", output.stderr);
        }
    }
}
