//! Experiments that are put together for one race, and what their reports say of a pair.

use crate::support::{CommandOutput, root, run_experiment};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A prototype of an experiment: its name, and its file's name and content.
pub(super) struct Prototype {
    pub(super) name: &'static str,
    key: &'static str,
    file: String,
    content: Vec<u8>,
}

/// A file of a folder below `tests/cheats`, which is named after what it does.
pub(super) fn source_in(folder: &str, name: &'static str) -> Prototype {
    let file = format!("{}.rs", name.replace('-', "_"));
    let content = fs::read(root().join("tests/cheats").join(folder).join(&file)).unwrap();
    Prototype {
        name,
        key: "source",
        file,
        content,
    }
}

/// A source that is written here.
pub(super) fn written(name: &'static str, text: &str) -> Prototype {
    Prototype {
        name,
        key: "source",
        file: format!("{name}.rs"),
        content: text.as_bytes().to_vec(),
    }
}

pub(super) fn component(name: &'static str, content: Vec<u8>) -> Prototype {
    Prototype {
        name,
        key: "component",
        file: format!("{name}.wasm"),
        content,
    }
}

/// Writes an experiment: its text without the approaches, the files beside it, and the prototypes.
fn write(folder: &Path, text: &str, files: &[(&str, &str)], prototypes: &[Prototype]) {
    let mut text = text.to_owned();
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
    }
    for prototype in prototypes {
        fs::write(folder.join(&prototype.file), &prototype.content).unwrap();
        let (name, key, file) = (prototype.name, prototype.key, &prototype.file);
        text += &format!("[[approach]]\nname = \"{name}\"\n{key} = \"{file}\"\n");
    }
    fs::write(folder.join("bakeoff.toml"), text).unwrap();
}

/// Runs such an experiment.
pub(super) fn run(
    text: &str,
    files: &[(&str, &str)],
    prototypes: &[Prototype],
    more: &[&str],
) -> (CommandOutput, Value) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), text, files, prototypes);
    let (output, report, _out) = run_experiment(folder.path().to_str().unwrap(), more);
    (output, report)
}

/// The rows of a report in which one variant is called faster than another, by whichever clock, over
/// all cases or on one.
pub(super) fn wins<'a>(report: &'a Value, winner: &str, loser: &str) -> Vec<&'a Value> {
    let rows = |key: &str| report[key].as_array().map_or(&[][..], Vec::as_slice);
    let wins = |row: &&Value| {
        let verdict = row["verdict"].as_str().unwrap();
        (row["a"] == winner && row["b"] == loser && verdict == "beats")
            || (row["b"] == winner && row["a"] == loser && verdict == "beaten")
    };
    rows("verdicts")
        .iter()
        .chain(rows("wall_verdicts"))
        .filter(wins)
        .collect()
}

/// Checks that one variant is surely faster than another over all cases, and never slower: the harness
/// has the power to tell them apart.
#[track_caller]
pub(super) fn assert_wins(report: &Value, winner: &str, loser: &str) {
    let overall = |row: &&Value| row["case"].is_null();
    let won = wins(report, winner, loser);
    assert!(
        won.iter().any(overall) && wins(report, loser, winner).is_empty(),
        "{winner} does not beat {loser}: {:#}\n{}",
        report["verdicts"],
        report["notes"]
    );
}

/// The notes of a report, one on each line.
pub(super) fn notes(report: &Value) -> String {
    let notes = report["notes"].as_array().unwrap().iter();
    notes
        .map(|note| note.as_str().unwrap_or_default().to_owned() + "\n")
        .collect()
}
