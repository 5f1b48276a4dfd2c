//! The import of results from elsewhere: row by row into a database of ours, which is forgotten when
//! it is closed.
//!
//! Of the other database, nothing but the rows of tables is read that are ours to the letter. Types,
//! checks and references are those of our own tables, and its indexes are not used.

use super::database_folder::DatabaseFolder;
use super::error::StoreError;
use super::file_opening;
use super::files::DATABASE;
use super::schema::SCHEMA;
use super::tables::{SEAL, Table, list};
use bakeoff_files::{Folder, Scratch};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter};
use std::path::Path;

/// The most samples of results from elsewhere: 64 variants on 32 cases in 96 replicas have 6 million
/// at 32 blocks.
const SAMPLES_MAX: u64 = 8 << 20;
/// The most runs.
const RUNS_MAX: u64 = 10_000;
/// The most rows of any other table.
const ROWS_MAX: u64 = 1 << 20;
/// The most variants of a run.
const VARIANTS_MAX: i64 = 64;
/// The most bytes of all texts and blobs together.
const BYTES_MAX: u64 = 1 << 30;

/// The most rows of a table.
fn rows_max(table: &str) -> u64 {
    match table {
        "sample" => SAMPLES_MAX,
        "run" => RUNS_MAX,
        _ => ROWS_MAX,
    }
}

/// Folder of a copy, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct DatabaseCopy {
    _opened: DatabaseFolder,
    _folder: Scratch,
}

/// Copies the rows of these tables to a temporary database of ours. The connection has to be closed
/// before the copy is dropped.
pub(super) fn import(
    from: &Connection,
    file: &Path,
    tables: &[Table],
) -> Result<(Connection, DatabaseCopy), StoreError> {
    let temporary = std::env::temp_dir();
    let folder =
        Scratch::new().map_err(|error| StoreError::from_io("create", &temporary, error))?;
    let failed = |error| StoreError::from_io("open", &temporary, error);
    let opened = Folder::named_by_user(folder.work()).and_then(DatabaseFolder::new);
    let opened = opened.map_err(failed)?;
    let copy = opened.shown(DATABASE);
    let in_copy = |error| StoreError::from_sqlite(&copy, error);
    let mut db =
        file_opening::open(&opened, DATABASE, file_opening::to_write()).map_err(in_copy)?;
    make_tables(&db).map_err(in_copy)?;
    let rows = Rows {
        from,
        file,
        bytes_left: BYTES_MAX,
    };
    rows.copy(tables, &mut db, &copy)?;
    let copy = DatabaseCopy {
        _opened: opened,
        _folder: folder,
    };
    Ok((db, copy))
}

fn make_tables(db: &Connection) -> rusqlite::Result<()> {
    // A copy needs to survive nothing.
    db.pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "off")?;
    db.pragma_update(None, "foreign_keys", true)?;
    // What is sorted has the bound of memory, and none of the disk.
    db.pragma_update(None, "temp_store", "memory")?;
    db.execute_batch(SCHEMA)
}

/// Rows that are being copied.
struct Rows<'a> {
    from: &'a Connection,
    file: &'a Path,
    /// Number of bytes of texts and blobs that may still be copied.
    bytes_left: u64,
}

