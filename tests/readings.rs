//! Readings that vary from one time to the next: whoever ranks by them needs a verdict.

use crate::support::{CommandOutput, run_bakeoff, run_experiment, variant};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const WIT: &str = "package readings:test;
world prototype { export pack: func(weights: list<u32>) -> list<u32>; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<u32>;
  export check: func(weights: list<u32>, answer: list<u32>) -> result<_, string>;
  export assess: func(weights: list<u32>, answer: list<u32>) -> list<tuple<string, f64>>;
}
";

/// Weights to be put into bins of 100; an answer says the bin of each.
const WORKLOAD: &str = r#"use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| 20 + rng.below(50) as u32).collect()
}
fn bins(weights: &[u32], answer: &[u32]) -> Vec<u32> {
    let mut bins = vec![0; answer.iter().max().map_or(0, |last| *last as usize + 1)];
    for (weight, bin) in weights.iter().zip(answer) {
        bins[*bin as usize] += weight;
    }
    bins
}
pub fn check(weights: Vec<u32>, answer: Vec<u32>) -> Result<(), String> {
    let fits = bins(&weights, &answer).iter().all(|bin| *bin <= 100);
    if fits && weights.len() == answer.len() { Ok(()) } else { Err("does not fit".to_owned()) }
}
pub fn assess(weights: Vec<u32>, answer: Vec<u32>) -> Vec<(String, f64)> {
    vec![("bins".to_owned(), bins(&weights, &answer).len() as f64)]
}
"#;

/// Puts each weight into a bin that `choose` picks of those with room, else into a new one.
fn heuristic(choose: &str) -> String {
    format!(
        "pub fn pack(weights: Vec<u32>) -> Vec<u32> {{
    let mut bins: Vec<u32> = Vec::new();
    let mut answer = Vec::with_capacity(weights.len());
    for weight in weights {{
        let room = bins.iter().enumerate().filter(|(_, bin)| **bin + weight <= 100);
        let found = room.{choose}.map(|(place, _)| place);
        let place = found.unwrap_or_else(|| {{ bins.push(0); bins.len() - 1 }});
        bins[place] += weight;
        answer.push(place as u32);
    }}
    answer
}}
"
    )
}

const FIRST_FIT: &str = "take(1).last()";
const BEST_FIT: &str = "max_by_key(|(_, bin)| **bin)";
/// Only the last bin is looked at: needs clearly more of them.
const NEXT_FIT: &str = "last().filter(|(place, _)| place + 1 == bins.len())";

/// An experiment with these approaches and this criterion beside time.
fn experiment(approaches: &[(&str, String)], criterion: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), approaches, criterion);
    folder
}

fn write(folder: &Path, approaches: &[(&str, String)], criterion: &str) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("pack.wit", WIT);
    write("workload.rs", WORKLOAD);
    let mut text = "name = \"packing\"\nproblem = \"Pack weights into bins.\"
