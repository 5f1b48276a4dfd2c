//! Prototypes that try to look faster than they are, each beside an honest one that does the same
//! work at the place where it belongs. None of them may win.

pub(crate) mod encoded;

mod experiment;
mod heavy_tail;
mod known_inputs;
mod recoded;
mod short_calls;
mod too_quick;
mod undone_seeds;

use crate::support::variant;
use encoded::{Besides, Mark, Work};
use experiment::{Prototype, assert_wins, wins};
use serde_json::Value;
use std::sync::LazyLock;

fn source(name: &'static str) -> Prototype {
    experiment::source_in(".", name)
}

fn encoded(name: &'static str, work: Work, besides: Besides) -> Prototype {
    experiment::component(name, encoded::component(work, besides))
}

/// The cheats that are compiled from source.
const SOURCES: [&str; 11] = [
    "right-while-checked",
    "memoises",
    "table-in-static",
    "table-after-many-calls",
    "sniffs-sizes",
    "sniffs-nans",
    "works-in-allocator",
    "never-frees",
    "takes-much-memory",
    "fills-to-hide-state",
    "fills-to-end-rehearsal",
];

/// The cheats that no compiler would make: where they work, and what they do besides.
const COMPONENTS: [(&str, Work, Besides); 10] = [
    ("works-in-realloc", Work::Realloc, Besides::Nothing),
    ("works-in-post-return", Work::PostReturn, Besides::Nothing),
    ("works-in-start", Work::Start, Besides::Nothing),
    ("pollutes", Work::Call, Besides::Pollutes),
    ("reads-clock", Work::Call, Besides::ReadsClock),
    ("marks-global", Work::Once(Mark::Global), Besides::Nothing),
    ("marks-table", Work::Once(Mark::Table), Besides::Nothing),
    (
        "marks-unused-memory",
        Work::Once(Mark::UnusedMemory),
        Besides::Nothing,
    ),
    (
        "marks-by-growing",
        Work::Once(Mark::GrownMemory),
        Besides::Nothing,
    ),
    (
        "marks-by-dropping",
        Work::Once(Mark::DroppedSegments),
        Besides::Nothing,
    ),
];

/// All cheats from source, beside an honest prototype from source.
static FROM_SOURCE: LazyLock<Value> = LazyLock::new(|| {
    let prototypes = std::iter::once("honest").chain(SOURCES).map(source);
    run(&prototypes.collect::<Vec<_>>())
});

/// All cheats that are components, beside an honest component.
static FROM_COMPONENT: LazyLock<Value> = LazyLock::new(|| {
    let mut prototypes = vec![honest_component()];
    prototypes.extend(COMPONENTS.map(|(name, work, besides)| encoded(name, work, besides)));
    run(&prototypes)
});

fn honest_component() -> Prototype {
    encoded("honest", Work::Call, Besides::Nothing)
}

/// The report of an experiment with these prototypes.
fn run(prototypes: &[Prototype]) -> Value {
    let files = [
        ("mix.wit", include_str!("cheats/mix.wit")),
        ("workload.rs", include_str!("cheats/workload.rs")),
    ];
    experiment::run(EXPERIMENT, &files, prototypes, &["--budget", "120s"]).1
}

/// The same, where instances are kept.
fn run_kept(prototypes: &[Prototype]) -> Value {
    let files = [
        ("mix.wit", include_str!("cheats/mix.wit")),
        ("workload.rs", include_str!("cheats/workload.rs")),
    ];
    let kept = EXPERIMENT.replace("[measure]", "[measure]\nstate = \"kept\"");
    experiment::run(&kept, &files, prototypes, &["--budget", "30s"]).1
}

const EXPERIMENT: &str = "name = \"cheats\"
problem = \"Add up what stands for the numbers.\"
[interface]
wit = \"mix.wit\"
call = \"mixed\"
[workload]
source = \"workload.rs\"
sizes = [20_000, 40_000]
[measure]
confidence = 0.999
[[criterion]]
name = \"performance\"
from = \"time\"
[[criterion]]
name = \"memory\"
from = \"peak-memory\"
";

