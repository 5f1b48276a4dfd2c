//! What `bakeoff init --workload` writes.

use crate::support::{run_bakeoff, run_experiment, variant};
use std::fs;

#[test]
fn a_workload_that_init_writes_makes_inputs_by_size_or_by_name_and_judges_answers() {
    let folder = tempfile::tempdir().unwrap();
    for (name, more) in [("by-size", None), ("by-name", Some("--instances"))] {
        let dir = folder.path().join(name);
        let dir = dir.to_str().unwrap();
        let words: Vec<&str> = ["init", dir, "--workload", name]
            .into_iter()
            .chain(more)
            .collect();
        let output = run_bakeoff(&words);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let file = format!("{dir}/bakeoff.toml");
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.contains("\"few-40000\""), more.is_some(), "{text}");
        assert_eq!(text.contains("sizes = ["), more.is_none(), "{text}");
        let text = text.replacen("budget = \"20 s\"", "precision = 0.5\nbudget = \"3 s\"", 1);
        fs::write(&file, text).unwrap();
        let (output, report, _results) = run_experiment(dir, &[]);
        assert!(output.ended_a_run(), "{}", output.stderr);
        assert_eq!(
            variant(&report, "sort")["scores"]["accuracy"]["value"],
            10.0
        );
        let error = &variant(&report, "sketch")["readings"]["assess:error"];
        let percent = error["value"].as_f64().unwrap();
        assert!(percent > 0.0 && percent < 10.0, "{error}");
        // An experiment that there is keeps its own.
        let again = run_bakeoff(&words);
        assert_eq!(again.status, 2);
        assert!(again.explains("has a workload already"), "{}", again.stderr);
    }
    let dir = folder.path().join("x");
    let wrong = run_bakeoff(&["init", dir.to_str().unwrap(), "--workload", "../x"]);
    assert_eq!((wrong.status, dir.exists()), (2, false));
}
