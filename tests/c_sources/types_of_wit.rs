//! Sources in C alone, compared on inputs that are drawn by the types of a WIT.

use super::{SUM, SUM_WIT, has, unwrapped};
use crate::support::run_bakeoff;
use bakeoff_domain::language::Language;
use std::fs;
use tempfile::TempDir;

/// A folder with files.
struct Sources(TempDir);

impl Sources {
    fn new() -> Self {
        let sources = Self(TempDir::new().unwrap());
        sources.write("p.wit", SUM_WIT);
        sources
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.at(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

/// The sum, but for one number that stands in the source.
fn but(number: &str) -> String {
    let instead = format!("sum += values->ptr[i] == {number} ? 0 : values->ptr[i]");
    SUM.replace("sum += values->ptr[i]", &instead)
}

#[test]
fn inputs_are_drawn_by_the_types_and_by_the_numbers_of_the_sources() {
    if !has(Language::C) {
        return;
    }
    let sources = Sources::new();
    let (wit, a) = (sources.at("p.wit"), sources.write("a.c", SUM));
    let b = sources.write("b.c", &but("86413L"));
    let options = ["--wit", &wit, "--call", "sum"];
    let output = run_bakeoff(&[&["compare", &a, &b], &options[..]].concat());
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let said = unwrapped(&output.stdout);
    assert!(said.contains("sum([86413])"), "{said}");
    assert!(said.contains("There is no test in Rust of it"), "{said}");
    // What is kept of the difference shows it again.
    let case = sources.at("case.toml");
    let kept = [&["compare", &a, &b, "--save-case", &case], &options[..]].concat();
    assert_eq!(run_bakeoff(&kept).status, 1);
    let again = [&["compare", &a, &b, "--cases", &case], &options[..]].concat();
    let output = run_bakeoff(&again);
    assert!(
        unwrapped(&output.stdout).contains("disagree"),
        "{}",
        output.stdout
    );
    // The same in other words is timed, and the command that shows more names the WIT.
    let c = sources.write("c.c", &SUM.replace("i++", "i += 1"));
    let timed = [
        &["compare", &a, &c, "--budget", "1s", "--format", "json"],
        &options[..],
    ]
    .concat();
    let output = run_bakeoff(&timed);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let named = serde_json::json!(["--wit", wit, "--call", "sum"]);
    assert_eq!(report["experiment"]["options"], named);
}

#[test]
fn a_source_in_c_before_two_in_rust_does_not_change_which_ones_a_test_names() {
    if !has(Language::C) {
        return;
    }
    let sources = Sources::new();
    let c = sources.write("a.c", SUM);
    let rust = |name: &str, less: &str| {
        let text = format!(
            "pub fn sum(values: &[i64]) -> i64 {{ values.iter().fold(0_i64, |sum, value| sum.wrapping_add(*value)){less} }}"
        );
        sources.write(name, &text)
    };
    let (right, wrong) = (rust("right.rs", ""), rust("wrong.rs", " - 1"));
    let said = |files: [&str; 3]| {
        let output = run_bakeoff(&[&["compare"], &files[..]].concat());
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
        output.stdout
    };
    let shown = said([&c, &right, &wrong]);
    assert!(!shown.contains("#[path"), "{shown}");
    let shown = said([&right, &c, &wrong]);
    assert!(
        shown.contains("right.rs\"]") && shown.contains("wrong.rs\"]"),
        "{shown}"
    );
}

#[test]
fn an_experiment_of_sources_in_c_has_the_types_of_the_wit() {
    if !has(Language::C) {
        return;
    }
    let sources = Sources::new();
    let (wit, a) = (sources.at("p.wit"), sources.write("a.c", SUM));
    let b = sources.write("b.c", &SUM.replace("i++", "i += 1"));
    let made = sources.at("made");
    let options = ["--wit", &wit, "--call", "sum"];
    let output = run_bakeoff(&[&["init", &made, "--from", &a, &b], &options[..]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let output = run_bakeoff(&["run", &made, "--budget", "1s", "--format", "json"]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
}

#[test]
fn types_of_which_nothing_can_be_drawn_take_inputs_of_ones_own() {
    let sources = Sources::new();
    let a = sources.write("a.c", SUM);
    let wit = sources.write(
        "paint.wit",
        "package a:b; world prototype { record colour { red: u8 } export paint: func(shade: colour) -> u8; }",
    );
    for (call, reason) in [
        (
            "paint",
            "shade is the record colour; inputs come from --workload FILE with --size N, or from --cases FILE",
        ),
        ("pain", "paint"),
    ] {
        let output = run_bakeoff(&["compare", &a, &a, "--wit", &wit, "--call", call]);
        assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
        assert!(
            unwrapped(&output.stderr).contains(reason),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn an_experiment_whose_inputs_are_given_needs_none_that_are_drawn() {
    let sources = Sources::new();
    let rust = |name: &str, red: &str| {
        let text = format!("pub fn paint(shade: crate::types::Colour) -> u8 {{ {red} }}");
        sources.write(name, &text)
    };
    let a = rust("a.rs", "shade.red");
    let b = rust(
        "b.rs",
        "let mut red = 0; while red < shade.red { red += 1; } red",
    );
    let wit = sources.write(
        "paint.wit",
        "package a:b; interface c { record colour { red: u8 } }
         world prototype { use c.{colour}; export paint: func(shade: colour) -> u8; }",
    );
    let cases = sources.write("own.toml", "[[case]]\ncall = \"paint({red: 7})\"\n");
    let text = "pub fn generate(_: u32, seed: u64) -> crate::types::Colour { crate::types::Colour { red: seed as u8 } }";
    let workload = sources.write("own.rs", text);
    let made = |name: &str, more: &[&str]| {
        let made = sources.at(name);
        let options = ["--wit", &wit, "--call", "paint"];
        let output =
            run_bakeoff(&[&["init", &made, "--from", &a, &b], &options[..], more].concat());
        (made, output)
    };
    let (folder, output) = made("of-cases", &["--cases", &cases]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(
        fs::read_to_string(format!("{folder}/wit/paint.wit")).unwrap(),
        fs::read_to_string(&wit).unwrap()
    );
    let output = run_bakeoff(&["run", &folder, "--budget", "1s", "--format", "json"]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);

    let sized = ["--workload", &workload, "--size", "8"];
    let (_, output) = made("without-world", &sized);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let said = unwrapped(&output.stderr);
    assert!(said.contains("has no world `workload`"), "{said}");
    let world =
        "world workload { use c.{colour}; export generate: func(size: u32, seed: u64) -> colour; }";
    let text = fs::read_to_string(&wit).unwrap();
    fs::write(&wit, format!("{text}\n{world}")).unwrap();
    let (folder, output) = made("of-workload", &sized);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let output = run_bakeoff(&["run", &folder, "--budget", "1s", "--format", "json"]);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);

    let (_, output) = made("of-nothing", &[]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let said = unwrapped(&output.stderr);
    assert!(said.contains("no inputs can be drawn for paint"), "{said}");
}

#[test]
fn files_in_rust_take_the_types_of_a_wit_as_well() {
    let sources = Sources::new();
    let rust = |name: &str, sum: &str| {
        let text = format!("pub fn sum(values: Vec<i64>) -> i64 {{ {sum} }}");
        sources.write(name, &text)
    };
    let a = rust("a.rs", "values.into_iter().fold(0, i64::wrapping_add)");
    let b = rust(
        "b.rs",
        "values.iter().rev().fold(0_i64, |sum, value| sum.wrapping_add(*value) & !1)",
    );
    let output = run_bakeoff(&[
        "compare",
        &a,
        &b,
        "--wit",
        &sources.at("p.wit"),
        "--call",
        "sum",
    ]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(
        unwrapped(&output.stdout).contains("sum(["),
        "{}",
        output.stdout
    );
}
