//! Evaluators that are refused before anything is measured, each with the difference.

use super::{EVALUATOR, MINE, criterion, experiment, refusal, replaced, run};
use crate::support::{root, run_bakeoff, variant};
use std::fs;

/// A component that was built against `bakeoff:evaluator@0.1.0`, and is kept as it is: what loads today has
/// to load later.
fn fixture() -> Vec<u8> {
    fs::read(root().join("tests/fixtures/evaluator-0.1.0/evaluator.wasm")).unwrap()
}

const BROUGHT: &str = "[[evaluator]]
name = \"mine\"
component = \"evaluator.wasm\"
";

/// The fixture with some bytes in the place of others of the same length, everywhere.
fn changed(from: &str, to: &str) -> Vec<u8> {
    replaced(fixture(), from, to)
}

#[test]
fn a_component_that_was_built_against_0_1_0_gives_readings() {
    let sections = BROUGHT.to_owned() + &criterion("size", "evaluator:bytes", "");
    let folder = experiment(&sections, &[("evaluator.wasm", &fixture())]);
    let (_, report, _results) = run(&folder);
    let one = variant(&report, "exact");
    let bytes = &one["readings"]["component-size"]["value"];
    assert_eq!(one["readings"]["evaluator:mine.bytes"]["value"], *bytes);
    assert_eq!(one["status"], "ranked");
}

#[test]
fn case_96_components_of_another_version_world_or_type_are_refused_with_the_difference() {
    let sections = BROUGHT.to_owned() + &criterion("size", "evaluator:bytes", "");
    for (bytes, why) in [
        (
            changed("@0.1.0", "@0.7.0"),
            "types@0.1.0`: build it against that",
        ),
        (changed("per-answer", "per-answes"), "per-answes: bool"),
        (
            changed("component-size", "component-sizf"),
            "component-sizf",
        ),
        (b"\0asm\x01\0\0\0".to_vec(), "core WebAssembly module"),
    ] {
        let folder = experiment(&sections, &[("evaluator.wasm", &bytes)]);
        let output = refusal(&folder);
        assert!(output.explains(why), "{why}: {}", output.stderr);
        assert!(
            output.explains("the evaluator `mine` cannot be used"),
            "{}",
            output.stderr
        );
    }
    // A component of another world.
    let folder = experiment(&sections, &[("other.rs", super::EXACT.as_bytes())]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let built = run_bakeoff(&[
        "build",
        &at("other.rs"),
        "--wit",
        &at("total.wit"),
        "--call",
        "total",
        "-o",
        &at("evaluator.wasm"),
    ]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let output = refusal(&folder);
    assert!(output.explains("does not export `bakeoff:evaluator/evaluate@0.1.0.describe"));
}

#[test]
fn criteria_that_contradict_their_evaluator_are_refused_where_they_stand() {
    let second = MINE.replace("mine", "other");
    for (more, why) in [
        (
            criterion("c", "evaluator:loop", ""),
            "did you mean \"evaluator:loops\"?",
        ),
        (
            criterion("c", "evaluator:loops", "direction = \"higher-is-better\""),
            "the evaluator says `direction = \"lower-is-better\"`",
        ),
        (
            criterion("c", "evaluator:loops", "range = [0, 11]"),
            "its readings are from 0 to 10",
        ),
        (
            second + &criterion("c", "evaluator:loops", ""),
            "write `evaluator:mine.loops` or `evaluator:other.loops`",
        ),
        (
            criterion("c", "evaluator:yours.loops", ""),
            "no evaluator is called `yours`",
        ),
    ] {
        let sections = MINE.to_owned() + &more;
        let folder = experiment(&sections, &[("evaluator.rs", EVALUATOR.as_bytes())]);
        let output = refusal(&folder);
        assert!(output.explains(why), "{why}: {}", output.stderr);
    }
    let folder = experiment(&criterion("c", "evaluator:loops", ""), &[]);
    assert!(refusal(&folder).explains("the file declares none"));
}

#[test]
fn an_evaluator_that_does_not_compile_or_describes_what_cannot_be_is_refused() {
    let broken = EVALUATOR.replace("lower_is_better(\"loops\"", "lower_is_better(\"Lo ops\"");
    for (text, why) in [
        (EVALUATOR.replace("fn describe", "fn described"), "describe"),
        (broken, "a name has 1 to 64 of a-z"),
        (
            EVALUATOR.replace("vec![\n", "panic!(\"at once\"); vec![\n"),
            "at once",
        ),
    ] {
        let sections = MINE.to_owned() + &criterion("c", "evaluator:loops", "");
        let folder = experiment(&sections, &[("evaluator.rs", text.as_bytes())]);
        let output = refusal(&folder);
        assert!(output.explains(why), "{why}: {}", output.stderr);
    }
}

#[test]
fn a_component_among_sources_is_told_that_it_has_no_source() {
    let sections = MINE.to_owned()
        + &criterion("simplicity", "evaluator:loops", "")
        + "[[approach]]\nname = \"brought\"\ncomponent = \"exact.wasm\"\n";
    let folder = experiment(&sections, &[("evaluator.rs", EVALUATOR.as_bytes())]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (source, wit, out) = (at("exact.rs"), at("total.wit"), at("exact.wasm"));
    let built = run_bakeoff(&[
        "build", &source, "--wit", &wit, "--call", "total", "-o", &out,
    ]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let (output, report, _results) = run(&folder);
    assert!(
        output.explains("brought: a component has no source"),
        "{}",
        output.stderr
    );
    let brought = variant(&report, "brought");
    assert_eq!(brought["status"], "unranked");
    let reason = brought["reason"].as_str().unwrap();
    assert!(
        reason.contains("it reads the source, and a component has none"),
        "{reason}"
    );
    assert!(!brought["readings"]["evaluator:mine.size"].is_null());
    assert_eq!(variant(&report, "exact")["status"], "ranked");
}
