//! Bundles that we packed: verified from the file alone, the same whoever packs them.

use super::{figures, verify};
use crate::finished::{CASES, PLANTED, TOP_K};
use crate::support::run_bakeoff;
use serde_json::Value;
use std::fs;

#[test]
fn a_bundle_is_verified_from_the_file_alone() {
    let finished = PLANTED.copy();
    let bundle = finished.pack();
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("sent.bundle");
    fs::copy(&bundle, &moved).unwrap();
    drop(finished);

    let (said, verification) = verify(moved.to_str().unwrap());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    let reproduced = figures(&verification, "reproduced");
    for figure in [
        "inputs: interface",
        "inputs: workload",
        "good: component",
        "good: reading source-lines",
        "good: fuel, case 32000",
        "panics: check",
        "report: shares of first places",
    ] {
        assert!(
            reproduced.iter().any(|found| found == figure),
            "no {figure} in {reproduced:#?}"
        );
    }
    let left = fs::read_dir(elsewhere.path()).unwrap().count();
    assert_eq!(left, 1, "something was unpacked beside the bundle");
}

#[test]
fn cases_of_a_file_are_packed_too() {
    let finished = CASES.copy();
    let bundle = finished.pack();
    let (said, verification) = verify(bundle.to_str().unwrap());
    assert_eq!(figures(&verification, "differs"), Vec::<String>::new());
    assert_eq!(said.status, 0);
    assert!(verification["reproduced"].as_u64().unwrap() > 20);
}

#[test]
fn the_same_run_is_packed_to_the_same_bytes_and_over_nothing() {
    let finished = CASES.copy();
    let bundle = finished.pack();
    let again = finished.path("again.bundle");
    let to = again.to_str().unwrap();
    let said = run_bakeoff(&["pack", finished.dir(), "--out", to, "--format", "json"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert_eq!(said.json()["run"], 1);
    assert!(fs::read(&bundle).unwrap() == fs::read(&again).unwrap());
    let over = run_bakeoff(&["pack", finished.dir(), "--out", to]);
    assert_eq!(over.status, 2);
    assert!(over.explains("exists already"), "{}", over.stderr);
}

#[test]
fn tables_are_exported_whole_and_by_run() {
    let finished = TOP_K.copy();
    let out = finished.path("exported");
    let to = out.to_str().unwrap();
    let dir = finished.dir();
    let said = run_bakeoff(&["export", dir, "--out", to]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let tables = [
        "runs",
        "variants",
        "iterations",
        "results",
        "trials",
        "replicas",
        "samples",
        "verdicts",
        "events",
    ];
    for table in tables {
        let text = fs::read_to_string(out.join(format!("{table}.jsonl"))).unwrap();
        assert!(!text.is_empty(), "{table}");
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["run"], 1, "{table}");
        }
    }
    let one = run_bakeoff(&["export", dir, "--format", "csv", "--table", "samples"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    let rows = fs::read_to_string(out.join("samples.jsonl")).unwrap();
    assert_eq!(one.stdout.lines().count(), rows.lines().count() + 1);
    assert!(one.stdout.starts_with("run,race,replica,sample,variant,"));
    for (arguments, why) in [
        (&["--format", "md"][..], "--format jsonl"),
        (&["--format", "csv"][..], "--table"),
        (&["--format", "csv", "--table", "x"][..], "samples"),
        (
            &["--format", "csv", "--table", "runs", "--run", "9"][..],
            "no run 9",
        ),
    ] {
        let said = run_bakeoff(&[&["export", dir][..], arguments].concat());
        assert_eq!(said.status, 2, "{}", said.stderr);
        assert!(said.explains(why), "{}", said.stderr);
    }
}

/// The shape that criterion's own reader, and critcmp, ask for.
#[test]
fn times_are_exported_in_the_files_of_criterion() {
    let finished = TOP_K.copy();
    let to = finished.path("target/criterion");
    let export = ["export", finished.dir(), "--format", "criterion"];
    let out = ["--out", to.to_str().unwrap(), "--baseline", "main"];
    let said = run_bakeoff(&[&export[..], &out].concat());
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(
        said.stderr.contains("times of 4 variants and cases"),
        "{}",
        said.stderr
    );
    for variant in TOP_K.report["variants"].as_array().unwrap() {
        let readings = &variant["readings"]["time"]["by_case"];
        for (case, reported) in ["16000", "64000"].iter().zip(readings.as_array().unwrap()) {
            let id = variant["id"].as_str().unwrap();
            let folder = to.join(format!("top-k/{id}/{case}/main"));
            let read = |name: &str| -> Value {
                serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
            };
            let benchmark = read("benchmark.json");
            let name = variant["name"].as_str().unwrap();
            assert_eq!(benchmark["full_id"], format!("top-k/{name}/{case}"));
            assert_eq!(benchmark["value_str"], *case);
            let estimates = read("estimates.json");
            for statistic in ["mean", "median", "median_abs_dev", "std_dev"] {
                let of = &estimates[statistic];
                let ends = &of["confidence_interval"];
                let figure = |value: &Value| value.as_f64().unwrap();
                assert!(
                    figure(&ends["lower_bound"]) <= figure(&ends["upper_bound"]),
                    "{of}"
                );
                assert!(figure(&of["standard_error"]) >= 0.0, "{of}");
            }
            let middle = estimates["median"]["point_estimate"].as_f64().unwrap();
            let ratio = middle / reported.as_f64().unwrap();
            assert!(
                (0.8..1.25).contains(&ratio),
                "{middle} ns, and {reported} in the report"
            );
            let sample = read("sample.json");
            let [calls, times] = ["iters", "times"].map(|name| sample[name].as_array().unwrap());
            assert!(!calls.is_empty() && calls.len() == times.len());
        }
    }
    let beside = run_bakeoff(&[&export[..], &["--table", "samples"]].concat());
    assert_eq!(beside.status, 2);
    assert!(
        beside.explains("times alone, to a folder"),
        "{}",
        beside.stderr
    );
    let bad = run_bakeoff(&[&export[..], &["--out", "x", "--baseline", "../x"]].concat());
    assert_eq!(bad.status, 2);
    let nowhere = run_bakeoff(&export);
    assert!(
        nowhere.explains("say --out target/criterion"),
        "{}",
        nowhere.stderr
    );

    // A folder that was sent may have a link to another one in it.
    let (sent, other) = (finished.path("sent"), finished.path("other"));
    fs::create_dir_all(&sent).unwrap();
    fs::create_dir_all(&other).unwrap();
    std::os::unix::fs::symlink(&other, sent.join("top-k")).unwrap();
    let refused = run_bakeoff(&[&export[..], &["--out", sent.to_str().unwrap()]].concat());
    assert_ne!(refused.status, 0);
    assert!(
        refused.explains("nothing is read or written through a link"),
        "{}",
        refused.stderr
    );
    assert!(fs::read_dir(&other).unwrap().next().is_none());
}
