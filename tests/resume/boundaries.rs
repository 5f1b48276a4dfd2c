//! A run that ends at every record boundary there is: the database and the list of events as a kill
//! leaves them right after each commit. What goes on from there is the same run, and repeats nothing.

use super::events;
use super::kills::exact;
use crate::support::{CommandOutput, bakeoff, measuring_slot};
use crate::timed::{GOOD, SEED, WIT, WORKLOAD};
use bakeoff_domain::plan::{InputPurpose, sample_seeds};
use bakeoff_store::seal_again;
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What is kept, one commit each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Record {
    Build(String),
    Gate(String),
    Pilot,
    Dropout(String),
    Replica(i64),
    Report,
}

/// An experiment with a record of every kind: two that are right, one that fails in the race, one
/// that does not compile. One takes twice as long, so that the race ends with a winner: where the budget
/// ends one, there may be room for another replica the next time.
fn experiment(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let input = sample_seeds(&SEED.race_secret(), InputPurpose::Timed, 0, 0, 0).of_call(0);
    let panics = format!("u64 {{\n    assert!(values[0] != {input}, \"unlucky\");\n");
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("good.rs", GOOD);
    let fold = "values.iter().fold(0, mix)";
    let twice = format!("std::hint::black_box({fold});\n    {fold}");
    write("other.rs", &GOOD.replace(fold, &twice));
    write("later.rs", &GOOD.replace("u64 {\n", &panics));
    write("broken.rs", "pub fn total(");
    let mut text = "name = \"small\"\nproblem = \"?\"\n[interface]\nwit = \"total.wit\"\n\
        call = \"total\"\n[workload]\nsource = \"workload.rs\"\nsizes = [100000]\n[measure]\n\
        budget = \"60 s\"\n"
        .to_owned();
    for name in ["good", "other", "later", "broken"] {
        text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
    }
    write("bakeoff.toml", &text);
}

fn run(folder: &Path, results: &Path) -> Value {
    let mut command = bakeoff(&["run", "--quiet", "--format", "json", "--seed", "7"]);
    let said: CommandOutput = command
        .arg("--out")
        .args([results, folder])
        .output()
        .unwrap()
        .into();
    assert!(said.ended_a_run(), "{}", said.stderr);
    said.json()
}

/// The record that an event tells of, if it was made just before.
fn record(event: &Value) -> Option<Record> {
    let data = &event["data"];
    let variant = || data["variant_id"].as_str().unwrap().to_owned();
    Some(match event["name"].as_str().unwrap() {
        "bakeoff:build:complete" => Record::Build(variant()),
        "bakeoff:check:complete" => Record::Gate(variant()),
        "bakeoff:pilot:complete" => Record::Pilot,
        "bakeoff:replica:complete" => Record::Replica(data["index"].as_i64().unwrap()),
        "bakeoff:variant:failed" if data["failure"]["phase"] == "build" => Record::Build(variant()),
        "bakeoff:variant:failed" => Record::Dropout(variant()),
        "bakeoff:run:complete" => Record::Report,
        _ => return None,
    })
}

/// Takes out of a folder of results what was not yet there when this event was about to be written,
/// or had just been.
fn cut(results: &Path, at: &Value, is_told: bool) {
    let sequence = at["sequence"].as_i64().unwrap();
    let last = if is_told { sequence } else { sequence - 1 };
    let later = |event: &&Value| event["sequence"].as_i64().unwrap() > sequence;
    let gone = events(results)
        .iter()
        .filter(later)
        .filter_map(record)
        .collect();
    cut_database(&results.join("bakeoff.db"), last, &gone);
    let text = fs::read_to_string(results.join("events.jsonl")).unwrap();
    let mut lines = text.split_inclusive('\n');
    let mut kept: String = lines.by_ref().take(last as usize).collect();
    // The next line was begun.
    kept += lines.next().map_or("", |line| &line[..line.len() / 2]);
    fs::write(results.join("events.jsonl"), kept).unwrap();
    if gone.contains(&Record::Report) {
        fs::remove_file(results.join("report.json")).unwrap();
    }
}

fn cut_database(file: &Path, last_event: i64, gone: &BTreeSet<Record>) {
    let db = Connection::open(file).unwrap();
    let of_kind = |kind: &str, variant: &str| {
        let ids = "SELECT result FROM reliance WHERE kind = ?1 AND variant = ?2";
        let found = db.query_row(ids, [kind, variant], |row| row.get::<_, i64>(0));
        let Ok(result) = found else { return };
        for table in ["reliance", "trial"] {
            let sql = format!("DELETE FROM {table} WHERE result = ?1");
            db.execute(&sql, [result]).unwrap();
        }
        for table in ["entrant", "race_case"] {
            let sql = format!("DELETE FROM {table} WHERE race = ?1");
            db.execute(&sql, [result]).unwrap();
        }
        db.execute("DELETE FROM result WHERE id = ?1", [result])
            .unwrap();
    };
    for record in gone.iter().rev() {
        match record {
            Record::Build(variant) => of_kind("build", variant),
            Record::Gate(variant) => of_kind("gate", variant),
            Record::Dropout(variant) => of_kind("dropout", variant),
            Record::Pilot => {
                of_kind("pilot", "");
                of_kind("race", "");
            }
            Record::Replica(index) => {
                for table in ["sample", "baseline", "cold"] {
                    let sql = format!(
                        "DELETE FROM {table} WHERE replica IN \
                         (SELECT id FROM replica WHERE number = ?1)"
                    );
                    db.execute(&sql, [index]).unwrap();
                }
                db.execute("DELETE FROM replica WHERE number = ?1", [index])
                    .unwrap();
            }
            Record::Report => {
                let sql = "UPDATE run SET report = NULL, status = 'running'";
                db.execute(sql, []).unwrap();
            }
        }
    }
    db.execute("DELETE FROM event WHERE sequence > ?1", [last_event])
        .unwrap();
    seal_again(file.parent().unwrap()).unwrap();
}