impl Rows<'_> {
    fn copy(
        mut self,
        tables: &[Table],
        db: &mut Connection,
        copy: &Path,
    ) -> Result<(), StoreError> {
        let in_copy = |error| StoreError::from_sqlite(copy, error);
        let transaction = db.transaction().map_err(in_copy)?;
        for table in tables.iter().filter(|table| table.name != SEAL) {
            self.copy_table(table, &transaction, copy)?;
        }
        let sql =
            "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM variant GROUP BY run)";
        let variants: i64 = transaction
            .query_row(sql, [], |row| row.get(0))
            .map_err(in_copy)?;
        if variants > VARIANTS_MAX {
            return Err(self.refused(format!("a run in it has more than {VARIANTS_MAX} variants")));
        }
        transaction.commit().map_err(in_copy)
    }

    fn copy_table(
        &mut self,
        table: &Table,
        to: &Connection,
        copy: &Path,
    ) -> Result<(), StoreError> {
        let file = self.file;
        let in_file = |error| StoreError::from_sqlite(file, error);
        let columns = list(&table.columns, "");
        let name = &table.name;
        let select = format!("SELECT {columns} FROM main.\"{name}\" NOT INDEXED");
        let marks = vec!["?"; table.columns.len()].join(", ");
        let insert = format!("INSERT INTO main.\"{name}\" ({columns}) VALUES ({marks})");
        let mut insert = to
            .prepare(&insert)
            .map_err(|error| StoreError::from_sqlite(copy, error))?;
        let mut select = self.from.prepare(&select).map_err(in_file)?;
        let mut rows = select.query([]).map_err(in_file)?;
        let rows_max = rows_max(name);
        let mut count = 0;
        while let Some(row) = rows.next().map_err(in_file)? {
            let values: Vec<ValueRef<'_>> = (0..table.columns.len())
                .map(|column| row.get_ref(column))
                .collect::<Result<_, _>>()
                .map_err(in_file)?;
            count += 1;
            if count > rows_max {
                return Err(self.refused(format!("its table {name} has more than {rows_max} rows")));
            }
            self.check(&values)?;
            let inserted = insert.execute(params_from_iter(values.iter().map(Cell)));
            inserted.map_err(|error| match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::ConstraintViolation) => self.refused(format!(
                    "a row of its table {name} is none of ours ({error})"
                )),
                _ => StoreError::from_sqlite(copy, error),
            })?;
        }
        Ok(())
    }

    /// Checks that the texts of a row are texts, and that there is room for them.
    fn check(&mut self, row: &[ValueRef<'_>]) -> Result<(), StoreError> {
        for value in row {
            let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = value else {
                continue;
            };
            let Some(left) = self.bytes_left.checked_sub(bytes.len() as u64) else {
                return Err(self.refused(format!("its rows have more than {BYTES_MAX} bytes")));
            };
            self.bytes_left = left;
            if matches!(value, ValueRef::Text(_)) && std::str::from_utf8(bytes).is_err() {
                return Err(self.refused("a text in it is not UTF-8".to_owned()));
            }
        }
        Ok(())
    }

    fn refused(&self, reason: String) -> StoreError {
        StoreError::Corrupt {
            file: self.file.to_owned(),
            reason,
        }
    }
}

/// A value that is passed on as it is.
struct Cell<'a>(&'a ValueRef<'a>);

impl rusqlite::ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(rusqlite::types::ToSqlOutput::Borrowed(*self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::create;
    use crate::tables;

    /// Imports a database with these rows, and returns the number of runs in the copy.
    fn imported(rows: &str) -> Result<i64, String> {
        let mut from = Connection::open_in_memory().unwrap();
        create(&mut from).unwrap();
        from.execute_batch(
            "PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on;
             INSERT INTO run (root, name, experiment_id, seed, bakeoff, started, updated, status,
                              environment, settings)
             VALUES (1, 'n', 'e', '1', 'b', 's', 'u', 'running', '{}', '{}')",
        )
        .unwrap();
        from.execute_batch(rows).unwrap();
        let tables = tables::ours().unwrap();
        let db = import(&from, Path::new("x.db"), &tables);
        let (db, _folder) = db.map_err(|error| error.to_string())?;
        let sql = "SELECT count(*) FROM v_runs";
        Ok(db.query_row(sql, [], |row| row.get(0)).unwrap())
    }

    #[test]
    fn rows_of_ours_are_imported_and_triggers_and_indexes_are_not() {
        let others = "CREATE TABLE other (n); CREATE VIEW v AS SELECT * FROM other;
                      CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END;
                      CREATE INDEX i ON run (length(name) + length(hex(zeroblob(1000))))";
        assert_eq!(imported(others), Ok(1));
    }

    #[test]
    fn rows_that_no_run_writes_are_refused_by_their_table() {
        let many =
            "INSERT INTO run SELECT n, 1, 'n', 'e', '1', 'b', 's', 'u', 'running', 0, '{}', '{}',
                    NULL, NULL, NULL FROM (WITH RECURSIVE c(n) AS (SELECT 2 UNION ALL SELECT n + 1
                    FROM c LIMIT 10000) SELECT n FROM c)";
        let variants = "INSERT INTO variant (run, id, name, approach, parameters, position)
            WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 65)
            SELECT 1, n, 'n', 'a', '{}', n FROM c";
        for (rows, why) in [
            (
                "UPDATE run SET status = 'forged'",
                "table run is none of ours",
            ),
            (
                "INSERT INTO event VALUES (1, 7, 2, 't', 1, 'name', '{}')",
                "table event is none",
            ),
            ("UPDATE run SET name = CAST(x'ff41' AS TEXT)", "not UTF-8"),
            (variants, "more than 64 variants"),
            (many, "more than 10000 rows"),
        ] {
            let error = imported(rows).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
