//! A database that an older bakeoff wrote, looked at without being changed.

use super::read::exported;
use super::{begin, filled, open_race, replica};
use bakeoff_domain::measurement::Replica;
use bakeoff_store::{
    ExportFormat, ExportTable, Mode, ResultKind, RunId, Start, Store, StoredResult,
};
use rusqlite::Connection;
use std::path::Path;

/// A folder as version 1 left it, with the rows of a newer one as far as it had columns for them.
/// The connection is still open, so that all rows are in the journal.
fn version_1(folder: &Path) -> Connection {
    let newer = tempfile::tempdir().unwrap();
    filled(newer.path());
    let db = Connection::open(folder.join("bakeoff.db")).unwrap();
    db.pragma_update(None, "application_id", 0x626b_6f66)
        .unwrap();
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))
        .unwrap();
    db.execute_batch(include_str!("../../host/store/src/schema/1.sql"))
        .unwrap();
    db.execute_batch("CREATE VIEW v_replicas AS SELECT race, number AS replica FROM replica")
        .unwrap();
    let from = newer.path().join("bakeoff.db");
    db.execute("ATTACH ?1 AS newer", [from.to_str().unwrap()])
        .unwrap();
    // In the order of their making, which is the order in which they refer to each other.
    for table in strings(
        &db,
        "SELECT name FROM main.sqlite_master WHERE type = 'table'",
    ) {
        let columns = format!("SELECT name FROM pragma_table_info('{table}', 'main')");
        let columns = strings(&db, &columns).join(", ");
        db.execute_batch(&format!(
            "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}"
        ))
        .unwrap();
    }
    db.execute_batch("DETACH newer").unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    db
}

fn strings(db: &Connection, sql: &str) -> Vec<String> {
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// What is read of the first three replicas: a version 1 had no probes.
fn as_of_version_1() -> Vec<Replica> {
    let old = |index| {
        let mut replica = replica(index);
        replica.surroundings.contention_probe_ns = None;
        replica.surroundings.core_contention = None;
        replica.parts = Vec::new();
        replica
    };
    (0..3).map(old).collect()
}

fn race_is_read(store: &Store) {
    let (race, lists) = store.race_of(RunId(1)).unwrap().unwrap();
    assert_eq!(lists.variants, ["heap", "sort"]);
    assert_eq!(store.replicas(race).unwrap(), as_of_version_1());
}

#[test]
fn a_database_of_version_1_is_read_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let old = version_1(folder.path());
    let store = Store::open(folder.path(), Mode::Read).unwrap();
    race_is_read(&store);
    let gates: Vec<StoredResult<String>> = store.results(RunId(1), ResultKind::Gate).unwrap();
    assert_eq!(gates[0].value, "right");
    assert_eq!(store.report(None).unwrap(), Some(super::report()));
    let variants = store.variants(RunId(1)).unwrap();
    let ids: Vec<&str> = variants.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(ids, ["heap", "loop"]);
    assert_eq!(variants[0].iterations[0].parent, None);
    let facts = store.run_facts::<String>(RunId(1)).unwrap();
    assert_eq!((facts.inputs, facts.oracle), (None, Some(true)));
    let (rows, replicas) = exported(
        &store,
        Some(RunId(1)),
        ExportTable::Replicas,
        ExportFormat::Csv,
    );
    assert_eq!(rows, 3);
    assert!(
        replicas
            .lines()
            .next()
            .unwrap()
            .ends_with(",contention_probe_ns,core_contention,counts"),
        "{replicas}"
    );
    drop(store);

    assert_eq!(
        strings(&old, "SELECT name FROM sqlite_master WHERE type = 'view'"),
        ["v_replicas"]
    );
    let version: i64 = old
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!(version, 1, "reading changed the database");
}

#[test]
fn a_database_of_version_1_is_no_longer_written_into() {
    let folder = tempfile::tempdir().unwrap();
    drop(version_1(folder.path()));
    // Nothing tells who wrote it.
    let refused = Store::open(folder.path(), Mode::Write).unwrap_err();
    assert!(refused.is_elsewhere(), "{refused:?}");
    let mut store = Store::open(folder.path(), Mode::SetAside).unwrap();
    begin(&mut store, "e1", Start::Resume).unwrap();
    let race = open_race(&mut store).unwrap();
    assert_eq!(store.replicas(race).unwrap(), []);
    let aside = folder.path().join("aside-1");
    race_is_read(&Store::open(&aside, Mode::Read).unwrap());
}