/// Calls that the gates, the pilot and the replicas in the database made.
fn calls_kept(results: &Path) -> i64 {
    let db = Connection::open(results.join("bakeoff.db")).unwrap();
    let sql = "SELECT (SELECT sum(json_extract(one.value, '$.calls')) FROM v_results gate, \
                              json_each(gate.value, '$.cases') one WHERE kind = 'gate') \
                    + (SELECT sum(json_extract(value, '$.rehearsal.calls')) FROM v_results \
                       WHERE kind = 'gate') \
                    + (SELECT json_extract(value, '$.calls') FROM v_results WHERE kind = 'pilot') \
                    + (SELECT sum(calls) FROM sample)";
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// What a session did, by the events that it wrote.
fn done(events: &[Value]) -> Vec<Record> {
    let made = |event: &Value| {
        let variant = || event["data"]["variant_id"].as_str().unwrap().to_owned();
        match event["name"].as_str().unwrap() {
            // What is built comes from the cache; what does not compile is not even begun.
            "bakeoff:build:start" if variant() == "broken" => Some(Record::Build(variant())),
            "bakeoff:check:start" => Some(Record::Gate(variant())),
            "bakeoff:replica:discarded" => Some(Record::Dropout("later".to_owned())),
            "bakeoff:pilot:complete" => Some(Record::Pilot),
            "bakeoff:replica:complete" if event["data"]["origin"] == "new" => record(event),
            _ => None,
        }
    };
    events.iter().filter_map(made).collect()
}

fn copied(from: &Path, to: PathBuf) -> PathBuf {
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
    to
}

#[test]
fn a_run_goes_on_from_every_record_boundary_and_repeats_nothing() {
    let _slot = measuring_slot();
    let folder = tempfile::tempdir().unwrap();
    experiment(folder.path());
    let whole = folder.path().join("whole");
    let report = run(folder.path(), &whole);
    assert_eq!(report["cost"]["trials"], calls_kept(&whole));
    let uninterrupted = exact(&report);
    let told: Vec<Value> = events(&whole);
    // A task begins, it has ended and nothing is kept of it, or all is. Replicas begin without an event.
    let begins = ["bakeoff:build:start", "bakeoff:check:start"].map(|name| {
        let last = told.iter().rfind(|event| event["name"] == name);
        last.unwrap()["sequence"].clone()
    });
    let is_boundary =
        |event: &&Value| record(event).is_some() || begins.contains(&event["sequence"]);
    let boundaries: Vec<&Value> = told.iter().filter(is_boundary).collect();
    let kinds: BTreeSet<Record> = told.iter().filter_map(record).collect();
    for kind in [
        Record::Build("broken".into()),
        Record::Gate("good".into()),
        Record::Pilot,
        Record::Dropout("later".into()),
        Record::Replica(0),
        Record::Report,
    ] {
        assert!(kinds.contains(&kind), "no {kind:?} in {kinds:?}");
    }
    for (number, at) in boundaries.iter().enumerate() {
        let results = copied(&whole, folder.path().join(format!("{number}")));
        // Half of them die before the event is there, half of them after it.
        cut(&results, at, number % 2 == 1 || record(at).is_none());
        let kept: BTreeSet<Record> = boundaries[..=number]
            .iter()
            .filter_map(|event| record(event))
            .collect();
        let before = told_in(&results);
        let report = run(folder.path(), &results);
        let all = events(&results);
        let new = &all[before..];
        let made = done(new);
        let twice: Vec<&Record> = made.iter().filter(|made| kept.contains(made)).collect();
        assert!(twice.is_empty(), "after {at}: {twice:?}");
        let distinct: BTreeSet<&Record> = made.iter().collect();
        assert_eq!(distinct.len(), made.len(), "after {at}: {made:?}");
        assert_eq!(exact(&report), uninterrupted, "after {at}");
        assert_eq!(report["cost"]["trials"], calls_kept(&results), "after {at}");
        if kept.contains(&Record::Report) {
            assert_eq!(made, [], "a finished run did something");
        }
        let numbers: Vec<u64> = all
            .iter()
            .map(|one| one["sequence"].as_u64().unwrap())
            .collect();
        let in_order = (1..=numbers.len() as u64).collect::<Vec<u64>>();
        assert_eq!(numbers, in_order, "after {at}");
    }
}

/// Events that the database has: lines that are missing are written again from it.
fn told_in(results: &Path) -> usize {
    let db = Connection::open(results.join("bakeoff.db")).unwrap();
    let count = db.query_row("SELECT count(*) FROM event", [], |row| row.get::<_, i64>(0));
    count.unwrap() as usize
}
