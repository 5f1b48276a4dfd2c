//! Runs that are killed and go on: nothing finished is lost or done twice.

mod boundaries;
mod changes;
mod interrupted;
mod kills;
mod refused;
pub(crate) mod small;
mod toolchain;
mod unfinished;

use crate::finished::copy_experiment;
use crate::support::{CommandOutput, bakeoff, measuring_slot, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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

/// An experiment with four variants that fail in nothing: an example with smaller sizes, in a folder
/// of its own beside that of its results.
struct Sieve {
    folder: tempfile::TempDir,
}

impl Sieve {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let experiment = folder.path().join("experiment");
        copy_experiment(&root().join("examples/prime-sieve"), &experiment);
        let file = experiment.join("bakeoff.toml");
        let text = fs::read_to_string(&file).unwrap();
        let text = text.replace("[4_000_000, 12_000_000]", "[400_000, 1_200_000]");
        fs::write(
            &file,
            text.replace("[measure]", "[measure]\nprecision = 0.5"),
        )
        .unwrap();
        Self { folder }
    }

    fn experiment(&self) -> PathBuf {
        self.folder.path().join("experiment")
    }

    /// A folder for results, with a name that a shell would take apart.
    fn results(&self) -> PathBuf {
        self.folder.path().join("it's this run")
    }

    fn start(&self) -> Child {
        command(&self.experiment(), &self.results())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}

fn command(experiment: &Path, results: &Path) -> Command {
    bakeoff(&[
        "run",
        experiment.to_str().unwrap(),
        "--quiet",
        "--format",
        "json",
        "--budget",
        "60s",
        // Every replica runs alone then, so every one counts.
        "--workers",
        "1",
        "--out",
        results.to_str().unwrap(),
    ])
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
    let _slot = measuring_slot();
    let sieve = Sieve::new();
    let results = sieve.results();
    for kept in [1, 2] {
        let mut run = sieve.start();
        wait_for(kept, &results, &mut run);
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let before: BTreeSet<u64> = replicas(&results, "new").into_iter().collect();
    assert!(before.len() >= 2, "{before:?}");

    let output = sieve.start().wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_repeats_nothing(&results, &before, &report);
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
    let protocol = &report["protocol"];
    let used = protocol["replicas"].as_u64().unwrap() as usize;
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
    let _slot = measuring_slot();
    let sieve = Sieve::new();
    let mut first = sieve.start();
    wait_for(1, &sieve.results(), &mut first);
    // Without a slot of its own: the first one has it.
    let mut again = bakeoff(&["run", sieve.experiment().to_str().unwrap(), "--out"]);
    let second: CommandOutput = again.arg(sieve.results()).output().unwrap().into();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.status, 5, "{}", second.stderr);
    assert!(
        second.stderr.contains(&first.id().to_string()),
        "{}",
        second.stderr
    );
}
