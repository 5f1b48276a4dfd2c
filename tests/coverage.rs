//! Coverage: the code that the checked inputs reach, which judges the inputs.

use crate::support::{run_bakeoff, variant};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const WIT: &str = "package coverage:test;
world prototype { export largest: func(values: list<u32>) -> u32; }
world workload { export generate: func(size: u32, seed: u64) -> list<u32>; }
";

const WORKLOAD: &str = "use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1_000) as u32).collect()
}
";

/// No input is empty or has a number above a thousand: lines 3, 8 and 9 are for nobody.
const GUARDED: &str = "pub fn largest(values: Vec<u32>) -> u32 {
    if values.is_empty() {
        return rare(values.len());
    }
    let mut most = 0_u32;
    for value in values {
        if value > 5_000 {
            let factor = most.wrapping_mul(31) ^ value;
            most = factor.rotate_left(value & 7);
        } else if value > most {
            most = value;
        }
    }
    most
}

#[inline(never)]
fn rare(len: usize) -> u32 {
    // Neither this function
    // nor what it says.
    std::hint::black_box(len as u32)
}
";

const PLAIN: &str = "pub fn largest(values: Vec<u32>) -> u32 {
    values.into_iter().max().unwrap_or(0)
}
";

fn experiment(approaches: &[(&str, &str)], more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("problem.wit"), WIT).unwrap();
    fs::write(at("workload.rs"), WORKLOAD).unwrap();
    let mut text = format!(
        "name = \"largest\"\nproblem = \"The largest number of a list.\"\n\
         interface = {{ wit = \"problem.wit\", call = \"largest\" }}\n\
         workload = {{ source = \"workload.rs\", sizes = [8, 300] }}\n{more}"
    );
    for (file, source) in approaches {
        fs::write(at(file), source).unwrap();
        let name = Path::new(file).file_stem().unwrap().to_str().unwrap();
        let kind = match file.ends_with(".wasm") {
            true => "component",
            false => "source",
        };
        text += &format!("[[approach]]\nname = \"{name}\"\n{kind} = \"{file}\"\n");
    }
    fs::write(at("bakeoff.toml"), text).unwrap();
    folder
}

fn covered(folder: &Path) -> Vec<Value> {
    let output = run_bakeoff(&["check", folder.to_str().unwrap(), "--format", "json"]);
    let said: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", output.stdout, output.stderr);
    });
    said["coverage"].as_array().unwrap().clone()
}

#[test]
fn lines_that_no_input_reaches_are_named() {
    let folder = experiment(&[("guarded.rs", GUARDED), ("plain.rs", PLAIN)], "");
    let covered = covered(folder.path());
    let (guarded, plain) = (&covered[0], &covered[1]);
    assert_eq!(guarded["approach"], "guarded");
    assert_eq!(guarded["unit"], "lines");
    let unreached: Vec<u64> = serde_json::from_value(guarded["unreached"].clone()).unwrap();
    for line in [3, 8, 9, 21] {
        assert!(unreached.contains(&line), "{line}: {guarded}");
    }
    for line in [2, 5, 6, 10, 11, 14] {
        assert!(!unreached.contains(&line), "{line}: {guarded}");
    }
    let (all, reached) = (guarded["all"].as_u64(), guarded["reached"].as_u64());
    assert_eq!(all, reached.map(|reached| reached + unreached.len() as u64));
    assert_eq!(plain["reached"], plain["all"], "{plain}");
    assert_eq!(plain["share"], 1.0);
    // In words, beside what is said of the oracle.
    let output = run_bakeoff(&["check", folder.path().to_str().unwrap()]);
    let said = output.stdout;
    assert!(said.contains("Code that the inputs reach"), "{said}");
    assert!(said.contains("not lines 3, 8–9, "), "{said}");
    assert!(said.contains("plain    all "), "{said}");
}

