//! What users read: views, exports, the page that documents them.

use super::fixture::NAUGHTY;
use super::{begun, filled, replica};
use bakeoff_domain::plan::RunSeed;
use bakeoff_store::{ExportFormat, ExportTable, Mode, RunFacts, RunId, Store};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;

const DOCS: &str = include_str!("../../docs/store.md");

pub(super) fn exported(
    store: &Store,
    run: Option<RunId>,
    table: ExportTable,
    format: ExportFormat,
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
    let expected = [1, 2, 1, 2, 2, 3, 24, 3, 3, 2, 1];
    for (table, expected) in ExportTable::ALL.into_iter().zip(expected) {
        let (rows, lines) = exported(&store, Some(RunId(1)), table, ExportFormat::Jsonl);
        assert_eq!(rows, expected, "{}", table.name());
        let objects: Vec<serde_json::Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(objects.len() as u64, rows);
        let (_, csv) = exported(&store, None, table, ExportFormat::Csv);
        let header = csv.lines().next().unwrap();
        let mut names: Vec<&str> = header.split(',').collect();
        names.sort_unstable();
        assert_eq!(
            names,
            objects[0].as_object().unwrap().keys().collect::<Vec<_>>()
        );
        assert!(!csv.contains(['\u{1b}', '\u{202e}']));
        assert_eq!(
            exported(&store, Some(RunId(2)), table, ExportFormat::Jsonl).0,
            0
        );
    }
}

#[test]
fn exported_values_are_the_ones_that_were_kept() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    let (_, trials) = exported(&store, None, ExportTable::Trials, ExportFormat::Csv);
    assert_eq!(
        trials,
        "run,variant,iteration,trial,case,outcome,fuel,peak_bytes,answer_digest,detail\n\
         1,heap,1,0,10,ok,10,65536,sha256:ab,\n\
         1,heap,1,1,1000,ok,20,65536,sha256:ab,\n"
    );
    let (_, variants) = exported(&store, None, ExportTable::Variants, ExportFormat::Csv);
    assert!(
        variants.contains(",\"'=cmd|' /C calc'!A0,\"\"\u{fffd}[31m\u{fffd}<script>\","),
        "{variants}"
    );
    let (_, variants) = exported(&store, None, ExportTable::Variants, ExportFormat::Jsonl);
    let heap: serde_json::Value = serde_json::from_str(variants.lines().next().unwrap()).unwrap();
    assert_eq!(heap["name"], NAUGHTY);
    assert_eq!(heap["parameters"]["arity"], "4");
    assert_eq!(
        (&heap["rank"], &heap["status"]),
        (&1.into(), &"ranked".into())
    );
    let (_, samples) = exported(&store, None, ExportTable::Samples, ExportFormat::Jsonl);
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

#[test]
fn variants_are_read_back_in_the_order_of_their_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let none = BTreeMap::new();
    for id in ["sort", "heap", "loop"] {
        store.declare_variant(id, id, "approach", &none).unwrap();
    }
    // Declared again, as by a run that goes on: its place stays.
    let parameters = BTreeMap::from([("arity".to_owned(), "4".to_owned())]);
    store
        .declare_variant("sort", "Sort", "approach", &parameters)
        .unwrap();
    store.declare_iteration("heap", 2, Some(1), "b").unwrap();
    store.declare_iteration("heap", 1, None, "a").unwrap();
    let variants = store.variants(RunId(1)).unwrap();
    let ids: Vec<&str> = variants.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(ids, ["sort", "heap", "loop"]);
    assert_eq!(
        (&variants[0].name, &variants[0].parameters),
        (&"Sort".to_owned(), &parameters)
    );
    let iterations: Vec<_> = variants[1]
        .iterations
        .iter()
        .map(|iteration| {
            (
                iteration.number,
                iteration.parent,
                iteration.source_digest.as_str(),
            )
        })
        .collect();
    assert_eq!(iterations, [(1, None, "a"), (2, Some(1), "b")]);
    assert_eq!(store.variants(RunId(2)).unwrap(), []);
}

#[test]
fn the_facts_of_a_run_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = begun(folder.path());
    let unknown = RunFacts {
        inputs: None,
        oracle: None,
        experiment_id: "e1".to_owned(),
        seed: RunSeed::Named(u64::MAX),
    };
    assert_eq!(store.run_facts::<Vec<String>>(RunId(1)).unwrap(), unknown);
    let inputs = vec!["wit".to_owned(), "workload".to_owned()];
    store.put_run_facts(&inputs, true).unwrap();
    store.put_run_facts(&inputs, false).unwrap();
    let expected = RunFacts {
        inputs: Some(inputs),
        oracle: Some(false),
        experiment_id: "e1".to_owned(),
        seed: RunSeed::Named(u64::MAX),
    };
    assert_eq!(store.run_facts(RunId(1)).unwrap(), expected);
    let of_another_shape = store.run_facts::<u32>(RunId(1)).unwrap_err();
    assert!(of_another_shape.is_corrupt(), "{of_another_shape}");
    let missing = store.run_facts::<u32>(RunId(2)).unwrap_err();
    assert!(missing.is_no_such_run(), "{missing}");
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
    for table in ExportTable::ALL {
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
    assert_eq!(usize::try_from(views).unwrap(), ExportTable::ALL.len());
}

#[test]
fn the_page_names_every_event() {
    let source = include_str!("../../host/store/src/events/event.rs");
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
