//! This machine, and poorer ones that it plays: the right level is reported, and what it means for
//! a run.

use super::commands::{THIS_MACHINE, build, doctor, measured, with_bwrap};
use crate::support::{CommandOutput, bakeoff, run_bakeoff, run_experiment};
use serde_json::Value;
use std::process::Command;

fn without_landlock(command: &mut Command) {
    command.env("BAKEOFF_LANDLOCK_AT_MOST", "0");
}

#[test]
fn this_machine_is_described_as_documented() {
    assert_eq!(THIS_MACHINE.status, 0, "{}", THIS_MACHINE.stderr);
    let answer = THIS_MACHINE.json();
    assert_eq!(answer["version"], 1);
    assert_eq!(answer["can_run"], true);
    let facts = &answer["facts"];
    assert!(["full", "standard"].contains(&facts["confinement"]["level"].as_str().unwrap()));
    assert_eq!(facts["toolchain"]["target"], "wasm32-unknown-unknown");
    assert!(facts["toolchain"]["build_cpu_s"].as_f64().unwrap() > 0.0);
    let clocks = &facts["clocks"];
    let cost = clocks["thread_cpu"]["cost_ns"].as_f64().unwrap();
    let shortest = clocks["call_ns_min"].as_f64().unwrap();
    // What the CPU clock times, or what a cheaper one does.
    assert!(
        cost > 0.0
            && shortest > 0.0
            && shortest <= 20.0 * cost.max(clocks["thread_cpu"]["step_ns"].as_f64().unwrap())
    );
    let noise = &facts["noise"];
    assert_eq!(noise["problem"], Value::Null);
    let ratio = noise["ratio"].as_f64().unwrap();
    // Wide enough for any machine; were two different programs measured, it would be far off.
    assert!((0.5..2.0).contains(&ratio), "{noise}");
    assert!(!facts["cores"]["usable"].as_array().unwrap().is_empty());
    let topics: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["topic"].as_str().unwrap())
        .collect();
    let expected = [
        "confinement",
        "bubblewrap",
        "cgroup",
        "toolchain",
        "C and C++",
        "clocks",
        "noise",
        "cores",
        "frequency",
        "load",
        "results",
        "cache",
        "temporary",
    ];
    assert_eq!(topics, expected);
    for finding in answer["findings"].as_array().unwrap() {
        let means = finding["means"].as_str().unwrap();
        assert!(means.ends_with('.'), "says what it means: {finding}");
    }
}

#[test]
fn without_landlock_nothing_runs_and_the_reason_is_named() {
    let said = doctor(without_landlock);
    assert_eq!(said.status, 5, "{}", said.stderr);
    let answer = said.json();
    assert_eq!(answer["can_run"], false);
    assert_eq!(answer["facts"]["confinement"]["level"], Value::Null);
    assert_eq!(answer["findings"][0]["state"], "bad");

    let cache = tempfile::tempdir().unwrap();
    let mut refused = build(cache.path());
    without_landlock(&mut refused);
    let said: CommandOutput = refused.output().unwrap().into();
    assert_eq!(said.status, 5, "{}", said.stdout);
    for part in ["this kernel has no Landlock", "pass --allow-unconfined if"] {
        assert!(said.explains(part), "{}", said.stderr);
    }
    assert_eq!(said.stdout, "");
}

#[test]
fn what_the_user_allows_is_done_and_stamped() {
    let said = doctor(|command| {
        without_landlock(command.arg("--allow-unconfined"));
    });
    assert_eq!(said.status, 0, "{}", said.stderr);
    let answer = said.json();
    assert_eq!(answer["facts"]["confinement"]["level"], "unconfined");
    assert_eq!(answer["findings"][0]["state"], "limited");

    let out = tempfile::tempdir().unwrap();
    let mut run = bakeoff(&[
        "run",
        "examples/top-k",
        "--allow-unconfined",
        "--format",
        "json",
    ]);
    run.args(["--budget", "2s", "--out"]).arg(out.path());
    without_landlock(&mut run);
    let said = measured(&mut run);
    assert!(said.status == 0 || said.status == 1, "{}", said.stderr);
    let environment = &said.json()["environment"];
    assert_eq!(environment["confinement"], "unconfined");
    assert_eq!(environment["fences"], serde_json::json!(["seccomp"]));

    // What is kept from it is not taken for a result of a confined run.
    let folder = out.path().to_str().unwrap();
    let said = run_bakeoff(&[
        "run",
        "examples/top-k",
        "--budget",
        "2s",
        "--format",
        "json",
        "--out",
        folder,
    ]);
    let report = said.json();
    assert_ne!(report["environment"]["confinement"], "unconfined");
    let events = std::fs::read_to_string(out.path().join("events.jsonl")).unwrap();
    let measured: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["name"] == "bakeoff:check:complete")
        .collect();
    assert!(measured.len() >= 4, "{events}");
    assert!(
        measured
            .iter()
            .all(|event| event["data"]["origin"] == "new")
    );
}

#[test]
fn an_older_landlock_is_the_level_standard() {
    let older = |command: &mut Command| {
        command.env("BAKEOFF_LANDLOCK_AT_MOST", "2");
    };
    let said = doctor(older);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let confinement = &said.json()["facts"]["confinement"];
    assert_eq!(confinement["level"], "standard");
    assert_eq!(confinement["means"]["landlock_abi"], 2);
    let cache = tempfile::tempdir().unwrap();
    let mut built = build(cache.path());
    older(&mut built);
    let said: CommandOutput = built.output().unwrap().into();
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert_eq!(said.json()["confinement"], "standard");
}

/// As where user namespaces are switched off.
#[test]
fn a_bubblewrap_that_does_not_work_is_left_out() {
    let (_folder, path) = with_bwrap("echo 'No permissions to create new namespace' >&2; exit 1");
    let said = doctor(|command| {
        command.env("PATH", &path);
    });
    assert_eq!(said.status, 0, "{}", said.stderr);
    let confinement = &said.json()["facts"]["confinement"];
    assert_eq!(confinement["bubblewrap_installed"], true);
    assert_eq!(confinement["means"]["outer_layer"], Value::Null);
    let cache = tempfile::tempdir().unwrap();
    let said: CommandOutput = build(cache.path())
        .env("PATH", &path)
        .output()
        .unwrap()
        .into();
    assert_eq!(said.status, 0, "{}", said.stderr);
}

#[test]
fn the_report_says_what_the_confinement_is_made_of() {
    let (said, report, _out) = run_experiment("examples/top-k", &["--budget", "2s"]);
    assert!(said.status == 0 || said.status == 1, "{}", said.stderr);
    let fences = report["environment"]["fences"].as_array().unwrap();
    let fences: Vec<&str> = fences.iter().filter_map(Value::as_str).collect();
    assert!(fences[0].starts_with("landlock "), "{fences:?}");
    assert_eq!(fences[1], "seccomp");
}

#[test]
fn other_formats_are_refused() {
    let said = run_bakeoff(&["doctor", "--format", "html"]);
    assert_eq!(said.status, 2);
    assert!(said.stderr.contains("human or json"), "{}", said.stderr);
}
