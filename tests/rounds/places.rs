//! A search that changes places of a source.

use super::{Valley, loss};
use std::fs;

#[test]
fn a_place_in_a_source_changes_until_it_is_right() {
    let valley = Valley::fixed();
    let report = valley.report(&["run"]);
    let best = report["rounds"]["finalists"][0]["name"].as_str().unwrap();
    assert!(loss(&report, best) <= 2.0, "{report:#}");
    let source = valley.run(&["archive", "--source", best]);
    assert!(source.stdout.contains("pub fn place"), "{}", source.stdout);
    assert!(!source.stdout.contains("let x = 40;"), "{}", source.stdout);
    let diff = valley.run(&["archive", "--diff", "fixed 1.1"]);
    assert!(
        diff.stdout.contains("\nmade from fixed\n") && diff.stdout.contains("\n- "),
        "{}{}",
        diff.stdout,
        diff.stderr
    );
    // The report has the same lines, and needs no record of the search for them.
    let told = &report["rounds"]["differences"][0];
    assert_eq!(told["candidate"], "fixed 1.1");
    let lines = told["lines"].as_array().unwrap().iter();
    let gone = lines.clone().find_map(|line| line["before"].as_str());
    let new = lines.clone().find_map(|line| line["after"].as_str());
    for (mark, line) in [("\n- ", gone.unwrap()), ("\n+ ", new.unwrap())] {
        let line = format!("{mark}{line}\n");
        assert!(diff.stdout.contains(&line), "{line}: {}", diff.stdout);
    }
    fs::remove_file(valley.record()).unwrap();
    let page = valley.run(&["report", "--format", "html"]).stdout;
    let line = format!("<ins>+ {}</ins>", new.unwrap());
    assert!(page.contains(&line), "{line}: {page}");
    // It can be taken, though no file of the experiment has it.
    let picked = valley.0.path().join("picked.rs");
    let taken = valley.run(&["pick", "--copy", picked.to_str().unwrap()]);
    assert_eq!(taken.status, 0, "{}", taken.stderr);
    assert_eq!(fs::read_to_string(picked).unwrap(), source.stdout);
}