interface = { wit = \"pack.wit\", call = \"pack\" }
workload = { source = \"workload.rs\", sizes = [60, 120] }
measure = { precision = 0.5 }
"
    .to_owned();
    for (name, source) in approaches {
        write(&format!("{name}.rs"), source);
        text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    }
    text += &format!("[[criterion]]\nname = \"ranks\"\n{criterion}\n");
    write("bakeoff.toml", &text);
}

const BINS: &str = "from = \"assess:bins\"\ndirection = \"lower-is-better\"\nunit = \"bins\"";

fn run(folder: &TempDir, more: &[&str]) -> (CommandOutput, Value, TempDir) {
    let experiment = folder.path().to_str().unwrap();
    run_experiment(experiment, more)
}

/// The verdict about `a` against `b` by a source.
fn by(report: &Value, source: &str, a: &str, b: &str) -> Value {
    let rows = report["reading_verdicts"][source].as_array();
    let rows = rows.unwrap_or_else(|| panic!("{:#}", report["reading_verdicts"]));
    let row = rows.iter().find(|row| row["a"] == a && row["b"] == b);
    row.unwrap_or_else(|| panic!("{a} against {b}: {rows:#?}"))
        .clone()
}

#[test]
fn quality_is_judged_over_many_inputs_that_all_variants_share() {
    let approaches = [
        ("first", heuristic(FIRST_FIT)),
        ("next", heuristic(NEXT_FIT)),
        // The same answers from another component.
        (
            "again",
            heuristic("fold(None, |first, bin| first.or(Some(bin)))"),
        ),
    ];
    let folder = experiment(&approaches, &format!("{BINS}\nrange = [0, 100]"));
    let (output, report, out) = run(&folder, &["--seed", "5", "--budget", "20s"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let row = by(&report, "assess:bins", "first", "next");
    assert_eq!(
        (&row["verdict"], &row["claim"]),
        (&"beats".into(), &"mean-difference".into())
    );
    assert_eq!(row["count"], 256);
    assert!(row["low"].as_f64() < row["value"].as_f64(), "{row}");
    assert!(row["high"].as_f64().unwrap() < 0.0, "{row}");
    let same = by(&report, "assess:bins", "first", "again");
    assert_eq!(
        (&same["verdict"], &same["high"]),
        (&"tie".into(), &0.0.into())
    );
    // The reading is the mean over all of these inputs.
    let bins = |id: &str| variant(&report, id)["readings"]["assess:bins"]["value"].as_f64();
    let apart = bins("first").unwrap() - bins("next").unwrap();
    assert!(
        (apart - row["value"].as_f64().unwrap()).abs() < 1e-9,
        "{apart} {row}"
    );
    assert_eq!(variant(&report, "next")["rank"], 3);
    assert_eq!(report["recommendation"]["outcome"], "tie");

    let results = out.path().to_str().unwrap();
    let verified = run_bakeoff(&["verify", results]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn without_a_range_more_inputs_count_and_no_seed_turns_them_round() {
    let approaches = [("best", heuristic(BEST_FIT)), ("next", heuristic(NEXT_FIT))];
    let folder = experiment(&approaches, &format!("{BINS}\nscale = \"ratio\""));
    for seed in ["1", "2"] {
        let (_, report, _out) = run(&folder, &["--seed", seed, "--budget", "20s"]);
        let row = by(&report, "assess:bins", "best", "next");
        assert_eq!(
            (&row["verdict"], &row["claim"]),
            (&"beats".into(), &"more-inputs".into())
        );
        assert_eq!(report["recommendation"]["winner"], "best");
    }
}

#[test]
fn an_answer_that_is_wrong_on_one_of_many_inputs_fails() {
    // Wrong on few inputs: the gate alone sees some thirty of them.
    let unlucky = heuristic(FIRST_FIT).replace(
        "    answer\n",
        "    if weights_sum % 97 == 0 { answer.pop(); }\n    answer\n",
    );
    let unlucky = unlucky.replace(
        "    let mut bins",
        "    let weights_sum: u32 = weights.iter().sum();\n    let mut bins",
    );
    let approaches = [("first", heuristic(FIRST_FIT)), ("unlucky", unlucky)];
    let folder = experiment(&approaches, &format!("{BINS}\nrange = [0, 100]"));
    let (output, report, _out) = run(&folder, &["--seed", "3", "--budget", "20s"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let failure = &variant(&report, "unlucky")["failure"];
    assert_eq!(
        (&failure["class"], &failure["phase"]),
        (&"wrong-answer".into(), &"check".into())
    );
}

#[test]
fn a_cold_start_ranks_by_verdict_and_not_by_a_median() {
    let approaches = [
        ("first", heuristic(FIRST_FIT)),
        (
            "again",
            heuristic("fold(None, |first, bin| first.or(Some(bin)))"),
        ),
    ];
    let folder = experiment(&approaches, "from = \"cold-start\"");
    let (_, report, out) = run(&folder, &["--budget", "20s"]);
    let row = by(&report, "cold-start", "first", "again");
    assert_eq!(row["claim"], "ratio");
    assert_eq!(row["count"], report["protocol"]["replicas"], "{row}");
    // Ranks differ only where the verdict says so.
    let sure = ["beats", "beaten"].contains(&row["verdict"].as_str().unwrap());
    let rank = |id: &str| variant(&report, id)["rank"].clone();
    assert_eq!(rank("first") != rank("again"), sure, "{row}");
    // Half of what one may be wrong is for time, half for the start: a kept run says the same again.
    let again = run_bakeoff(&["report", out.path().to_str().unwrap(), "--format", "json"]).json();
    assert_eq!(again["reading_verdicts"], report["reading_verdicts"]);
}

#[test]
fn build_times_rank_by_verdict_over_rounds_of_builds() {
    let long = (0..400).map(|number| {
        format!("pub fn part_{number}(x: u64) -> String {{ format!(\"{{x}} {number}\") }}\n")
    });
    let parts: String = long.collect();
    let used: Vec<String> = (0..400).map(|number| format!("part_{number}(1)")).collect();
    let long = heuristic(FIRST_FIT).replace(
        "    answer\n",
        &format!(
            "    if answer.len() > 1_000_000 {{ panic!(\"{{:?}}\", [{}]) }}\n    answer\n",
            used.join(", ")
        ),
    );
    let approaches = [
        ("short", heuristic(FIRST_FIT)),
        ("twin", heuristic(FIRST_FIT)),
        ("long", parts + &long),
    ];
    let folder = experiment(&approaches, "from = \"build-time\"");
    let (output, report, out) = run(&folder, &["--budget", "600s"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let row = by(&report, "build-time", "short", "long");
    assert_eq!(
        (&row["verdict"], &row["claim"]),
        (&"beats".into(), &"ratio".into())
    );
    assert!(row["count"].as_u64().unwrap() >= 3, "{row}");
    assert_eq!(
        by(&report, "build-time", "twin", "long")["verdict"],
        "beats"
    );
    assert_eq!(by(&report, "build-time", "short", "twin")["verdict"], "tie");
    let rank = |id: &str| variant(&report, id)["rank"].as_u64();
    assert_eq!(
        (rank("short"), rank("twin"), rank("long")),
        (Some(1), Some(1), Some(3))
    );
    // Each round is two builds more in the one queue, beside two builds, the replicas and more.
    let workers = report["cost"]["workers"].as_array().unwrap().iter();
    let tasks: u64 = workers.map(|one| one["tasks"].as_u64().unwrap()).sum();
    let rounds = row["count"].as_u64().unwrap();
    let replicas = report["protocol"]["replicas"].as_u64().unwrap();
    assert!(tasks > 2 * rounds + 2 + replicas, "{tasks} tasks: {row}");
    // Phases are the same tasks, otherwise added up.
    let phases = report["cost"]["phases"].as_array().unwrap();
    let names: Vec<&str> = phases
        .iter()
        .map(|one| one["phase"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["building", "checking", "measuring"]);
    let by_phase: u64 = phases
        .iter()
        .map(|one| one["tasks"].as_u64().unwrap())
        .sum();
    assert_eq!(by_phase, tasks);
    assert!(
        phases[0]["tasks"].as_u64().unwrap() >= 2 * rounds + 2,
        "{phases:?}"
    );
    // A run that goes on uses the rounds that are there.
    let again = [
        "run",
        folder.path().to_str().unwrap(),
        "--budget",
        "600s",
        "--format",
        "json",
        "--out",
        out.path().to_str().unwrap(),
    ];
    let again = run_bakeoff(&again).json();
    assert_eq!(by(&again, "build-time", "short", "long"), row);
}

#[test]
fn copies_of_one_program_tie_with_each_other_by_whatever_they_are_ranked() {
    let copies = ["one", "two", "three", "four"].map(|name| (name, heuristic(FIRST_FIT)));
    for source in ["time", "cold-start", "build-time", "peak-memory"] {
        let folder = experiment(&copies, &format!("from = \"{source}\""));
        let (output, report, _out) = run(&folder, &["--budget", "2s"]);
        assert_eq!(output.status, 0, "by {source}: {}", output.stderr);
        assert_eq!(report["recommendation"]["outcome"], "tie", "by {source}");
        for (id, _) in &copies {
            assert_eq!(variant(&report, id)["rank"], 1, "{id} by {source}");
        }
        let rows = match source {
            "cold-start" | "build-time" => &report["reading_verdicts"][source],
            _ => &report["verdicts"],
        };
        let rows = rows.as_array().unwrap().iter();
        let ties = rows.filter(|row| row["case"].is_null() && row["verdict"] == "tie");
        assert_eq!(ties.count(), 6, "by {source}");
    }
}
