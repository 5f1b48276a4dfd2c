//! Searches with cells or islands, which keep programs in play that differ from the best.

use super::{Valley, lineage, loss};
use crate::support::bakeoff;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

/// Two valleys: most places lead down to (10, 10), whose loss is 20; that of (90, 90) is 1, and no move of one parameter leads
/// there from the first.
const TWO_VALLEYS: &str = "
    let near = 20 + (x - 10).abs() + (y - 10).abs();
    let far = 1 + 2 * ((x - 90).abs() + (y - 90).abs());
    let named = [(\"loss\", near.min(far)), (\"east\", x), (\"north\", y)];
    named.map(|(name, value)| (name.to_owned(), f64::from(value))).to_vec()
}
";

const CELLS: &str = "cells = [{ by = \"assess:east\", bounds = [25, 50, 75] }, \
                     { by = \"assess:north\", bounds = [25, 50, 75] }]\n";

/// An experiment whose approach walks from (0, 0) between two valleys, in rounds with these options.
fn two_valleys(options: &str) -> Valley {
    let valley = Valley::new();
    let workload = valley.0.path().join("workload.rs");
    let text = fs::read_to_string(&workload).unwrap();
    let (head, assess) = text.split_once("pub fn assess").unwrap();
    let (signature, _) = assess.split_once("{\n").unwrap();
    let text = format!("{head}pub fn assess{signature}{{{TWO_VALLEYS}");
    fs::write(&workload, text).unwrap();
    valley.change(
        "until = \"gates\"",
        &format!("until = \"gates\"\n{options}"),
    );
    let reading = |name: &str| {
        format!(
            "\n[[criterion]]\nname = \"{name}\"\nweight = 0\nfrom = \"assess:{name}\"\ndirection = \"higher-is-better\"\n\
             range = [0, 100]\n"
        )
    };
    let text = valley.text() + &reading("east") + &reading("north");
    fs::write(valley.file(), text).unwrap();
    valley
}

#[test]
fn cells_pass_a_gate_that_the_best_alone_do_not_lead_to() {
    let plain = two_valleys("patience = 1000\n");
    let report = plain.report(&["run"]);
    let rounds = &report["rounds"];
    assert_eq!(rounds["ended"], "the ways had nothing further to try");
    assert_eq!(rounds["lineage"][0]["reading"], 40.0);
    let best = |report: &Value| {
        let finalists = &report["rounds"]["finalists"];
        loss(report, finalists[0]["name"].as_str().unwrap())
    };
    assert_eq!(best(&report), 20.0);
    assert_eq!(rounds["archive"], Value::Null);
    let output = plain.run(&["archive", "--map"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(
        output.explains("the search has no cells"),
        "{}",
        output.stderr
    );

    let with_cells = two_valleys(&format!("patience = 1000\n{CELLS}"));
    let report = with_cells.report(&["run"]);
    let ended = report["rounds"]["ended"].as_str().unwrap();
    assert!(ended.ends_with("passes every gate"), "{report:#}");
    assert!(best(&report) <= 2.0);
    let map = &report["rounds"]["archive"];
    assert_eq!(map["by"], "assess:loss");
    let filled = map["cells"].as_array().unwrap();
    let at = |place: [u64; 2]| {
        let mut cells = filled.iter();
        let cell = cells.find(|one| one["at"] == serde_json::json!(place));
        cell.and_then(|cell| cell["reading"].as_f64())
    };
    assert!(at([0, 0]) >= Some(20.0), "{map:#}");
    assert!(at([3, 3]) <= Some(2.0), "{map:#}");

    // The same map in every form.
    let shown = with_cells.run(&["archive", "--map"]);
    let words = format!("{} of 16 cells are filled", filled.len());
    for text in [
        &shown.stdout,
        &with_cells.run(&["report"]).stdout,
        &with_cells.run(&["report", "--format", "md"]).stdout,
        &with_cells.run(&["report", "--format", "html"]).stdout,
    ] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [words.as_str(), "25 to 50", "The archive as a map"] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
    let known = with_cells.run(&["archive", "--format", "json"]).json();
    assert_eq!(known["archive"], *map);
    let drawn = with_cells
        .0
        .path()
        .join(".bakeoff/valley/charts/archive.svg");
    let drawn = fs::read_to_string(drawn).unwrap();
    assert_eq!(drawn.matches("<rect").count(), filled.len(), "{drawn}");
}

#[test]
fn a_search_with_cells_or_islands_that_was_killed_goes_on_along_the_same_path() {
    for options in [CELLS, "islands = 3\nmigrate_every = 2\n"] {
        let options = format!("patience = 1000\n{options}");
        let whole = two_valleys(&options);
        let expected = whole.report(&["run", "--rounds", "12"]);
        let valley = two_valleys(&options);
        let mut child = bakeoff(&["run", valley.dir(), "--rounds", "12"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !valley.record().exists() {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        let gone_on = valley.report(&["run", "--rounds", "12"]);
        assert_eq!(lineage(&gone_on), lineage(&expected));
        assert_eq!(gone_on["rounds"]["archive"], expected["rounds"]["archive"]);
        let mut rows = expected["rounds"]["lineage"].as_array().unwrap().iter();
        let is_on_islands = rows.any(|one| one["island"] == 3);
        assert_eq!(is_on_islands, options.contains("islands"));
    }
}

#[test]
fn cells_and_islands_that_cannot_be_are_said_before_anything_is_built() {
    let says = |valley: &Valley, why: &str| {
        for words in [&["run"][..], &["run", "--dry-run"]] {
            let output = valley.run(words);
            assert_eq!(output.status, 2, "{}", output.stderr);
            assert!(output.explains(why), "{why}: {}", output.stderr);
        }
    };
    let valley = Valley::new();
    valley.change("until = \"gates\"", CELLS);
    says(&valley, "no criterion is from it, so nobody reads it");
    let valley = Valley::new();
    valley.change("until = \"gates\"", "islands = 2\npropose = [\"draw\"]");
    says(&valley, "islands make candidates of their own best");
    let valley = Valley::new();
    valley.change("until = \"gates\"", "ahead = true");
    says(&valley, "`ahead` asks a model for the next round");
    // Another division of the search is another search.
    let valley = two_valleys(CELLS);
    let first = valley.run(&["evolve", "--rounds", "1"]);
    assert!(first.ended_a_run(), "{}", first.stderr);
    assert!(
        first.stderr.contains(" of 16 cells filled"),
        "{}",
        first.stderr
    );
    valley.change("bounds = [25, 50, 75]", "bounds = [50]");
    let other = valley.run(&["evolve", "--rounds", "1"]);
    assert!(
        other.stderr.contains("the search begins anew"),
        "{}",
        other.stderr
    );
}
