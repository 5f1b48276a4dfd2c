//! Whole runs, killed at moments that they do not choose.

use super::small::Small;
use super::{events, replicas};
use crate::support::{bakeoff, measuring_slot, run_bakeoff};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Kills in the suite; all 200 are made by the test that is ignored.
const SOME_KILLS: u32 = 6;
const ALL_KILLS: u32 = 200;
/// Kills of the same run, which is then left to end.
const SOME_KILLS_PER_RUN: u32 = 3;
const KILLS_PER_RUN: u32 = 10;
/// A kill comes at most so long after a start: while starting up, checking, or racing.
const LATEST_MS: u64 = 3_000;
/// Records at whose boundaries a run is killed.
const BOUNDARIES: usize = 12;

/// All that a report says that is not a timing.
pub(super) fn exact(report: &Value) -> Value {
    let exact = ["fuel", "peak-memory", "component-size", "source-lines"];
    let variant = |variant: &Value| {
        let readings: BTreeMap<&str, &Value> = exact
            .iter()
            .map(|source| (*source, &variant["readings"][*source]))
            .collect();
        let said = json!({
            "readings": readings,
            "failure": variant["failure"],
            "pure": variant["pure"],
            "failed": variant["status"] == "failed",
        });
        (variant["id"].as_str().unwrap().to_owned(), said)
    };
    let variants: BTreeMap<String, Value> = report["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(variant)
        .collect();
    let pairs: BTreeSet<String> = report["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}", row["a"], row["b"], row["case"]))
        .collect();
    json!({
        "experiment": report["experiment"],
        "criteria": report["criteria"],
        "variants": variants,
        "pairs": pairs,
    })
}

