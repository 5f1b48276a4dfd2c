//! What a report says of the parts of calls: of a resource that is called in three, and of the start that a
//! fresh instance has.

use crate::finished::copy_experiment;
use crate::support::{root, run_bakeoff, run_experiment, variant};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Keeps the experiment's interface and inputs, with these approaches.
fn with_approaches(folder: &Path, names: &[&str]) {
    let file = folder.join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let (head, _) = text.split_once("[[approach]]").unwrap();
    let mut text = head.to_owned();
    for name in names {
        text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"approaches/{name}.rs\"\n");
    }
    text += "[measure]\nprecision = 0.5\nbudget = \"60 s\"\n";
    fs::write(
        file,
        text.replace("sizes = [4_000, 32_000]", "sizes = [400, 2_000]"),
    )
    .unwrap();
}

#[test]
fn parts_and_starts_are_shown_wherever_a_report_is() {
    let folder = tempfile::tempdir().unwrap();
    copy_experiment(&root().join("examples/index"), folder.path());
    let sorted = fs::read_to_string(folder.path().join("approaches/sorted.rs")).unwrap();
    let with_start = sorted.replacen("keys.sort", "START.get_or_init(start); keys.sort", 1)
        + "static START: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
           fn start() -> u64 { (0..200_000).fold(0, |sum, n| sum ^ std::hint::black_box(n)) }\n";
    fs::write(folder.path().join("approaches/starting.rs"), with_start).unwrap();
    with_approaches(folder.path(), &["sorted", "starting", "merged"]);
    let (output, report, results) = run_experiment(folder.path().to_str().unwrap(), &[]);
    assert!(output.ended_a_run(), "{}", output.stderr);

    let reading = |id: &str, source: &str| variant(&report, id)["readings"][source].clone();
    let ns = |id: &str, source: &str| reading(id, source)["by_case"][1].as_f64().unwrap();
    // What is prepared is sorted, what is merged is not.
    assert!(ns("sorted", "prepare-time") > 10.0 * ns("merged", "prepare-time"));
    assert!(ns("merged", "run-time") > ns("sorted", "run-time"));
    let parts = ["prepare-time", "run-time", "output-time"].map(|part| ns("starting", part));
    let (whole, start) = (ns("starting", "time"), ns("starting", "start-time"));
    assert!(
        start > 0.3 * whole && start < parts[0],
        "{parts:?} {whole} {start}"
    );
    assert_eq!(reading("sorted", "start-time"), Value::Null);
    let notes = report["notes"].as_array().unwrap();
    let notes: Vec<&str> = notes.iter().filter_map(Value::as_str).collect();
    let starts: Vec<&&str> = notes
        .iter()
        .filter(|note| note.contains("are its start"))
        .collect();
    assert_eq!(starts.len(), 1, "{notes:#?}");
    assert!(starts[0].starts_with("starting: of the ") && starts[0].contains(" on 400, "));

    let results = results.path().to_str().unwrap();
    for format in ["human", "md", "html"] {
        let shown = run_bakeoff(&["report", results, "--format", format]);
        assert_eq!(shown.status, 0, "{}", shown.stderr);
        let caption = "Parts of a call, of its time in the mean over the cases";
        assert!(shown.stdout.contains(caption), "{format}: {}", shown.stdout);
    }
    let exported = run_bakeoff(&["export", results, "--format", "csv", "--table", "parts"]);
    let header = "run,race,replica,variant,case,calls,cpu_ns,start_ns,prepare_ns,run_ns,output_ns,\
                  later_call_ns";
    let mut lines = exported.stdout.lines();
    assert_eq!(lines.next(), Some(header), "{}", exported.stderr);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<u64>().unwrap_or(0);
        let parts = number(8) + number(9) + number(10);
        assert_eq!(number(6), number(7) + parts, "{line}");
        assert_eq!(number(11) > 0, cells[3] == "starting", "{line}");
    }
    let verified = run_bakeoff(&["verify", results]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn a_part_is_no_criterion() {
    let folder = tempfile::tempdir().unwrap();
    copy_experiment(&root().join("examples/index"), folder.path());
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("from = \"time\"", "from = \"run-time\""),
    )
    .unwrap();
    let output = run_bakeoff(&["run", folder.path().to_str().unwrap()]);
    assert_eq!(output.status, 2);
    assert!(
        output.explains("is shown, and ranks nobody"),
        "{}",
        output.stderr
    );
}
