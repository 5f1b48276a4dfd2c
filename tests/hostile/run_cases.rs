//! Running: what a guest does to time, memory, stack, answers, and its neighbours.

use super::batch::{Attackers, Batch, WIT, World, approach};
use super::components::{Answerer, built, crowded, growing_table, looping};
use crate::support::{variant, verdict};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static BATCH: LazyLock<Batch> = LazyLock::new(|| {
    let good = built(&approach("good"), WIT, "top-k");
    let attackers = Attackers {
        sources: &[
            "looping",
            "grows_to_the_limit",
            "grows_and_goes_on",
            "infinite_recursion",
            "huge_list_return",
            "list_that_is_not_there",
            "wrong_output",
            "nondeterministic_output",
            "claims_its_own_timing",
            "right_only_while_checked",
            "memoises_between_calls",
            "leaves_marks",
            "looks_for_marks",
            "panics_in_colour",
        ],
        components: vec![
            (
                "looping-start",
                Answerer {
                    start: Some(looping),
                    ..Answerer::default()
                }
                .component(),
            ),
            ("many-memories", crowded(&good, 20, 8, 1)),
            ("many-instances", crowded(&good, 600, 0, 0)),
            ("large-tables", crowded(&good, 10, 0, 1_000_000)),
            (
                "growing-table",
                Answerer {
                    call: Some(growing_table),
                    table: Some(1),
                    ..Answerer::default()
                }
                .component(),
            ),
            (
                "giant-table",
                Answerer {
                    table: Some(0xffff_ffff),
                    ..Answerer::default()
                }
                .component(),
            ),
        ],
        ..Attackers::default()
    };
    Batch::run(&attackers, |_| ())
});

pub(super) fn exact_readings() -> BTreeMap<String, Value> {
    BATCH.exact_readings()
}

const MEMORY: [&str; 1] = ["memory = 64 MiB"];

#[test]
fn case_32_loop() {
    BATCH.assert_failed(
        "looping",
        "fuel-limit",
        &["fuel = 400000000"],
        "used up its fuel",
    );
}

/// Fuel for years: only the wall is left. On a machine so busy that the loop hardly runs, nobody is
/// blamed, and the run ends by saying so; it ends either way.
#[test]
fn a_loop_with_fuel_for_years_is_ended_by_the_wall() {
    let world = World::new();
    world.write("experiment/wit/top-k.wit", WIT);
    let cases = "[[case]]\ncall = \"top-k([3, 1], 1)\"\nexpect = \"[3]\"\n";
    world.write("experiment/cases.toml", cases);
    world.write_approach("looping");
    let file = "name = \"x\"\nproblem = \"x\"\n[interface]\nwit = \"wit\"\ncall = \"top-k\"\n\
                [workload]\ncases = \"cases.toml\"\n\
                [limits]\nfuel = 1_000_000_000_000_000_000\nwall = \"500 ms\"\n\
                [[approach]]\nname = \"looping\"\nsource = \"approaches/looping.rs\"\n";
    world.write("experiment/bakeoff.toml", file);
    let results = world.text("results");
    let said = world.run(&["run", ".", "--format", "json", "--out", &results]);
    if said.status == 5 {
        let words: Vec<&str> = said
            .stderr
            .split_whitespace()
            .filter(|word| *word != "│")
            .collect();
        let text = words.join(" ");
        assert!(text.contains("the machine stalls"), "{text}");
        return;
    }
    let report = said.json();
    let failure = &variant(&report, "looping")["failure"];
    assert_eq!(failure["class"], "wall-limit", "{failure:#}");
    assert_eq!(failure["limit"], "wall = 500 ms", "{failure:#}");
}

#[test]
fn case_33_start_function_loop() {
    BATCH.assert_failed(
        "looping-start",
        "fuel-limit",
        &["fuel = 400000000"],
        "used up its fuel",
    );
}

