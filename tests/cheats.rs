//! Prototypes that try to look faster than they are, each beside an honest one that does the same
//! work at the place where it belongs. None of them may win.

pub(crate) mod encoded;

use crate::support::{run_experiment, variant};
use encoded::{Besides, Work};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What a cheat is made of.
enum Cheat {
    /// A file of `tests/cheats`.
    Source(&'static str),
    /// A component.
    Encoded(Work, Besides),
}

const HONEST: &str = "honest.rs";

/// Measures a cheat beside somebody honest.
fn run(cheat: &Cheat) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let sources = crate::support::root().join("tests/cheats");
    let copy = |name: &str| {
        fs::copy(sources.join(name), folder.path().join(name)).unwrap();
    };
    copy("mix.wit");
    copy("workload.rs");
    let (honest, cheat) = match cheat {
        Cheat::Source(name) => {
            copy(HONEST);
            copy(name);
            (
                format!("source = \"{HONEST}\""),
                format!("source = \"{name}\""),
            )
        }
        Cheat::Encoded(work, besides) => {
            let write = |name: &str, bytes: Vec<u8>| {
                fs::write(folder.path().join(name), bytes).unwrap();
                format!("component = \"{name}\"")
            };
            (
                write(
                    "honest.wasm",
                    encoded::component(Work::Call, Besides::Nothing),
                ),
                write("cheat.wasm", encoded::component(*work, *besides)),
            )
        }
    };
    experiment(folder.path(), &honest, &cheat);
    let out = folder.path().to_str().unwrap();
    run_experiment(out, &["--budget", "15s"]).1
}

fn experiment(folder: &Path, honest: &str, cheat: &str) {
    let text = format!(
        "name = \"cheats\"
problem = \"Add up what stands for the numbers.\"
[interface]
wit = \"mix.wit\"
call = \"mixed\"
[workload]
source = \"workload.rs\"
sizes = [20_000, 40_000]
[measure]
confidence = 0.999
[[approach]]
name = \"honest\"
{honest}
[[approach]]
name = \"cheat\"
{cheat}
[[criterion]]
name = \"performance\"
from = \"time\"
[[criterion]]
name = \"memory\"
from = \"peak-memory\"
"
    );
    fs::write(folder.join("bakeoff.toml"), text).unwrap();
}

/// The rows of a report in which the cheat is called faster, by whichever clock, over all cases or
/// on one.
fn won(report: &Value) -> Vec<&Value> {
    let rows = |key: &str| report[key].as_array().map_or(&[][..], Vec::as_slice);
    let wins = |row: &&Value| {
        let (own, verdict) = (row["a"] == "cheat", row["verdict"].as_str().unwrap());
        (own && verdict == "beats") || (!own && verdict == "beaten")
    };
    rows("verdicts")
        .iter()
        .chain(rows("wall_verdicts"))
        .filter(wins)
        .collect()
}

/// The report, in which the cheat does not win anything by time.
fn never_wins(cheat: &Cheat) -> Value {
    let report = run(cheat);
    assert!(
        variant(&report, "honest")["failure"].is_null(),
        "{report:#}"
    );
    let notes = report["notes"].to_string();
    assert!(!notes.contains("too short"), "nothing was timed: {notes}");
    let won = won(&report);
    assert!(
        won.is_empty(),
        "the cheat is called faster: {won:#?}\n{:#}",
        report["variants"]
    );
    report
}

/// … because it was seen that it keeps something, and so every call of it has a fresh instance.
fn is_timed_fresh(cheat: &Cheat) {
    let report = never_wins(cheat);
    assert_eq!(variant(&report, "cheat")["pure"], false, "{report:#}");
    assert!(
        report["notes"].to_string().contains("fresh instance"),
        "{}",
        report["notes"]
    );
}

#[test]
fn being_right_only_while_checked_is_wrong() {
    let report = never_wins(&Cheat::Source("right_while_checked.rs"));
    assert_eq!(
        variant(&report, "cheat")["failure"]["class"],
        "wrong-answer"
    );
}

#[test]
fn answers_that_were_given_before_are_of_no_use() {
    never_wins(&Cheat::Source("memoises.rs"));
}

#[test]
fn a_table_in_a_static_is_made_anew() {
    is_timed_fresh(&Cheat::Source("table_in_static.rs"));
}

#[test]
fn a_table_that_appears_after_many_calls_is_seen() {
    is_timed_fresh(&Cheat::Source("table_after_many_calls.rs"));
}

#[test]
fn the_sizes_of_a_replica_are_those_of_its_rehearsal() {
    is_timed_fresh(&Cheat::Source("sniffs_sizes.rs"));
}

#[test]
fn the_profiles_look_alike_to_a_guest() {
    is_timed_fresh(&Cheat::Source("sniffs_nans.rs"));
}

#[test]
fn work_in_the_allocator_counts() {
    never_wins(&Cheat::Source("works_in_allocator.rs"));
    never_wins(&Cheat::Encoded(Work::Realloc, Besides::Nothing));
}

#[test]
fn work_in_post_return_counts() {
    never_wins(&Cheat::Encoded(Work::PostReturn, Besides::Nothing));
}

#[test]
fn work_in_the_start_function_counts() {
    is_timed_fresh(&Cheat::Encoded(Work::Start, Besides::Nothing));
}

#[test]
fn a_polluted_cache_costs_the_polluter() {
    never_wins(&Cheat::Encoded(Work::Call, Besides::Pollutes));
}

#[test]
fn nobody_waits_for_a_rival_to_run() {
    never_wins(&Cheat::Encoded(Work::Call, Besides::ReadsClock));
}

#[test]
fn the_same_code_does_not_win_under_another_digest() {
    let report = never_wins(&Cheat::Encoded(Work::Call, Besides::CarriesNote));
    let measured = report["protocol"]["replicas"].as_u64().unwrap();
    assert!(measured > 0, "the two were taken for one");
}

/// Memory at its largest, as the report says it, and the largest of single calls.
fn memory(report: &Value, id: &str) -> (f64, f64) {
    let reading = &variant(report, id)["readings"]["peak-memory"];
    let by_case = reading["by_case"].as_array().unwrap();
    let largest = by_case.iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    (reading["value"].as_f64().unwrap(), largest)
}

#[test]
fn memory_that_is_never_freed_is_shown() {
    let report = run(&Cheat::Source("never_frees.rs"));
    let (peak, one_call) = memory(&report, "cheat");
    assert!(
        peak > 20.0 * one_call,
        "{peak} bytes, {one_call} for one call"
    );
    let (honest, one_call) = memory(&report, "honest");
    assert!(
        honest < 4.0 * one_call,
        "{honest} bytes, {one_call} for one call"
    );
}

#[test]
fn memory_for_time_is_a_trade_that_is_shown() {
    let report = run(&Cheat::Source("takes_much_memory.rs"));
    assert!(memory(&report, "cheat").0 >= f64::from(64 << 20));
    let front = report["pareto"].as_array().unwrap();
    assert!(front.contains(&"honest".into()), "{front:?}");
}
