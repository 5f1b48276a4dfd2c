//! Experiments from their files to their reports, by the built binary.

use crate::finished::{CASES, NO_ORACLE, PLANTED, TOP_K};
use crate::support::{run_bakeoff, variant, verdict};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The text of `tests/planted/canary.txt`, which must show up nowhere.
fn canary() -> String {
    fs::read_to_string(crate::support::root().join("tests/planted/canary.txt"))
        .unwrap()
        .trim()
        .to_owned()
}

fn assert_failed(report: &Value, id: &str, class: &str, message: &str) {
    let variant = variant(report, id);
    assert_eq!(variant["status"], "failed", "{id}: {variant:#}");
    assert_eq!(variant["failure"]["class"], class, "{id}: {variant:#}");
    let said = variant["failure"]["message"].as_str().unwrap();
    assert!(
        said.contains(message),
        "{id} says {said:?}, without {message:?}"
    );
}

fn contains_text(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => contains_text(&path, text),
            false => {
                let bytes = fs::read(&path).unwrap();
                bytes
                    .windows(text.len())
                    .any(|window| window == text.as_bytes())
            }
        }
    })
}

#[test]
fn planted_prototypes_appear_as_what_they_are() {
    let (output, report) = (&PLANTED.output, &PLANTED.report);
    // Which of the good ones is ahead, if any, is not what this is about.
    let answered = report["recommendation"]["outcome"] != "no-call";
    let status = if answered { 3 } else { 1 };
    assert_eq!(output.status, status, "{}", output.stderr);
    assert_failed(report, "off-by-one-beyond-size", "wrong-answer", "");
    assert_failed(report, "endless-loop", "fuel-limit", "");
    assert_failed(report, "memory-bomb", "memory-limit", "memory");
    assert_failed(report, "panics", "trap", "panics.rs:5");
    assert_failed(
        report,
        "does-not-compile",
        "build-failed",
        "does_not_compile.rs:5",
    );
    assert_failed(
        report,
        "wrong-signature",
        "build-failed",
        "wrong_signature.rs",
    );
    assert_failed(report, "missing-function", "build-failed", "top_k");
    assert_failed(report, "includes-host-file", "build-failed", "");
    assert_failed(report, "includes-neighbouring-file", "build-failed", "");
    assert_failed(report, "right-only-first-calls", "wrong-answer", "");
    assert_failed(report, "right-until-timed", "wrong-answer", "");
    assert_failed(report, "answers-by-call-count", "wrong-answer", "");
    assert_failed(report, "deep-recursion", "stack-limit", "");
    assert_failed(report, "huge-answer", "output-limit", "");
    let later = &variant(report, "endless-loop-later")["failure"]["class"];
    assert!(later == "fuel-limit" || later == "wall-limit", "{later}");

    for limit in [
        "memory-bomb",
        "endless-loop",
        "huge-answer",
        "deep-recursion",
    ] {
        assert!(
            variant(report, limit)["failure"]["limit"].is_string(),
            "{limit} does not name its limit"
        );
    }
    assert_eq!(variant(report, "good")["status"], "ranked");
    assert_eq!(variant(report, "learns-between-calls")["pure"], false);
    let same = verdict(report, "same-work", "same-work-in-other-words");
    assert!(same == "tie" || same == "no-call", "{same}");
    assert_ne!(verdict(report, "memoises-in-static", "good"), "beats");

    let canary = canary();
    assert!(!output.stdout.contains(&canary) && !output.stderr.contains(&canary));
    let finished = PLANTED.copy();
    assert!(
        !contains_text(&finished.results("planted"), &canary),
        "the canary is in the results"
    );
}

#[test]
fn cases_in_a_file_are_calls_and_answers() {
    let (output, report) = (&CASES.output, &CASES.report);
    // Calls of three numbers are far shorter than what the CPU clock can tell. Which of the two is ahead is
    // for the machine to say.
    assert!(matches!(output.status, 1 | 3), "{}", output.stderr);
    assert_failed(report, "reversed", "wrong-answer", "expected");
    for id in ["sort", "select"] {
        assert!(variant(report, id)["failure"].is_null(), "{id}");
    }
    assert!(report["too_short"].is_null(), "{}", report["too_short"]);
    assert!(report["protocol"]["replicas"].as_u64() > Some(0));
}