/// Checks that nothing finished was lost or done twice, over all sessions of a run.
fn nothing_lost_or_repeated(small: &Small, report: &Value) {
    let folder = small.results();
    let made = replicas(&folder, "new");
    let new: BTreeSet<u64> = made.iter().copied().collect();
    assert_eq!(
        made.len(),
        new.len(),
        "a replica was measured twice: {made:?}"
    );
    let all: BTreeSet<u64> = new
        .iter()
        .copied()
        .chain(replicas(&folder, "kept"))
        .collect();
    let db = rusqlite::Connection::open(folder.join("bakeoff.db")).unwrap();
    let kept: i64 = db
        .query_row("SELECT count(*) FROM v_replicas WHERE run = 1", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(all.len() as i64, kept, "{all:?}");
    let used = report["protocol"]["replicas"].as_i64().unwrap();
    assert!(used <= kept, "{used} replicas count, and {kept} are kept");

    let mut checked: BTreeMap<String, u32> = BTreeMap::new();
    for event in events(&folder) {
        if event["name"] == "bakeoff:check:complete" && event["data"]["origin"] == "new" {
            let id = event["data"]["variant_id"].as_str().unwrap().to_owned();
            *checked.entry(id).or_default() += 1;
        }
    }
    assert!(checked.values().all(|times| *times == 1), "{checked:?}");
    let runs: i64 = db
        .query_row("SELECT count(*) FROM v_runs", [], |row| row.get(0))
        .unwrap();
    assert_eq!(runs, 1, "a session took itself for another run");
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn kill(run: &mut Child) -> bool {
    let alive = run.try_wait().unwrap().is_none();
    run.kill().unwrap();
    run.wait().unwrap();
    alive
}

fn killed_at_random_moments(kills: u32, kills_per_run: u32, experiment: fn() -> Small) {
    let _slot = measuring_slot();
    let whole = experiment();
    let uninterrupted = exact(&whole.end());
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut done = 0;
    while done < kills {
        let small = experiment();
        let mut here = 0;
        while here < kills_per_run && done < kills {
            let mut run = small.start();
            std::thread::sleep(Duration::from_millis(random(&mut state) % LATEST_MS));
            if !kill(&mut run) {
                break;
            }
            here += 1;
            done += 1;
        }
        let report = small.end();
        assert_eq!(exact(&report), uninterrupted, "after {done} kills");
        nothing_lost_or_repeated(&small, &report);
        let said = bakeoff(&["verify", small.dir(), "--quiet"])
            .output()
            .unwrap();
        let text = String::from_utf8(said.stdout).unwrap();
        assert!(said.status.success(), "after {done} kills: {text}");
        eprintln!("{done} kills");
    }
}

#[test]
fn runs_killed_at_random_moments_end_as_if_nobody_had() {
    killed_at_random_moments(SOME_KILLS, SOME_KILLS_PER_RUN, Small::new);
}

#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn runs_killed_at_200_random_moments_end_as_if_nobody_had() {
    killed_at_random_moments(ALL_KILLS, KILLS_PER_RUN, Small::long);
}

/// Records that were made so far: gates, pilot, replicas.
fn records(folder: &Path) -> usize {
    let is_record = |event: &&Value| {
        let new = event["data"]["origin"] == "new";
        match event["name"].as_str().unwrap_or_default() {
            "bakeoff:check:complete" | "bakeoff:pilot:complete" | "bakeoff:replica:complete" => new,
            _ => false,
        }
    };
    events(folder).iter().filter(is_record).count()
}

#[test]
fn runs_killed_after_every_record_end_as_if_nobody_had() {
    let _slot = measuring_slot();
    let whole = Small::new();
    let uninterrupted = exact(&whole.end());
    let small = Small::new();
    let patience = Instant::now() + Duration::from_secs(300);
    for boundary in 1..=BOUNDARIES {
        let mut run = small.start();
        while records(&small.results()) < boundary && run.try_wait().unwrap().is_none() {
            assert!(Instant::now() < patience, "nothing happens");
            std::thread::sleep(Duration::from_millis(1));
        }
        if !kill(&mut run) {
            break;
        }
    }
    let report = small.end();
    assert_eq!(exact(&report), uninterrupted);
    nothing_lost_or_repeated(&small, &report);
}

#[test]
fn a_sweep_that_is_killed_goes_on_with_the_variants_that_are_left() {
    const VARIANTS: usize = 120;
    let _slot = measuring_slot();
    // Which eight race is decided by times, and may differ.
    let without_pairs = |report: &Value| {
        let mut exact = exact(report);
        exact["pairs"].take();
        exact
    };
    let uninterrupted = without_pairs(&Small::sweep(VARIANTS).end());
    let small = Small::sweep(VARIANTS);
    let patience = Instant::now() + Duration::from_secs(300);
    for share in 1..=3 {
        let mut run = small.start();
        while records(&small.results()) < share * VARIANTS / 4 {
            assert!(Instant::now() < patience, "nothing happens");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(kill(&mut run), "it had ended");
    }
    let report = small.end();
    assert!(without_pairs(&report) == uninterrupted, "another report");
    nothing_lost_or_repeated(&small, &report);
    let compiled = |event: &&Value| {
        event["name"] == "bakeoff:build:complete" && event["data"]["origin"] == "new"
    };
    // One compilation for all variants at most, whatever became of the first session: the run that was not
    // interrupted may have left it in the cache.
    let seconds: BTreeSet<String> = events(&small.results())
        .iter()
        .filter(compiled)
        .map(|event| event["data"]["cpu_seconds"].to_string())
        .collect();
    assert!(seconds.len() <= 1, "{seconds:?}");
}

#[test]
fn what_does_not_compile_is_not_compiled_again() {
    let small = Small::new();
    let first = run_bakeoff(&["run", small.dir(), "--quiet", "--format", "json"]);
    let failures = |report: &Value| exact(report)["variants"]["does-not-compile"].clone();
    // Another compiler's diagnostics would be another key; a failure that was kept is shown as it is.
    let db = rusqlite::Connection::open(small.results().join("bakeoff.db")).unwrap();
    let changed = db
        .execute(
            "UPDATE result SET value = json_set(value, '$.failure.message', 'as it was kept')
             WHERE kind = 'build' AND json_extract(value, '$.failure.class') = 'build-failed'",
            [],
        )
        .unwrap();
    assert_eq!(changed, 1);
    drop(db);
    bakeoff_store::seal_again(&small.results()).unwrap();
    let second = run_bakeoff(&["run", small.dir(), "--quiet", "--format", "json"]);
    assert_ne!(failures(&first.json()), failures(&second.json()));
    assert_eq!(
        failures(&second.json())["failure"]["message"],
        "as it was kept"
    );
}
