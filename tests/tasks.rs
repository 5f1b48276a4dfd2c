//! Builds and checks as tasks of one queue, as the events and `bakeoff status` show them.

use crate::support::{bakeoff, measuring_slot, run_bakeoff};
use crate::timed::{GOOD, WIT, WORKLOAD};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

/// Functions of the prototype that takes long to build.
const FUNCTIONS: u64 = 150;

/// A prototype that takes several times as long to build as `GOOD`, and that no cache has.
fn large() -> String {
    let fold = "values.iter().fold(0, mix)";
    let calls = "let sum = values.iter().fold(0, mix);
    if sum == 1 { many(sum) } else { sum }";
    let mut text = GOOD.replace(fold, calls);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let unique = since.unwrap().as_nanos() as u64;
    let mut sum = String::new();
    for number in 0..FUNCTIONS {
        let (a, b) = (unique.wrapping_add(number) | 1, number + 3);
        let _ = writeln!(
            text,
            "#[inline(never)] fn f{number}(x: u64) -> u64 {{
                let mut list: Vec<u64> = (0..x % 97).map(|y| y.wrapping_mul({a}) ^ x).collect();
                list.sort_by_key(|y| y % {b});
                list.iter().rev().take({b}).fold(x, |sum, y| sum.rotate_left(3) ^ y)
            }}"
        );
        let _ = write!(sum, " ^ f{number}(x)");
    }
    text + &format!("fn many(x: u64) -> u64 {{ x{sum} }}\n")
}

fn experiment(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    let mut text = "name = \"tasks\"\nproblem = \"?\"\n[interface]\nwit = \"total.wit\"\n\
        call = \"total\"\n[workload]\nsource = \"workload.rs\"\nsizes = [10000]\n[measure]\n\
        precision = 0.5\nbudget = \"2 s\"\n"
        .to_owned();
    for name in ["one", "two", "three", "large"] {
        let code = match name {
            "large" => large(),
            _ => format!("// {name}\n{GOOD}"),
        };
        write(&format!("{name}.rs"), &code);
        text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    }
    write("bakeoff.toml", &text);
}

#[test]
fn a_variant_is_checked_while_another_is_built_and_nothing_of_that_while_anything_is_timed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    experiment(folder.path());
    let _slot = measuring_slot();
    let mut run = bakeoff(&["run", path, "--quiet", "--format", "json"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = || {
        let said = run_bakeoff(&["status", path, "--format", "json"]);
        serde_json::from_str::<Value>(&said.stdout).ok()
    };
    let patience = Instant::now() + Duration::from_secs(120);
    let mut running = None;
    while run.try_wait().unwrap().is_none() {
        assert!(Instant::now() < patience, "nothing happens");
        let now = status().filter(|status| {
            let variants = status["variants"].as_object();
            status["status"] == "running"
                && status["process"].is_string()
                && variants.is_some_and(|variants| variants.len() == 4)
        });
        running = running.or(now);
        std::thread::sleep(Duration::from_millis(100));
    }
    let running = running.expect("it ran for a while");
    let process = running["process"].as_str().unwrap();
    assert!(process.contains(&run.id().to_string()), "{process}");
    let over = run_bakeoff(&["status", path]);
    assert_eq!(over.status, 0, "{}", over.stderr);
    for line in [
        "run 1 of tasks: finished",
        "built      4 of 4",
        "checked    4 of 4",
        // The builds and checks of four, and some replicas.
        " tasks in ",
    ] {
        assert!(over.stdout.contains(line), "{}", over.stdout);
    }

    let text = fs::read_to_string(folder.path().join(".bakeoff/tasks/events.jsonl")).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let is = |event: &Value, name: &str| event["name"] == name;
    let told = events.iter().find(|event| is(event, "bakeoff:tasks:state"));
    let waits = told.unwrap()["data"]["waits"].as_array().unwrap();
    let check = waits.iter().find(|one| one["task"] == "check of large");
    assert_eq!(check.unwrap()["waits_for"], "build of large", "{waits:?}");
    let built = |event: &Value| {
        is(event, "bakeoff:build:complete") && event["data"]["variant_id"] == "large"
    };
    let first_check = events
        .iter()
        .position(|event| is(event, "bakeoff:check:start"));
    let last_build = events.iter().position(built);
    // With a single core, builds come first: the longest chains begin with them.
    let overlaps = std::thread::available_parallelism().unwrap().get() > 1;
    assert_eq!(
        first_check.unwrap() < last_build.unwrap(),
        overlaps,
        "{text}"
    );
    let timed = events
        .iter()
        .position(|event| is(event, "bakeoff:pilot:complete"));
    let prepared = events.iter().rposition(|event| {
        let name = event["name"].as_str().unwrap();
        name.starts_with("bakeoff:check:") || name.starts_with("bakeoff:build:")
    });
    assert!(prepared < timed, "{text}");

    // The builds of four, the checks of two (the others have the same component) and the replicas.
    let report = fs::read_to_string(folder.path().join(".bakeoff/tasks/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let workers = report["cost"]["workers"].as_array().unwrap();
    let tasks: u64 = workers
        .iter()
        .map(|one| one["tasks"].as_u64().unwrap())
        .sum();
    let replicas = report["protocol"]["replicas"].as_u64().unwrap();
    // And the scout, which every pilot begins with.
    assert!(tasks > 6 + replicas, "{workers:?}, {replicas} replicas");
    for worker in workers {
        assert!(worker["core"].is_u64() && worker["busy_seconds"].as_f64().unwrap() > 0.0);
    }
}