#[test]
fn without_an_oracle_those_who_disagree_are_not_ranked_by_a_vote() {
    let (output, report) = (&NO_ORACLE.output, &NO_ORACLE.report);
    assert!(output.ended_a_run(), "{}", output.stderr);
    assert_eq!(
        variant(report, "answers-by-call-count")["failure"]["class"],
        "nondeterministic"
    );
    // Two that agree do not outvote the third: nobody is ranked, and the input that shows it is named.
    for id in ["sort", "select", "forgets-negatives"] {
        assert_failed(report, id, "disagreement", "by sort, select");
        assert_eq!(variant(report, id)["failed_call"]["case"], 16_000);
    }
    assert_eq!(output.status, 1, "{}", output.stderr);
    let text = report["recommendation"]["text"].as_str().unwrap();
    assert!(
        text.contains("disagree about the answer for the input of size 16000"),
        "{text}"
    );
    let notes = report["notes"].to_string();
    assert!(notes.contains("give the workload a `check`"), "{notes}");
}

#[test]
fn a_report_says_what_its_contract_wants() {
    let (output, report) = (&TOP_K.output, &TOP_K.report);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(report["schema_version"], 1);
    for key in ["engine", "compiler", "cpu", "confinement", "system"] {
        assert!(
            report["environment"][key]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{key}"
        );
    }
    for variant in report["variants"].as_array().unwrap() {
        for source in [
            "fuel",
            "peak-memory",
            "component-size",
            "source-lines",
            "time",
        ] {
            assert!(
                variant["readings"][source]["value"]
                    .as_f64()
                    .is_some_and(|value| value > 0.0),
                "{source}"
            );
        }
    }
    for row in report["verdicts"].as_array().unwrap() {
        let number = |key: &str| row[key].as_f64();
        if let (Some(low), Some(ratio), Some(high)) =
            (number("low"), number("ratio"), number("high"))
        {
            assert!(low <= ratio && ratio <= high, "{row}");
        }
    }
    let finished = TOP_K.copy();
    let results = finished.results("top-k");
    for file in [
        "report.json",
        "report.md",
        "report.html",
        "charts/ratios.svg",
        "summary.md",
        "bakeoff.db",
        "events.jsonl",
    ] {
        assert!(results.join(file).is_file(), "{file}");
    }
    let summary = fs::read_to_string(results.join("summary.md")).unwrap();
    for part in ["## Comparison", "## What it took", "## How to go on"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
}

#[test]
fn the_events_of_the_contract_are_sent_for_every_approach() {
    let finished = TOP_K.copy();
    let file = finished.results("top-k").join("events.jsonl");
    let text = fs::read_to_string(file).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let sent = |name: &str| -> Vec<&Value> {
        let named = events.iter().filter(|event| event["name"] == name);
        named.map(|event| &event["data"]).collect()
    };
    assert_eq!(sent("orchestrator:exploration:start").len(), 1);
    assert_eq!(sent("orchestrator:evaluation:complete").len(), 1);
    for name in ["generated", "start", "complete"] {
        let mut ids: Vec<&str> = sent(&format!("orchestrator:approach:{name}"))
            .iter()
            .map(|data| data["approach_id"].as_str().unwrap())
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, ["heap", "sort"], "{name}");
    }
    let workers = TOP_K.report["cost"]["workers"].as_array().unwrap();
    let tasks: u64 = workers
        .iter()
        .map(|one| one["tasks"].as_u64().unwrap())
        .sum();
    // Two builds, two checks and the replicas; some may have been cut off when the race was over.
    let replicas = TOP_K.report["protocol"]["replicas"].as_u64().unwrap();
    assert!(tasks >= 4 + replicas, "{workers:?}, {replicas} replicas");
}

#[test]
fn build_and_check_say_what_a_file_is() {
    let out = tempfile::tempdir().unwrap();
    let component = out.path().join("heap.wasm");
    let component = component.to_str().unwrap();
    let interface = ["--wit", "examples/top-k/wit", "--call", "top-k"];
    let mut build = vec![
        "build",
        "examples/top-k/approaches/heap.rs",
        "-o",
        component,
        "--format",
        "json",
    ];
    build.extend(interface);
    let built = run_bakeoff(&build);
    assert_eq!(built.status, 0, "{}", built.stderr);
    assert_eq!(built.json()["imports"], serde_json::json!([]));

    let mut check = vec!["check", component];
    check.extend(interface);
    let fits = run_bakeoff(&check);
    assert_eq!(fits.status, 0, "{}", fits.stderr);
    assert!(fits.stdout.contains("top-k"), "{}", fits.stdout);

    let other = [
        "check",
        component,
        "--wit",
        "tests/planted/other-wit",
        "--call",
        "top-k",
    ];
    let differs = run_bakeoff(&other);
    assert_eq!(differs.status, 1, "{}", differs.stderr);
    assert!(differs.stdout.contains("wrong-world"), "{}", differs.stdout);
    assert!(
        differs.stdout.contains("list<s64>") && differs.stdout.contains("list<u32>"),
        "{}",
        differs.stdout
    );
}
