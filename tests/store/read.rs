//! What users read: views, exports, the page that documents them.

use super::{begun, heap, open_race, replica, report, trial};
use crate::support::say;
use bakeoff::store::{Files, Format, Key, Kind, Mode, ReportFile, RunId, Store, Table};
use bakeoff_domain::report::Report;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const DOCS: &str = include_str!("../../docs/store.md");
/// A name that a spreadsheet, a terminal and a browser would each like to obey.
const NAUGHTY: &str = "=cmd|' /C calc'!A0,\"\u{1b}[31m\u{202e}<script>";

/// A store with at least one row in every view.
pub(super) fn filled(folder: &Path) {
    let mut store = begun(folder);
    let parameters = BTreeMap::from([("arity".to_owned(), "4".to_owned())]);
    store
        .declare_variant("heap", NAUGHTY, "Heap", &parameters)
        .unwrap();
    store.declare_iteration("heap", 1, "sha256:ab").unwrap();
    store
        .declare_variant("loop", "Loop", "Loop", &BTreeMap::new())
        .unwrap();
    let key = Key::new([("component", "c1")]);
    let trials = [trial(0, 10), trial(1, 20)];
    store
        .keep_with_trials(Kind::Gate, &key, heap(), &"right", &trials)
        .unwrap();
    let race = open_race(&mut store).unwrap();
    for index in 0..3 {
        store.keep_replica(race, &replica(index)).unwrap();
    }
    store
        .emit(bakeoff::events::Event::Warning {
            message: NAUGHTY.into(),
        })
        .unwrap();
    store.finish_run(&report()).unwrap();
}

pub(super) fn exported(
    store: &Store,
    run: Option<RunId>,
    table: Table,
    format: Format,
) -> (u64, String) {
    let mut out = Vec::new();
    let rows = store.export(run, table, format, &mut out).unwrap();
    (rows, String::from_utf8(out).unwrap())
}

#[test]
fn every_view_has_rows_that_export_as_json_lines_and_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    let expected = [1, 2, 1, 2, 2, 3, 24, 2, 1];
    for (table, expected) in Table::ALL.into_iter().zip(expected) {
        let (rows, lines) = exported(&store, Some(RunId(1)), table, Format::Jsonl);
        assert_eq!(rows, expected, "{}", table.name());
        let objects: Vec<serde_json::Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(objects.len() as u64, rows);
        let (_, csv) = exported(&store, None, table, Format::Csv);
        let header = csv.lines().next().unwrap();
        let mut names: Vec<&str> = header.split(',').collect();
        names.sort_unstable();
        assert_eq!(
            names,
            objects[0].as_object().unwrap().keys().collect::<Vec<_>>()
        );
        assert!(!csv.contains(['\u{1b}', '\u{202e}']));
        assert_eq!(exported(&store, Some(RunId(2)), table, Format::Jsonl).0, 0);
    }
}

#[test]
fn exported_values_are_the_ones_that_were_kept() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    let (_, trials) = exported(&store, None, Table::Trials, Format::Csv);
    assert_eq!(
        trials,
        "run,variant,iteration,trial,case,outcome,fuel,peak_bytes,answer_digest,detail\n\
         1,heap,1,0,10,ok,10,65536,sha256:ab,\n\
         1,heap,1,1,1000,ok,20,65536,sha256:ab,\n"
    );
    let (_, variants) = exported(&store, None, Table::Variants, Format::Csv);
    assert!(
        variants.contains(",\"'=cmd|' /C calc'!A0,\"\"\u{fffd}[31m\u{fffd}<script>\","),
        "{variants}"
    );
    let (_, variants) = exported(&store, None, Table::Variants, Format::Jsonl);
    let heap: serde_json::Value = serde_json::from_str(variants.lines().next().unwrap()).unwrap();
    assert_eq!(heap["name"], NAUGHTY);
    assert_eq!(heap["parameters"]["arity"], "4");
    assert_eq!(
        (&heap["rank"], &heap["status"]),
        (&1.into(), &"ranked".into())
    );
    let (_, samples) = exported(&store, None, Table::Samples, Format::Jsonl);
    let first: serde_json::Value = serde_json::from_str(samples.lines().next().unwrap()).unwrap();
    let kept = &replica(0).samples[0];
    assert_eq!(
        (&first["variant"], &first["case"]),
        (&"heap".into(), &"10".into())
    );
    assert_eq!(first["cpu_ns"], kept.cpu_ns);
    let per_call = kept.cpu_ns as f64 / 3.0 - replica(0).baselines[0].cpu_ns;
    assert_eq!(first["cpu_ns_per_call"], per_call);
}