#[test]
fn a_component_has_pieces_of_code_and_no_lines() {
    let folder = experiment(&[("guarded.rs", GUARDED)], "");
    let at = |name: &str| folder.path().join(name);
    let built = run_bakeoff(&[
        "build",
        at("guarded.rs").to_str().unwrap(),
        "--wit",
        at("problem.wit").to_str().unwrap(),
        "--call",
        "largest",
        "--output",
        at("built.wasm").to_str().unwrap(),
    ]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let text = fs::read_to_string(at("bakeoff.toml")).unwrap();
    let brought = "[[approach]]\nname = \"built\"\ncomponent = \"built.wasm\"\n";
    fs::write(at("bakeoff.toml"), text + brought).unwrap();
    let covered = covered(folder.path());
    let built = &covered[1];
    assert_eq!(
        (&built["approach"], &built["unit"]),
        (&"built".into(), &"blocks".into())
    );
    let (all, reached) = (
        built["all"].as_u64().unwrap(),
        built["reached"].as_u64().unwrap(),
    );
    assert!(0 < reached && reached < all, "{built}");
    assert_eq!(built["unreached"], serde_json::json!([]));
}

#[test]
fn a_run_has_the_share_as_a_reading_that_can_be_verified() {
    let criteria = "[measure]\nbudget = \"1 s\"\n[[criterion]]\nname = \"time\"\nfrom = \"time\"\n\
                    [[criterion]]\nname = \"inputs\"\nweight = 0\nfrom = \"coverage\"\n";
    let folder = experiment(&[("guarded.rs", GUARDED), ("plain.rs", PLAIN)], "");
    let at = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(at("bakeoff.toml")).unwrap();
    fs::write(at("bakeoff.toml"), text + criteria).unwrap();
    let out = at("out");
    let out = out.to_str().unwrap();
    let file = folder.path().to_str().unwrap();
    let report = run_bakeoff(&["run", file, "--out", out, "--format", "json"]).json();
    let reading = |report: &Value, id: &str| variant(report, id)["readings"]["coverage"].clone();
    let guarded = reading(&report, "guarded");
    assert_eq!(guarded["unit"], "%");
    let value = guarded["value"].as_f64().unwrap();
    assert!(0.0 < value && value < 100.0, "{guarded}");
    let note = guarded["note"].as_str().unwrap();
    assert!(note.contains("not lines 3, 8–9"), "{note}");
    assert_eq!(reading(&report, "plain")["value"], 100.0);
    // It weighs nothing, is kept, and comes out the same again.
    let again = run_bakeoff(&["run", file, "--out", out, "--format", "json"]).json();
    assert_eq!(reading(&again, "guarded"), guarded);
    let verified = run_bakeoff(&["verify", out, "--format", "json"]).json();
    let figures = verified["figures"].as_array().unwrap();
    let coverage = figures
        .iter()
        .find(|one| one["about"] == "guarded" && one["figure"] == "coverage");
    assert_eq!(coverage.unwrap()["status"], "reproduced", "{verified:#}");
}

/// A component may call its own exports as the marks are called: it is then not known what is reached, and nothing else.
#[test]
fn case_243_a_component_that_exports_marks_of_its_own() {
    let folder = experiment(&[("plain.rs", PLAIN)], "");
    let text = "(component
        (core module $m
          (memory (export \"memory\") 1)
          (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32) i32.const 1024)
          (func (export \"f\") (param i32 i32) (result i32) i32.const 7)
          (func (export \"g\") (result i32) i32.const 0))
        (core instance $i (instantiate $m))
        (alias core export $i \"f\" (core func $f))
        (alias core export $i \"g\" (core func $g))
        (alias core export $i \"memory\" (core memory $memory))
        (alias core export $i \"cabi_realloc\" (core func $realloc))
        (func $lifted (param \"values\" (list u32)) (result u32)
          (canon lift (core func $f) (memory $memory) (realloc $realloc)))
        (func $marks (result (list u8)) (canon lift (core func $g) (memory $memory)))
        (export \"largest\" (func $lifted))
        (export \"bakeoff-coverage-m0\" (func $marks)))";
    let at = |name: &str| folder.path().join(name);
    fs::write(at("own.wasm"), wat::parse_str(text).unwrap()).unwrap();
    let file = fs::read_to_string(at("bakeoff.toml")).unwrap();
    let brought = "[[approach]]\nname = \"own\"\ncomponent = \"own.wasm\"\n";
    fs::write(at("bakeoff.toml"), file + brought).unwrap();
    let covered = covered(folder.path());
    assert_eq!(covered[0]["share"], 1.0);
    assert!(
        covered[1]["failure"].is_object() && covered[1]["all"].is_null(),
        "{}",
        covered[1]
    );
}

/// What a call reached that failed is not known, so nothing is said of its lines.
#[test]
fn an_approach_that_fails_in_a_call_has_no_lines() {
    let panics = PLAIN.replace(
        "    values",
        "    if values.len() > 50 {\n        panic!(\"too many\");\n    }\n    values",
    );
    let folder = experiment(&[("panics.rs", &panics), ("plain.rs", PLAIN)], "");
    let covered = covered(folder.path());
    let why = covered[0]["failure"]["message"].as_str().unwrap();
    assert!(why.contains("what it reached is not known"), "{why}");
    assert!(covered[0]["all"].is_null(), "{}", covered[0]);
    assert_eq!(covered[1]["share"], 1.0);
}