/// Checks that the cheat does not win anything by time.
#[track_caller]
fn assert_never_wins(report: &Value, cheat: &str) {
    assert!(variant(report, "honest")["failure"].is_null(), "{report:#}");
    let short = &report["too_short"];
    assert!(short.is_null(), "nothing was timed: {short}");
    let won = wins(report, cheat, "honest");
    assert!(
        won.is_empty(),
        "{cheat} is called faster: {won:#?}\n{:#}",
        report["variants"]
    );
}

/// … and that a note says what it would gain on an instance that was called before.
#[track_caller]
fn assert_noted(report: &Value, cheat: &str) {
    assert_never_wins(report, cheat);
    assert_eq!(variant(report, cheat)["pure"], false, "{report:#}");
    let notes = report["notes"].as_array().unwrap();
    let says = |note: &&Value| {
        let text = note.as_str().unwrap_or_default();
        text.contains(cheat) && text.contains("state = \"kept\"")
    };
    assert!(notes.iter().any(|note| says(&note)), "{notes:#?}");
}

#[test]
fn being_right_only_while_checked_is_wrong() {
    let cheat = "right-while-checked";
    assert_never_wins(&FROM_SOURCE, cheat);
    let failure = &variant(&FROM_SOURCE, cheat)["failure"];
    assert_eq!(failure["class"], "wrong-answer");
}

#[test]
fn answers_that_were_given_before_are_of_no_use() {
    assert_never_wins(&FROM_SOURCE, "memoises");
}

#[test]
fn a_table_in_a_static_is_made_anew() {
    assert_noted(&FROM_SOURCE, "table-in-static");
}

#[test]
fn a_table_that_appears_after_many_calls_is_gone_before_the_next() {
    assert_never_wins(&FROM_SOURCE, "table-after-many-calls");
}

#[test]
fn the_sizes_of_a_replica_tell_a_guest_nothing() {
    assert_never_wins(&FROM_SOURCE, "sniffs-sizes");
}

#[test]
fn the_profiles_look_alike_to_a_guest() {
    assert_never_wins(&FROM_SOURCE, "sniffs-nans");
}

#[test]
fn work_in_the_allocator_counts() {
    assert_never_wins(&FROM_SOURCE, "works-in-allocator");
    assert_never_wins(&FROM_COMPONENT, "works-in-realloc");
}

/// By fuel, which counts every byte that is filled, what these save is little, or seen by nobody.
#[test]
fn case_64_fill_to_hide_state() {
    for cheat in ["fills-to-hide-state", "fills-to-end-rehearsal"] {
        assert_never_wins(&FROM_SOURCE, cheat);
    }
}

/// Whatever an instance has that is not its code is as it was when the next call begins. Each of these
/// makes a larger table than the honest one, once, and takes a mark somewhere for a sign that it is
/// there.
#[test]
fn case_65_globals_and_tables_as_memory() {
    let marking = COMPONENTS
        .iter()
        .filter(|(_, work, _)| matches!(work, Work::Once(_)));
    for (cheat, ..) in marking {
        assert_never_wins(&FROM_COMPONENT, cheat);
    }
}

#[test]
fn work_in_post_return_counts() {
    assert_never_wins(&FROM_COMPONENT, "works-in-post-return");
}

#[test]
fn work_in_the_start_function_counts() {
    assert_never_wins(&FROM_COMPONENT, "works-in-start");
}

/// A harness that finds nobody faster would pass all of the above.
#[test]
fn who_does_less_work_wins() {
    let report = run(&[source("honest"), source("direct")]);
    assert!(!wins(&report, "direct", "honest").is_empty(), "{report:#}");
    let does_more = encoded("honest", Work::Call, Besides::DoesMore);
    let enough = encoded("enough", Work::Call, Besides::Nothing);
    let report = run(&[does_more, enough]);
    assert!(!wins(&report, "enough", "honest").is_empty(), "{report:#}");
}