/// The columns of a view, in their order.
fn columns(db: &Connection, view: &str) -> Vec<String> {
    let statement = db.prepare(&format!("SELECT * FROM {view}")).unwrap();
    statement.column_names().map(str::to_owned).collect()
}

#[test]
fn the_page_names_every_view_with_its_columns_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let db = Connection::open_with_flags(folder.path().join("bakeoff.db"), flags).unwrap();
    for table in Table::ALL {
        let heading = format!("\n### {}\n", table.view());
        let (_, section) = DOCS.split_once(&heading).unwrap();
        let section = section.split("\n#").next().unwrap();
        let cells = section.lines().filter(|line| line.starts_with("| `"));
        let documented: Vec<&str> = cells
            .flat_map(|line| line.split('|').nth(1).unwrap_or_default().split(','))
            .map(|name| name.trim().trim_matches('`'))
            .collect();
        let mut columns = columns(&db, table.view());
        columns.sort_unstable();
        let mut sorted = documented.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, columns, "{}", table.view());
    }
    let views: i64 = db
        .query_row(
            "SELECT count(*) FROM sqlite_master WHERE type = 'view'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(usize::try_from(views).unwrap(), Table::ALL.len());
}

#[test]
fn the_page_names_every_event() {
    let source = include_str!("../../host/src/events/event.rs");
    let named = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#[serde(rename = \""));
    let mut count = 0;
    for name in named {
        let name = name.split('"').next().unwrap();
        assert!(DOCS.contains(&format!("\n| `{name}` | ")), "{name}");
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn the_sqlite3_shell_answers_the_pages_question() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let (_, example) = DOCS.split_once("bakeoff.db \\\n  \"").unwrap();
    let sql = example
        .split("\"\n```")
        .next()
        .unwrap()
        .replace("\\\"", "\"");
    let shell = Command::new("sqlite3")
        .arg(folder.path().join("bakeoff.db"))
        .arg(&sql)
        .output();
    let Ok(output) = shell else {
        eprintln!("skipped: there is no sqlite3 here");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("heap|10|6|"), "{text}");
}

#[test]
fn a_report_is_taken_from_the_database_where_its_file_is_lost_or_of_another_run() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let file = folder.path().join("report.json");
    let words = |from: &Path| {
        let said = say(&["report", from.to_str().unwrap(), "--format", "json"]);
        said.json()["recommendation"]["text"].clone()
    };
    assert!(!file.exists());
    assert_eq!(words(folder.path()), "Take heap.");

    let write = |change: fn(&mut Report)| {
        let mut other = report();
        change(&mut other);
        let bytes = serde_json::to_vec(&other).unwrap();
        let files = Files::new(folder.path());
        files.write_report(ReportFile::Json, &bytes).unwrap();
    };
    write(|earlier| {
        earlier.cost.seconds = 0.5;
        earlier.recommendation.text = "Take sort.".into();
    });
    assert_eq!(words(folder.path()), "Take heap.");
    assert_eq!(words(&file), "Take sort.", "who names the file means it");

    write(|same| same.recommendation.text = "Take either.".into());
    assert_eq!(words(folder.path()), "Take either.");

    std::fs::write(&file, "{").unwrap();
    assert_eq!(words(folder.path()), "Take heap.");
}
