//! Prototypes that take far longer than the others, or never end: their cost is their own.

use super::batch::{WIT as TOP_K_WIT, World};
use super::components::{Answerer, counting, looping};
use crate::support::{measuring_slot, variant, verdict};

const WIT: &str = "package slow:test;
world prototype { export total: func(values: list<u64>) -> u64; }
world workload { export generate: func(size: u32, seed: u64) -> list<u64>; }
";

const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    std::iter::once(seed).chain(0..u64::from(size)).collect()
}
";

/// The same answer after so many times the work.
fn repeated(times: u32) -> String {
    format!(
        "pub fn total(values: Vec<u64>) -> u64 {{
    let once = |values: &[u64]| values.iter().fold(0, |sum: u64, value: &u64| {{
        (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9)
    }});
    let mut total = 0;
    for _ in 0..{times} {{
        total = std::hint::black_box(once(std::hint::black_box(&values)));
    }}
    total
}}
"
    )
}

/// One call takes about a second, little less than its fuel allows, and the budget has room for a few of them: called as
/// often as the others before the race, it would use up all of it.
#[test]
fn case_73_slow_neighbour() {
    let world = World::new();
    world.write("experiment/total.wit", WIT);
    world.write("experiment/workload.rs", WORKLOAD);
    let mut file = "name = \"slow\"\nproblem = \"Fold numbers.\"\n\
                    interface = { wit = \"total.wit\", call = \"total\" }\n\
                    workload = { source = \"workload.rs\", sizes = [20_000] }\n\
                    measure = { budget = \"5 s\" }\n"
        .to_owned();
    for (name, times) in [("quick", 3), ("less-quick", 12), ("slow", 30_000)] {
        world.write(&format!("experiment/{name}.rs"), repeated(times));
        file.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n"
        ));
    }
    world.write("experiment/bakeoff.toml", file);
    let results = world.text("results");
    let said = world.run(&["run", ".", "--format", "json", "--out", &results]);
    let report = said.json();
    // Whether there is a verdict in so little time depends on the machine.
    assert_ne!(verdict(&report, "quick", "less-quick"), "beaten");
    let replicas = report["protocol"]["replicas"].as_u64();
    assert!(
        replicas > Some(0),
        "{}\n{}",
        report["protocol"],
        said.stderr
    );
    // That it is slow is no failure.
    let slow = variant(&report, "slow");
    assert!(slow["failure"].is_null(), "{slow:#}");
    // The others do not wait for it: it has processes of its own.
    let notes = report["notes"].to_string();
    assert!(notes.contains("set aside: slow"), "{notes}");
    assert_ne!(verdict(&report, "quick", "slow"), "beaten");
}

/// Quick as long as it is checked, and from some call on it takes as long as its wall allows.
#[test]
fn case_198_who_turns_slow_after_its_checks_takes_its_own_share() {
    let world = World::new();
    world.write("experiment/total.wit", WIT);
    world.write("experiment/workload.rs", WORKLOAD);
    let mut file = "name = \"turns\"\nproblem = \"Fold numbers.\"\n\
                    interface = { wit = \"total.wit\", call = \"total\" }\n\
                    workload = { source = \"workload.rs\", sizes = [1_000] }\n\
                    measure = { budget = \"20 s\", state = \"kept\" }\n"
        .to_owned();
    let turns = repeated(1).replace(
        "let mut total",
        "static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    if CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= CHECKED {
        for _ in 0..600_000 {
            std::hint::black_box(once(std::hint::black_box(&values)));
        }
    }
    let mut total",
    );
    let turns = |checked: u32| turns.replace("CHECKED", &checked.to_string());
    for (name, source) in [
        ("quick", repeated(1)),
        ("less-quick", repeated(4)),
        ("turns", turns(2_000)),
        ("turns-too", turns(2_100)),
    ] {
        world.write(&format!("experiment/{name}.rs"), source);
        file.push_str(&format!(
            "[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n"
        ));
    }
    world.write("experiment/bakeoff.toml", file);
    let results = world.text("results");
    let said = world.run(&["run", ".", "--format", "json", "--out", &results]);
    let report = said.json();
    assert_ne!(verdict(&report, "quick", "less-quick"), "beaten");
    for name in ["quick", "less-quick"] {
        assert!(variant(&report, name)["failure"].is_null(), "{report:#}");
    }
    let replicas = report["protocol"]["replicas"].as_u64();
    assert!(replicas > Some(0), "{}", report["protocol"]);
    for name in ["turns", "turns-too"] {
        let failure = &variant(&report, name)["failure"];
        let message = failure["message"].as_str().unwrap_or_default();
        assert!(message.contains("more than its share"), "{failure:#}");
    }
}

