//! Results that version 0.1.0 left: they still open, and say what they said: verdicts by the
//! rules of this version would be others. Each is the database of a run of
//! this repository's own experiments, as that version wrote it.

use crate::support::{CommandOutput, root, run_bakeoff};
use serde_json::Value;
use std::fs;

/// The results of a run of version 0.1.0, in a folder of their own, with the report in them.
fn results(name: &str) -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bakeoff.db");
    let kept = root().join("tests/fixtures/results-0.1.0");
    fs::copy(kept.join(format!("{name}.db")), &file).unwrap();
    let db = rusqlite::Connection::open(&file).unwrap();
    let report: String = db
        .query_row("SELECT report FROM run", [], |row| row.get(0))
        .unwrap();
    (folder, serde_json::from_str(&report).unwrap())
}

fn run_on(folder: &tempfile::TempDir, command: &[&str]) -> CommandOutput {
    let folder = folder.path().to_str().unwrap();
    run_bakeoff(&[&command[..1], &[folder], &command[1..]].concat())
}

/// The values of a report: all but its sentences, and what followed from rules that are gone.
fn values(mut report: Value) -> Value {
    for key in ["verdicts", "wall_verdicts"] {
        for row in report[key].as_array_mut().into_iter().flatten() {
            row.as_object_mut().unwrap().remove("reversal");
        }
    }
    for key in ["notes", "options"] {
        report[key] = Value::Null;
    }
    report["recommendation"]["text"] = Value::Null;
    for variant in report["variants"].as_array_mut().unwrap() {
        variant["reason"] = Value::Null;
    }
    report
}

#[test]
fn reports_of_the_version_before_are_shown_as_they_were_kept() {
    for name in ["top-k", "planted", "planted-no-oracle", "planted-cases"] {
        let (folder, kept) = results(name);
        let shown = run_on(&folder, &["report", "--format", "json"]);
        assert!(
            shown.explains("by the rules of this one") && shown.explains("as it was kept"),
            "{name}: {}",
            shown.stderr
        );
        assert_eq!(values(shown.json()), values(kept), "{name}");
    }
}

#[test]
fn what_the_version_before_did_not_keep_is_said() {
    let (folder, kept) = results("top-k");
    for command in ["verify", "pack"] {
        let refused = run_on(&folder, &[command]);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        assert!(refused.explains("did not keep the files it measured"));
        assert!(refused.explains("bakeoff run --fresh"));
    }
    assert_eq!(kept["recommendation"]["winner"], "quickselect");
    let picked = run_on(&folder, &["pick"]);
    assert!(picked.explains("whether this is it is not known"));
    let copy = folder.path().join("copy.rs");
    let copied = run_on(&folder, &["pick", "--copy", copy.to_str().unwrap()]);
    assert_eq!(copied.status, 2, "{}", copied.stderr);
    assert!(!copy.exists());
}