/// Those that are measured at all do more than the honest one, and a harness without power would not see
/// it. What is never freed costs too little to be seen every time. All of them share a budget, and so does the machine
/// with other tests: a pair that is open then is raced once more, alone.
#[test]
fn the_honest_one_beats_every_cheat() {
    let unseen = ["right-while-checked", "never-frees", "reads-clock"];
    let is_open = |report, cheat: &str| {
        if unseen.contains(&cheat) {
            return false;
        }
        assert!(wins(report, cheat, "honest").is_empty(), "{cheat} wins");
        let won = wins(report, "honest", cheat);
        !won.iter().any(|row| row["case"].is_null())
    };
    for cheat in SOURCES {
        if is_open(&FROM_SOURCE, cheat) {
            assert_wins(&run(&[source("honest"), source(cheat)]), "honest", cheat);
        }
    }
    for (cheat, work, besides) in COMPONENTS {
        if is_open(&FROM_COMPONENT, cheat) {
            let alone = run(&[honest_component(), encoded(cheat, work, besides)]);
            assert_wins(&alone, "honest", cheat);
        }
    }
}

#[test]
fn a_polluted_cache_costs_the_polluter() {
    assert_never_wins(&FROM_COMPONENT, "pollutes");
}

#[test]
fn nobody_waits_for_a_rival_to_run() {
    assert_never_wins(&FROM_COMPONENT, "reads-clock");
}

#[test]
fn the_same_code_does_not_win_under_another_digest() {
    let cheat = encoded("carries-note", Work::Call, Besides::CarriesNote);
    let report = run(&[honest_component(), cheat]);
    assert_never_wins(&report, "carries-note");
    let measured = report["protocol"]["replicas"].as_u64().unwrap();
    assert!(measured > 0, "the two were taken for one");
}

/// Every cheat alone beside somebody honest, so that all of the budget is theirs.
#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn each_cheat_alone_never_wins() {
    for cheat in SOURCES {
        assert_never_wins(&run(&[source("honest"), source(cheat)]), cheat);
    }
    for (name, work, besides) in COMPONENTS {
        let cheat = encoded(name, work, besides);
        assert_never_wins(&run(&[honest_component(), cheat]), name);
    }
}

/// What would win nothing under any rules shows nothing about these.
#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn whoever_keeps_a_table_would_win_if_instances_were_kept() {
    for cheat in [
        "table-in-static",
        "fills-to-hide-state",
        "fills-to-end-rehearsal",
    ] {
        let report = run_kept(&[source("honest"), source(cheat)]);
        assert_wins(&report, cheat, "honest");
    }
    let marking = COMPONENTS
        .iter()
        .filter(|(_, work, _)| matches!(work, Work::Once(_)));
    for &(name, work, besides) in marking {
        let report = run_kept(&[
            encoded("honest", Work::Call, Besides::Nothing),
            encoded(name, work, besides),
        ]);
        assert_wins(&report, name, "honest");
    }
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
    let (peak, one_call) = memory(&FROM_SOURCE, "never-frees");
    assert!(
        peak > 20.0 * one_call,
        "{peak} bytes, {one_call} for one call"
    );
    let (honest, one_call) = memory(&FROM_SOURCE, "honest");
    assert!(
        honest < 4.0 * one_call,
        "{honest} bytes, {one_call} for one call"
    );
}

#[test]
fn memory_for_time_is_a_trade_that_is_shown() {
    let peak = memory(&FROM_SOURCE, "takes-much-memory").0;
    assert!(peak >= f64::from(64 << 20));
    let front = FROM_SOURCE["pareto"].as_array().unwrap();
    assert!(front.contains(&"honest".into()), "{front:?}");
}