/// The first touch of a page is dear, and no later call pays for it: who touches many in each call takes ten times
/// as long in the gate, and is timed as often as the other.
#[test]
fn case_170_who_touches_many_pages_is_timed_as_others_are() {
    let world = World::new();
    world.write("experiment/total.wit", WIT);
    world.write("experiment/workload.rs", WORKLOAD);
    let pages = "pub fn total(values: Vec<u64>) -> u64 {
    let mut touched: Vec<u8> = Vec::with_capacity(20_000 * 4096);
    for page in 0..20_000 {
        // SAFETY: it is inside of what was asked for.
        unsafe { touched.as_mut_ptr().add(page * 4096).write_volatile(1) };
    }
    let mut total = 0;
    for _ in 0..4 {
        total = std::hint::black_box(&values).iter().fold(0, |sum: u64, value: &u64| {
            (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9)
        });
    }
    total
}
";
    world.write("experiment/pages.rs", pages);
    world.write("experiment/plain.rs", repeated(8));
    let file = "name = \"pages\"\nproblem = \"Fold numbers.\"\n\
                interface = { wit = \"total.wit\", call = \"total\" }\n\
                workload = { source = \"workload.rs\", sizes = [50_000] }\n\
                measure = { budget = \"3 s\" }\n\
                [[approach]]\nname = \"plain\"\nsource = \"plain.rs\"\n\
                [[approach]]\nname = \"pages\"\nsource = \"pages.rs\"\n";
    world.write("experiment/bakeoff.toml", file);
    let results = world.text("results");
    let said = world.run(&["run", ".", "--format", "json", "--out", &results]);
    let report = said.json();
    assert!(variant(&report, "pages")["failure"].is_null(), "{report:#}");
    let notes = report["notes"].to_string();
    assert!(!notes.contains("set aside"), "{notes}");
}

/// Their checks take longer than the whole budget, which bounds checks and timing together.
#[test]
fn case_194_checks_that_use_up_a_budget_for_everything() {
    let world = World::new();
    world.write("experiment/top-k.wit", TOP_K_WIT);
    let case = |first| format!("[[case]]\ncall = \"top-k([{first}, 1, 2], 0)\"\nexpect = \"[]\"\n");
    let cases: Vec<String> = (3..7).map(case).collect();
    world.write("experiment/cases.toml", cases.concat());
    let plain = Answerer::default;
    let counts = |call| Answerer {
        call: Some(call),
        ..plain()
    };
    let prototypes = [
        ("quick", counts(|sink| counting(sink, 10_000))),
        (
            "start",
            Answerer {
                start: Some(looping),
                ..plain()
            },
        ),
        (
            "realloc",
            Answerer {
                realloc: Some(looping),
                ..plain()
            },
        ),
        ("call", counts(looping)),
        (
            "post-return",
            Answerer {
                post_return: Some(looping),
                ..plain()
            },
        ),
        // Seconds of work over all cases, and less than the limit of fuel.
        ("slow", counts(|sink| counting(sink, 700_000_000))),
        ("less-quick", counts(|sink| counting(sink, 40_000))),
    ];
    for (name, prototype) in &prototypes {
        world.write(&format!("experiment/{name}.wasm"), prototype.component());
    }
    let files = prototypes.map(|(name, _)| format!("{name}.wasm"));
    let first: Vec<&str> = files.iter().map(String::as_str).collect();
    let last: Vec<&str> = first.iter().rev().copied().collect();
    for files in [first, last] {
        let _slot = measuring_slot();
        let options = "--wit top-k.wit --call top-k --cases cases.toml --budget 4s --format json";
        let arguments = [&["compare"], &files[..]].concat();
        let arguments: Vec<&str> = arguments.into_iter().chain(options.split(' ')).collect();
        let said = world.run(&arguments);
        let report = said.json();
        for name in ["quick", "less-quick"] {
            let time = &variant(&report, name)["readings"]["time"];
            assert!(!time.is_null(), "{name}: {report:#}\n{}", said.stderr);
        }
        for name in ["start", "realloc", "call", "post-return"] {
            let failure = &variant(&report, name)["failure"];
            assert_eq!(failure["class"], "fuel-limit", "{name}: {failure}");
        }
        // That it is slow is no failure.
        assert!(variant(&report, "slow")["failure"].is_null(), "{report:#}");
    }
}