#[test]
fn case_34_grow_to_limit() {
    BATCH.assert_failed("grows-to-the-limit", "memory-limit", &MEMORY, "more memory");
    // Being refused is no crime: what is right with what it gets is ranked, at what it took.
    let refused = BATCH.assert_ranked("grows-and-goes-on");
    let peak = refused["readings"]["peak-memory"]["value"]
        .as_f64()
        .unwrap();
    assert!(
        (f64::from(60 << 20)..=f64::from(64 << 20)).contains(&peak),
        "{peak}"
    );
}

#[test]
fn case_35_many_memories() {
    BATCH.assert_failed("many-memories", "memory-limit", &MEMORY, "more memory");
    BATCH.assert_failed(
        "many-instances",
        "host-limit",
        &["instances = 512"],
        "more instances",
    );
}

#[test]
fn case_36_table_bomb() {
    BATCH.assert_failed("growing-table", "memory-limit", &MEMORY, "more memory");
    BATCH.assert_failed("large-tables", "memory-limit", &MEMORY, "more memory");
    BATCH.assert_failed("giant-table", "memory-limit", &MEMORY, "more memory");
}

#[test]
fn case_37_infinite_recursion() {
    BATCH.assert_failed(
        "infinite-recursion",
        "stack-limit",
        &["stack = 512 KiB"],
        "call stack",
    );
}

#[test]
fn case_41_huge_list_return() {
    BATCH.assert_failed(
        "huge-list-return",
        "output-limit",
        &["output = 64 KiB"],
        "larger",
    );
    let lying = variant(&BATCH.report, "list-that-is-not-there");
    let class = lying["failure"]["class"].as_str().unwrap();
    assert!(["trap", "output-limit"].contains(&class), "{lying:#}");
}

#[test]
fn case_42_wrong_output() {
    BATCH.assert_failed("wrong-output", "wrong-answer", &[], "expected [");
}

#[test]
fn case_43_nondeterministic_output() {
    let says = "another answer to the same input";
    BATCH.assert_failed("nondeterministic-output", "nondeterministic", &[], says);
}

#[test]
fn case_44_claims_its_own_timing() {
    BATCH.assert_ranked("claims-its-own-timing");
    assert_eq!(
        verdict(&BATCH.report, "claims-its-own-timing", "good"),
        "beaten"
    );
}

#[test]
fn case_45_right_only_while_checked() {
    BATCH.assert_failed(
        "right-only-while-checked",
        "wrong-answer",
        &[],
        "expected [",
    );
}

#[test]
fn case_46_memoise_between_calls() {
    let against = verdict(&BATCH.report, "memoises-between-calls", "good");
    assert_eq!(against, "beaten");
    let against = verdict(&BATCH.report, "memoises-between-calls", "slow");
    assert_ne!(against, "beats");
}

#[test]
fn case_47_state_leak() {
    BATCH.assert_ranked("leaves-marks");
    BATCH.assert_ranked("looks-for-marks");
}

/// Part of case 51: a message that was made to steer whoever shows it.
#[test]
fn a_panic_cannot_steer_whoever_reads_of_it() {
    BATCH.assert_failed("panics-in-colour", "trap", &[], "panics_in_colour.rs:5");
    for (format, text) in &BATCH.shown {
        let active = |c: &char| bakeoff_render::escape::is_active(*c) && !"\n\r\t".contains(*c);
        assert_eq!(text.chars().find(active), None, "{format}");
    }
    let shown = |wanted: &str| {
        let found = BATCH.shown.iter().find(|(format, _)| format == wanted);
        &found.unwrap().1
    };
    assert!(shown("json").contains("alert(1)"));
    assert!(!shown("html").contains("<script>alert"));
    // In a block of code everything stands as it is, and does nothing.
    let text: String = shown("md").split("```").step_by(2).collect();
    assert!(!text.contains("<script>") && !text.contains("[won](http"));
}
