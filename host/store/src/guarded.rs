//! Connections to databases of unknown origin.

use super::database_folder::DatabaseFolder;
use super::error::StoreError;
use super::file_opening;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest text or blob, in bytes: more than any value of ours, which [`super::runs`] bounds.
const VALUE_BYTES_MAX: i32 = 80 << 20;
/// Limits of SQLite for a database of unknown origin: anything larger is refused. Ours has 14 tables, 11 views and 4
/// indexes, statements of at most 2 KiB with at most 17 columns, and expressions of few terms.
const LIMITS: [(Limit, i32); 12] = [
    (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_SCHEMA, 100),
    (Limit::SQLITE_LIMIT_COLUMN, 64),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 64),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 8),
    (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 32),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];
/// Largest memory of SQLite in this process, in bytes.
const HEAP_BYTES_MAX: u64 = 512 << 20;
/// Steps of SQLite's machine for each byte of a database, and for one that is next to empty. Checking
/// and reading a row of 20 bytes takes about 60.
const STEPS_PER_BYTE: u64 = 16;
const STEPS_MIN: u64 = 4_000_000;
/// Steps of SQLite's machine between two checks of the bound.
const STEPS_AT_ONCE: u16 = 1_000;

/// Way to open a file for reading: with locks, or without.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// Shared with a writer, under SQLite's locks.
    Shared,
    /// Read as a file that nobody can change, without locks and journals (`immutable=1`).
    Immutable,
}

/// Opens a database of unknown origin for reading. Nothing that is in it runs:
///
/// - no trigger fires, and no view can be read
/// - no function is called from its schema but SQLite's own harmless ones; shadow tables and the
///   schema cannot be written; no extension is loaded, no other database attached
/// - sizes, columns, depths and the number of tables have bounds
/// - cells that do not fit into their page are an error, and no page is mapped to memory
/// - steps have a bound that grows with `bytes`, the size of the database and its journal
/// - SQLite has 512 MiB of memory at most
pub(super) fn open(
    folder: &DatabaseFolder,
    name: &str,
    access: Access,
    bytes: u64,
) -> Result<Connection, StoreError> {
    let file = folder.shown(name);
    let in_file = |error| StoreError::from_sqlite(&file, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = match access {
        Access::Shared => file_opening::open(folder, name, flags),
        Access::Immutable => file_opening::open_immutable(folder, name, flags),
    };
    let mut db = db.map_err(in_file)?;
    restrict(&mut db, bytes).map_err(in_file)?;
    Ok(db)
}

fn restrict(db: &mut Connection, bytes: u64) -> rusqlite::Result<()> {
    for (limit, most) in LIMITS {
        db.set_limit(limit, most)?;
    }
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    let steps_max = STEPS_MIN.max(bytes.saturating_mul(STEPS_PER_BYTE));
    let steps = Arc::new(AtomicU64::new(0));
    let is_over = move || {
        let at_once = u64::from(STEPS_AT_ONCE);
        steps.fetch_add(at_once, Ordering::Relaxed) > steps_max
    };
    db.progress_handler(i32::from(STEPS_AT_ONCE), Some(is_over))?;
    // These read no file; all others would have SQLite read the schema.
    db.pragma_update_and_check(None, "hard_heap_limit", HEAP_BYTES_MAX as i64, |_| Ok(()))?;
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(()))
        .or_else(no_row)
}

/// Accepts that a pragma returns no row: a file system may have no mapping to switch off.
fn no_row(error: rusqlite::Error) -> rusqlite::Result<()> {
    match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(()),
        other => Err(other),
    }
}

/// Lifts the bound of steps, and lets our own views be read, once it is known that the database is ours.
pub(super) fn lift(db: &mut Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, true)?;
    db.progress_handler(0, None::<fn() -> bool>)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_files::Folder;

    /// A database that these statements made, opened as one of unknown origin.
    fn guarded(made_by: &str) -> (tempfile::TempDir, Result<Connection, StoreError>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.db");
        Connection::open(&file)
            .unwrap()
            .execute_batch(made_by)
            .unwrap();
        let bytes = file.metadata().unwrap().len();
        let opened = Folder::named_by_user(folder.path()).unwrap();
        let opened = DatabaseFolder::new(opened).unwrap();
        let db = open(&opened, "x.db", Access::Shared, bytes);
        (folder, db)
    }

    fn error_of(db: &Connection, sql: &str) -> String {
        let read = db.query_row(sql, [], |row| row.get::<_, i64>(0));
        read.unwrap_err().to_string()
    }

    #[test]
    fn no_view_is_read_and_nothing_is_attached_or_written() {
        let (_folder, db) = guarded("CREATE TABLE t (n); CREATE VIEW v AS SELECT 1 AS n");
        let db = db.unwrap();
        assert!(error_of(&db, "SELECT n FROM v").contains("prohibited"));
        let attached = db.execute_batch("ATTACH ':memory:' AS other");
        assert!(
            attached
                .unwrap_err()
                .to_string()
                .contains("too many attached")
        );
        assert!(db.execute_batch("INSERT INTO t VALUES (1)").is_err());
        let mut db = db;
        lift(&mut db).unwrap();
        let one: i64 = db
            .query_row("SELECT n FROM v", [], |row| row.get(0))
            .unwrap();
        assert_eq!(one, 1);
    }

    #[test]
    fn steps_end_by_the_size_of_the_database() {
        let (_folder, db) = guarded("CREATE TABLE t (n)");
        let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
                       SELECT max(n) FROM c";
        assert!(error_of(&db.unwrap(), endless).contains("interrupted"));
    }

    #[test]
    fn a_schema_of_more_than_ours_could_have_is_refused() {
        let many: String = (0..200)
            .map(|n| format!("CREATE TABLE t{n} (n);"))
            .collect();
        let columns: Vec<String> = (0..100).map(|n| format!("c{n}")).collect();
        let wide = format!("CREATE TABLE t ({})", columns.join(", "));
        let long = format!("CREATE TABLE t (n DEFAULT '{}')", "x".repeat(100_000));
        for made_by in [many, wide, long] {
            let (_folder, db) = guarded(&made_by);
            let db = db.unwrap();
            let read = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
                row.get::<_, i64>(0)
            });
            read.unwrap_err();
        }
    }
}