/// Checked on a few inputs, timed on thousands: on one in sixteen thousand it never ends.
#[test]
fn case_203_who_never_ends_on_rare_inputs_takes_no_verdict_away() {
    let world = World::new();
    world.write(
        "experiment/mix.wit",
        "package mix:test;
world prototype { export mix: func(of: u32) -> u32; }
world workload { export generate: func(size: u32, seed: u64) -> u32; }
",
    );
    let workload = "pub fn generate(_: u32, seed: u64) -> u32 { (seed ^ (seed >> 32)) as u32 }";
    world.write("experiment/workload.rs", workload);
    let mixing = |before: &str, rounds: u32| {
        format!(
            "pub fn mix(of: u32) -> u32 {{
    {before}
    let mut mixed = of;
    for round in 0..std::hint::black_box({rounds}_u32) {{
        mixed = (mixed ^ (round % 2000)).wrapping_mul(2654435761);
        mixed ^= mixed >> 13;
        if round % 2000 == 1999 {{ mixed = of; }}
    }}
    let mixed = std::hint::black_box(mixed);
    mixed ^ mixed
}}
"
        )
    };
    let never = "if of.wrapping_mul(2654435761) >> 18 == 7 { loop { std::hint::black_box(of); } }";
    world.write("experiment/quick.rs", mixing("", 2_000));
    world.write("experiment/slower.rs", mixing("", 6_000));
    world.write("experiment/never.rs", mixing(never, 2_000));
    let file = "name = \"mix\"\nproblem = \"Mix bits.\"\n\
                interface = { wit = \"mix.wit\", call = \"mix\" }\n\
                workload = { source = \"workload.rs\", sizes = [1] }\n\
                measure = { budget = \"10 s\" }\n\
                approach = [{ name = \"quick\", source = \"quick.rs\" }, \
                { name = \"slower\", source = \"slower.rs\" }, \
                { name = \"never\", source = \"never.rs\" }]\n";
    world.write("experiment/bakeoff.toml", file);
    let said = world.run(&["run", ".", "--seed", "3", "--format", "json"]);
    let report = said.json();
    let is_known = verdict(&report, "quick", "slower");
    assert_eq!(is_known, "beats", "{}", said.stderr);
    let never = variant(&report, "never");
    let reason = never["reason"].as_str().unwrap_or_default();
    let was_ended = reason.contains("far longer than was predicted");
    // It fails if a call reaches its wall, and is like `quick` where too few inputs were timed to meet such a one.
    let was_met = report["notes"]
        .to_string()
        .contains("Once, never took more than");
    let mut rows = report["verdicts"].as_array().unwrap().iter();
    let is_behind = rows.any(|row| {
        let is_of = |a: &str, b: &str| row["a"] == a && row["b"] == b && row["case"].is_null();
        is_of("quick", "never") && row["verdict"] == "beats"
            || is_of("never", "quick") && row["verdict"] == "beaten"
    });
    let is_open = was_met && never["failure"].is_null() && !is_behind;
    assert_eq!(was_ended, is_open, "{never:#}");
    if was_ended {
        assert_eq!(report["recommendation"]["winner"], "quick", "{report:#}");
    }
}
