//! Runs that are killed and go on: nothing finished is lost or done twice.

mod boundaries;
mod changes;
mod interrupted;
mod kills;
mod refused;
mod toolchain;

use crate::support::{ONE_AT_A_TIME, bakeoff};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// The events that are kept so far; a last line may be torn.
fn events(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("events.jsonl")).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn replicas(folder: &Path, origin: &str) -> Vec<u64> {
    let complete = |event: &Value| {
        let is_one =
            event["name"] == "bakeoff:replica:complete" && event["data"]["origin"] == origin;
        is_one.then(|| event["data"]["index"].as_u64().unwrap())
    };
    events(folder).iter().filter_map(complete).collect()
}

fn command(folder: &Path) -> Command {
    let out = folder.to_str().unwrap();
    bakeoff(&[
        "run",
        "examples/prime-sieve",
        "--quiet",
        "--format",
        "json",
        "--budget",
        "60s",
        // Every replica runs alone then, so every one counts.
        "--workers",
        "1",
        "--out",
        out,
    ])
}

fn start(folder: &Path) -> Child {
    command(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until so many replicas are kept, or the run is over.
fn wait_for(replicas_kept: usize, folder: &Path, run: &mut Child) {
    let patience = Instant::now() + Duration::from_secs(120);
    while replicas(folder, "new").len() < replicas_kept && run.try_wait().unwrap().is_none() {
        assert!(Instant::now() < patience, "nothing happens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_run_goes_on_and_repeats_nothing() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    for kept in [1, 2, 4, 5] {
        let mut run = start(folder.path());
        wait_for(kept, folder.path(), &mut run);
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let before: BTreeSet<u64> = replicas(folder.path(), "new").into_iter().collect();
    assert!(before.len() >= 5, "{before:?}");

    let output = start(folder.path()).wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_repeats_nothing(folder.path(), &before, &report);
}

/// Checks that the replicas `before` an interruption were kept, and that nothing was done twice.
fn assert_repeats_nothing(folder: &Path, before: &BTreeSet<u64>, report: &Value) {
    let made = replicas(folder, "new");
    let distinct: BTreeSet<u64> = made.iter().copied().collect();
    assert_eq!(
        made.len(),
        distinct.len(),
        "a replica was measured twice: {made:?}"
    );
    assert!(before.is_subset(&distinct));
    let used = report["protocol"]["replicas"].as_u64().unwrap() as usize;
    assert_eq!(
        used,
        made.len(),
        "the report rests on other replicas than were kept"
    );

    let checks = |event: &Value| {
        event["name"] == "bakeoff:check:complete" && event["data"]["origin"] == "new"
    };
    let checked = events(folder).iter().filter(|event| checks(event)).count();
    assert_eq!(checked, 4, "a variant was checked twice");
}

#[test]
fn a_second_run_on_the_same_folder_is_refused_by_name() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let mut first = start(folder.path());
    wait_for(1, folder.path(), &mut first);
    let second = start_loudly(folder.path());
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.status, 5, "{}", second.stderr);
    assert!(
        second.stderr.contains(&first.id().to_string()),
        "{}",
        second.stderr
    );
}

fn start_loudly(folder: &Path) -> crate::support::Said {
    // The turn is taken already: by the run that this one is to meet.
    let out = folder.to_str().unwrap();
    bakeoff(&["run", "examples/prime-sieve", "--out", out])
        .output()
        .unwrap()
        .into()
}
