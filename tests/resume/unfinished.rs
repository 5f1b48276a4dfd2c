//! The report of a run that was stopped: how far it is and what is known, no rank, and how to go on.

use super::small::Small;
use super::{events, replicas};
use crate::support::{CommandOutput, measuring_slot, run_bakeoff};
use bakeoff::cli::report_format_names;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::time::{Duration, Instant};

/// Runs until `reached` sees enough in the events, and kills the run; false if the run has ended before.
fn kill_at(small: &Small, reached: impl Fn(&[Value]) -> bool) -> bool {
    let mut run = small.start();
    let patience = Instant::now() + Duration::from_secs(120);
    loop {
        let is_there = reached(&events(&small.results()));
        let has_ended = run.try_wait().unwrap().is_some();
        if is_there || has_ended {
            run.kill().unwrap();
            run.wait().unwrap();
            return !has_ended;
        }
        assert!(Instant::now() < patience, "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn count(events: &[Value], name: &str) -> usize {
    let named = events.iter().filter(|event| event["name"] == name);
    named.count()
}

fn report(small: &Small, format: &str) -> CommandOutput {
    run_bakeoff(&["report", small.dir(), "--format", format])
}

/// Checks what every report of the unfinished run says, and returns the one in JSON.
fn assert_claims_nothing(small: &Small) -> Value {
    for format in report_format_names() {
        let said = report(small, &format);
        assert_eq!(said.status, 1, "{format}: {}", said.stderr);
        assert!(
            said.stdout.contains("Not finished: "),
            "{format}: {}",
            said.stdout
        );
        assert!(
            said.stdout.contains("bakeoff run "),
            "{format}: {}",
            said.stdout
        );
        for claim in ["surely", "Take ", " 1= ", ">1=<"] {
            assert!(
                !said.stdout.contains(claim),
                "{format}, {claim}: {}",
                said.stdout
            );
        }
    }
    let found = report(small, "json").json();
    assert_eq!(found["recommendation"]["winner"], Value::Null);
    assert_eq!(found["recommendation"]["outcome"], "nothing");
    assert_eq!(found["verdicts"], serde_json::json!([]));
    for variant in found["variants"].as_array().unwrap() {
        assert_eq!(variant["rank"], Value::Null, "{variant:#}");
        assert_eq!(variant["total"], Value::Null, "{variant:#}");
    }
    let weighed = run_bakeoff(&[
        "report",
        small.dir(),
        "--weight",
        "performance=3",
        "--format",
        "json",
    ]);
    assert_eq!(weighed.status, 1, "{}", weighed.stderr);
    assert_eq!(weighed.json()["recommendation"]["winner"], Value::Null);
    found
}

#[test]
fn a_run_that_is_killed_has_a_report_without_ranks_wherever_it_was() {
    let _slot = measuring_slot();
    let small = Small::long();
    // Before anything is built.
    assert!(kill_at(&small, |events| count(
        events,
        "orchestrator:approach:generated"
    ) == 4));
    let begun = assert_claims_nothing(&small);
    assert_eq!(
        begun["unfinished"]["status"], "killed",
        "{:#}",
        begun["unfinished"]
    );
    assert_eq!(begun["unfinished"]["variants"], 4);
    assert_eq!(begun["unfinished"]["replicas"], 0);
    // During the checks.
    assert!(kill_at(&small, |events| count(
        events,
        "bakeoff:check:complete"
    ) >= 1));
    let checking = assert_claims_nothing(&small);
    let checked = checking["unfinished"]["checked"].as_u64().unwrap();
    assert!(checked >= 1, "{:#}", checking["unfinished"]);
    // During the race.
    let results = small.results();
    // Replicas end in any order, and those count that end before the first that is missing.
    assert!(kill_at(&small, |_| {
        let stored = replicas(&results, "new");
        stored.contains(&0) && stored.contains(&1)
    }));
    let racing = assert_claims_nothing(&small);
    let unfinished = &racing["unfinished"];
    assert!(
        unfinished["replicas"].as_u64().unwrap() >= 1,
        "{unfinished:#}"
    );
    assert_eq!(unfinished["failed"], 2, "{unfinished:#}");
    let of = |name: &str| {
        let variants = racing["variants"].as_array().unwrap();
        let found = variants.iter().find(|variant| variant["name"] == name);
        found.unwrap_or_else(|| panic!("{racing:#}")).clone()
    };
    assert_eq!(of("does_not_compile")["failure"]["class"], "build-failed");
    assert_eq!(of("panics")["failure"]["class"], "trap");
    assert!(of("good")["readings"]["time"]["value"].as_f64().unwrap() > 0.0);
    assert_eq!(of("good")["reason"], "checked, not ranked yet");
    // What needs the end of a run says so.
    let bundle = small.path("x.bundle");
    let run = format!("{}:1", small.dir());
    for command in [
        vec!["verify", small.dir()],
        vec!["pack", small.dir(), "--out", bundle.to_str().unwrap()],
        vec!["pick", small.dir()],
        vec!["compare", &run, &run],
    ] {
        let said = run_bakeoff(&command);
        assert!(
            [1, 2].contains(&said.status),
            "{command:?}: {} {}",
            said.status,
            said.stderr
        );
        assert!(said.stdout.is_empty(), "{command:?}: {}", said.stdout);
        let says = said.explains("has ended") || said.explains("Not finished: ");
        assert!(says, "{command:?}: {}", said.stderr);
    }
}

#[test]
fn ctrl_c_leaves_a_page_and_the_end_of_the_run_replaces_it() {
    let _slot = measuring_slot();
    let small = Small::new();
    let run = small.start();
    let patience = Instant::now() + Duration::from_secs(120);
    let has_begun = |events: &[Value]| {
        let names = ["bakeoff:check:complete", "bakeoff:variant:failed"];
        names.iter().all(|name| count(events, name) > 0)
    };
    while !has_begun(&events(&small.results())) {
        assert!(Instant::now() < patience, "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let said: CommandOutput = run.wait_with_output().unwrap().into();
    assert_eq!(said.status, 130);
    let page = || fs::read_to_string(small.results().join("summary.md")).unwrap();
    let left = page();
    for part in [
        "Not finished: ",
        "## Read so far",
        "## Failed",
        "does_not_compile",
        "Source: does\\_not\\_compile.rs. ",
        "variants/does-not-compile/iteration-1",
        "## What it took",
        "## How to go on",
        "bakeoff run ",
    ] {
        assert!(left.contains(part), "{part}: {left}");
    }
    let found = report(&small, "json").json();
    assert_eq!(found["unfinished"]["status"], "interrupted");
    let ended = small.end();
    assert!(ended.get("unfinished").is_none(), "{ended:#}");
    assert!(!page().contains("Not finished"), "{}", page());
}

#[test]
fn a_run_that_fails_leaves_its_reason_and_one_that_does_not_begin_leaves_nothing() {
    let small = Small::new();
    let workload = small.path("workload.rs");
    let sound = fs::read_to_string(&workload).unwrap();
    let panics = sound.replacen("{", "{ panic!(\"no input\");", 1);
    assert_ne!(panics, sound);
    fs::write(&workload, panics).unwrap();
    let failed = run_bakeoff(&["run", small.dir()]);
    assert!([2, 5].contains(&failed.status), "{}", failed.stderr);
    let page = fs::read_to_string(small.results().join("summary.md")).unwrap();
    assert!(page.contains("It could not go on: "), "{page}");
    let found = report(&small, "json").json();
    assert_eq!(
        found["unfinished"]["status"], "failed",
        "{:#}",
        found["unfinished"]
    );
    assert!(found["unfinished"]["reason"].is_string());

    let other = Small::new();
    fs::remove_file(other.path("wit/top-k.wit")).unwrap();
    let refused = run_bakeoff(&["run", other.dir()]);
    assert!([2, 5].contains(&refused.status), "{}", refused.stderr);
    let page = other.results().join("summary.md");
    assert!(!page.exists(), "nothing began");
}

#[test]
fn a_later_run_that_is_killed_does_not_hide_the_one_that_ended() {
    let _slot = measuring_slot();
    let small = Small::new();
    let first = small.end();
    let file = small.path("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("[64000, 256000]", "[65000, 256000]")).unwrap();
    assert!(kill_at(&small, |events| {
        count(events, "bakeoff:run:start") + count(events, "bakeoff:run:resumed") >= 2
            && events
                .iter()
                .filter(|one| one["data"]["run"] == 2 || one["run"] == 2)
                .count()
                > 5
    }));
    let shown = report(&small, "json");
    assert_eq!(
        shown.json()["recommendation"]["outcome"],
        first["recommendation"]["outcome"]
    );
    assert!(shown.json().get("unfinished").is_none());
    assert!(
        shown.explains("run 2 was begun after it. Not finished: "),
        "{}",
        shown.stderr
    );
    let second = run_bakeoff(&["report", small.dir(), "--run", "2"]);
    assert_eq!(second.status, 1, "{}", second.stderr);
    assert!(
        second.stdout.contains("Not finished: "),
        "{}",
        second.stdout
    );
}

#[test]
fn a_sweep_that_is_killed_before_its_screening_shows_how_far_it_is() {
    let _slot = measuring_slot();
    let sweep = Small::sweep(80);
    assert!(kill_at(&sweep, |events| count(
        events,
        "bakeoff:check:complete"
    ) >= 10));
    let found = assert_claims_nothing(&sweep);
    let unfinished = &found["unfinished"];
    assert_eq!(unfinished["variants"], 80, "{unfinished:#}");
    assert!(
        unfinished["checked"].as_u64().unwrap() >= 10,
        "{unfinished:#}"
    );
    let text = report(&sweep, "human").stdout;
    assert!(text.contains("16 more variants did not fail"), "{text}");
}
