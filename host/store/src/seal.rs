//! The seal of a database: an HMAC over all of its rows, under a key of the user whose bakeoff wrote
//! them.
//!
//! Every commit renews it, so a database is sealed at any moment at which its process may be killed.
//! It covers the sum, modulo 2²⁵⁶, of the HMACs of all rows. A row that is written adds its HMAC and
//! one that is replaced takes its own away, so that a commit costs as much as it writes and not as
//! much as there is. Nobody without the key can tell what a row adds, and the sum itself is not kept:
//! rows that make up a sealed sum are those that were written, or stood there together once.

use super::tables::{SEAL, Table, list};
use bakeoff_files::{MAC_BYTES, UserKey};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// First bytes of what the HMAC of a seal covers: HMACs of anything else begin otherwise.
const SEAL_TAG: &[u8] = b"bakeoff results 1\0";
/// First bytes of what the HMAC of a row covers.
const ROW_TAG: &[u8] = b"bakeoff row 1\0";
/// Columns that are long and seldom written, in a table whose other columns are short and written with every event:
/// they are added up separately, as a row with the same `id`.
const LONG_COLUMNS: [(&str, &[&str]); 1] =
    [("run", &["environment", "settings", "report", "inputs"])];

/// The sum of the HMACs of all rows, modulo 2²⁵⁶, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowSum {
    words: [u64; 4],
    rows: u64,
}

impl RowSum {
    fn add(&mut self, row: [u8; MAC_BYTES]) {
        let mut carry = false;
        for (word, more) in self.words.iter_mut().zip(words(row)) {
            let (sum, over) = word.overflowing_add(more);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            carry = over || over_again;
        }
        self.rows = self.rows.wrapping_add(1);
    }

    fn take_away(&mut self, row: [u8; MAC_BYTES]) {
        let mut borrow = false;
        for (word, less) in self.words.iter_mut().zip(words(row)) {
            let (rest, under) = word.overflowing_sub(less);
            let (rest, under_again) = rest.overflowing_sub(u64::from(borrow));
            *word = rest;
            borrow = under || under_again;
        }
        self.rows = self.rows.wrapping_sub(1);
    }

    fn bytes(&self) -> [u8; 40] {
        let mut bytes = [0; 40];
        let all = self.words.iter().chain([&self.rows]);
        for (to, word) in bytes.chunks_exact_mut(8).zip(all) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

fn words(row: [u8; MAC_BYTES]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(row.chunks_exact(8)) {
        *word = bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

/// Columns of a table that are added up together.
struct RowPart {
    table: String,
    name: String,
    columns: Vec<String>,
}

/// Returns the parts that the rows of these tables are added up in.
fn parts(tables: &[Table]) -> Vec<RowPart> {
    let mut parts = Vec::new();
    for table in tables.iter().filter(|table| table.name != SEAL) {
        let long = LONG_COLUMNS.iter().find(|(name, _)| *name == table.name);
        let long = long.map_or(&[][..], |(_, columns)| columns);
        let is_long = |column: &&String| long.contains(&column.as_str());
        let part = |name: String, columns: Vec<String>| RowPart {
            table: table.name.clone(),
            name,
            columns,
        };
        let short = table.columns.iter().filter(|column| !is_long(column));
        parts.push(part(table.name.clone(), short.cloned().collect()));
        if !long.is_empty() {
            let id = table.columns.iter().take(1);
            let columns = id.chain(table.columns.iter().filter(is_long));
            parts.push(part(
                format!("{}.long", table.name),
                columns.cloned().collect(),
            ));
        }
    }
    parts
}

/// Returns the sum of all rows of these tables, as they stand in the database.
pub(super) fn sum_of(db: &Connection, key: &UserKey, tables: &[Table]) -> rusqlite::Result<RowSum> {
    let mut sum = RowSum::default();
    let mut row_bytes = Vec::new();
    for part in parts(tables) {
        let columns = list(&part.columns, "");
        let sql = format!("SELECT {columns} FROM main.\"{}\" NOT INDEXED", part.table);
        let mut statement = db.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..part.columns.len()).map(|column| row.get_ref(column));
            encode(&mut row_bytes, &part.name, values)?;
            sum.add(key.mac(&[ROW_TAG, &row_bytes]));
        }
    }
    Ok(sum)
}

/// Writes a row as bytes that no other row has.
fn encode<'a>(
    bytes: &mut Vec<u8>,
    part: &str,
    values: impl Iterator<Item = rusqlite::Result<ValueRef<'a>>>,
) -> rusqlite::Result<()> {
    bytes.clear();
    let text = |bytes: &mut Vec<u8>, kind, text: &[u8]| {
        bytes.push(kind);
        // Without its length, the end of a text could be taken for the beginning of the next one.
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text);
    };
    text(bytes, b'p', part.as_bytes());
    for value in values {
        match value? {
            ValueRef::Null => bytes.push(b'n'),
            ValueRef::Integer(number) => {
                bytes.push(b'i');
                bytes.extend(number.to_le_bytes());
            }
            ValueRef::Real(number) => {
                bytes.push(b'r');
                // SQLite keeps -0.0 as 0.0.
                bytes.extend((number + 0.0).to_bits().to_le_bytes());
            }
            ValueRef::Text(content) => text(bytes, b't', content),
            ValueRef::Blob(content) => text(bytes, b'b', content),
        }
    }
    Ok(())
}

/// Returns the seal of a database whose rows have this sum. Its schema is covered too: a trigger that was added breaks
/// it.
fn mac(key: &UserKey, schema: &[u8; MAC_BYTES], sum: &RowSum) -> [u8; MAC_BYTES] {
    key.mac(&[SEAL_TAG, schema, &sum.bytes()])
}

/// Returns an HMAC of the version of a database and of every statement in its schema.
fn schema_mac(db: &Connection, key: &UserKey) -> rusqlite::Result<[u8; MAC_BYTES]> {
    let version: i64 = db.query_row("PRAGMA main.user_version", [], |row| row.get(0))?;
    let mut bytes = version.to_le_bytes().to_vec();
    let mut row_bytes = Vec::new();
    let mut statement = db.prepare(
        "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY type, name, sql",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..4).map(|column| row.get_ref(column));
        encode(&mut row_bytes, "schema", values)?;
        bytes.extend(&row_bytes);
    }
    Ok(key.mac(&[SEAL_TAG, &bytes]))
}

/// Returns the sum of the rows of a database whose seal is valid under this key; `None` if it has none, or another. The
/// tables must be ours to the letter.
pub(super) fn verified_sum(
    db: &Connection,
    key: &UserKey,
    tables: &[Table],
) -> rusqlite::Result<Option<RowSum>> {
    if !tables.iter().any(|table| table.name == SEAL) {
        return Ok(None);
    }
    let sql = "SELECT mac FROM main.seal NOT INDEXED WHERE length(mac) = ?1";
    let sealed: Option<[u8; MAC_BYTES]> = db
        .query_row(sql, [MAC_BYTES as i64], |row| row.get(0))
        .optional()?;
    let Some(sealed) = sealed else {
        return Ok(None);
    };
    let schema = schema_mac(db, key)?;
    let sum = sum_of(db, key, tables)?;
    let is_valid = key.is_mac(&[SEAL_TAG, &schema, &sum.bytes()], &sealed);
    Ok(is_valid.then_some(sum))
}

/// Keeps the seal of a database that is being written to.
#[derive(Debug)]
pub(super) struct Sealer {
    key: UserKey,
    schema: [u8; MAC_BYTES],
    sum: Arc<Mutex<RowSum>>,
}

impl Sealer {
    /// Follows every change from now on, through triggers of this connection alone. `sum` is that of
    /// the rows that are there.
    pub(super) fn attach(
        db: &Connection,
        key: UserKey,
        tables: &[Table],
        sum: RowSum,
    ) -> rusqlite::Result<Self> {
        let sealer = Self {
            schema: schema_mac(db, &key)?,
            sum: Arc::new(Mutex::new(sum)),
            key,
        };
        sealer.register(db, "seal_add", RowSum::add)?;
        sealer.register(db, "seal_take_away", RowSum::take_away)?;
        for part in parts(tables) {
            db.execute_batch(&triggers(&part))?;
        }
        Ok(sealer)
    }

    fn register(
        &self,
        db: &Connection,
        name: &str,
        change: fn(&mut RowSum, [u8; MAC_BYTES]),
    ) -> rusqlite::Result<()> {
        let (key, sum) = (self.key.clone(), Arc::clone(&self.sum));
        let flags = FunctionFlags::SQLITE_UTF8;
        db.create_scalar_function(name, -1, flags, move |context: &Context<'_>| {
            let part: String = context.get(0)?;
            let values = (1..context.len()).map(|column| Ok(context.get_raw(column)));
            let mut row_bytes = Vec::new();
            encode(&mut row_bytes, &part, values)?;
            change(&mut lock(&sum), key.mac(&[ROW_TAG, &row_bytes]));
            Ok(0)
        })
    }

    /// Writes the seal of all rows, those of the open transaction among them.
    pub(super) fn write(&self, db: &Connection) -> rusqlite::Result<()> {
        let mac = mac(&self.key, &self.schema, &self.sum());
        db.prepare_cached(
            "INSERT INTO seal (only, mac) VALUES (1, ?1) ON CONFLICT DO UPDATE SET mac = ?1",
        )?
        .execute([mac])?;
        Ok(())
    }

    /// The sum of all rows.
    pub(super) fn sum(&self) -> RowSum {
        *lock(&self.sum)
    }

    /// Restores an earlier sum: that of the rows before a transaction that was rolled back.
    pub(super) fn go_back(&self, sum: RowSum) {
        *lock(&self.sum) = sum;
    }
}

fn lock(sum: &Mutex<RowSum>) -> MutexGuard<'_, RowSum> {
    sum.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the triggers that keep the sum up to date when a part of a table's rows is inserted, updated or deleted.
fn triggers(part: &RowPart) -> String {
    let RowPart {
        table,
        name,
        columns,
    } = part;
    let (old, new) = (list(columns, "OLD."), list(columns, "NEW."));
    let changed = list(columns, "");
    let add = format!("SELECT seal_add('{name}', {new});");
    let take_away = format!("SELECT seal_take_away('{name}', {old});");
    format!(
        "CREATE TEMP TRIGGER \"{name}.insert\" AFTER INSERT ON main.\"{table}\"
         BEGIN {add} END;
         CREATE TEMP TRIGGER \"{name}.update\" AFTER UPDATE OF {changed} ON main.\"{table}\"
         BEGIN {take_away} {add} END;
         CREATE TEMP TRIGGER \"{name}.delete\" AFTER DELETE ON main.\"{table}\"
         BEGIN {take_away} END;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{VERSION, create};
    use crate::tables;

    const RUN: &str = "INSERT INTO run (root, name, experiment_id, seed, bakeoff, started, updated,
        status, environment, settings) VALUES (1, 'n', 'e', '1', 'b', 's', 'u', 'running', '{}', '{}')";

    fn database() -> (Connection, Vec<Table>) {
        let mut db = Connection::open_in_memory().unwrap();
        create(&mut db).unwrap();
        (db, tables::ours().unwrap())
    }

    fn key() -> UserKey {
        UserKey::of_this_process().unwrap()
    }

    #[test]
    fn every_change_of_every_table_is_followed() {
        let (db, tables) = database();
        let key = key();
        let sealer = Sealer::attach(&db, key.clone(), &tables, RowSum::default()).unwrap();
        let batch = [
            RUN,
            "UPDATE run SET report = '[1]', updated = 'v', status = 'finished'",
            "INSERT INTO variant VALUES (1, 'heap', 'Heap', 'h', '{}', 0)
             ON CONFLICT DO UPDATE SET name = 'again'",
            "INSERT INTO variant VALUES (1, 'heap', 'Heap', 'h', '{}', 0)
             ON CONFLICT DO UPDATE SET name = 'again'",
            "INSERT INTO iteration VALUES (1, 'heap', 1, 'sha', 's', NULL)",
            "INSERT INTO result VALUES (1, 1, 'race', 'k', '[]', 1, 'a', 'v')",
            "INSERT INTO reliance VALUES (1, 'race', '', 0, 1)",
            "INSERT INTO trial VALUES (1, 0, 0, '10', 'ok', -1, 2, 'a', NULL)",
            "DELETE FROM trial",
            "INSERT INTO trial VALUES (1, 0, 0, '10', 'ok', -1, 2, 'a', NULL)",
            "INSERT INTO entrant VALUES (1, 0, 'heap')",
            "INSERT INTO race_case VALUES (1, 0, '10')",
            "INSERT INTO replica VALUES (1, 1, 0, 0, 1, 'a', 3, 1, -0.0, 5, NULL, 0.25, 9e99, '[]', 1.25)",
            "INSERT INTO sample VALUES (1, 0, 0, 0, 1, 2, 3, 4, 5)",
            "INSERT INTO baseline VALUES (1, 0, 3, 1e-300)",
            "INSERT INTO cold VALUES (1, 0, NULL)",
            "INSERT INTO event VALUES (1, 1, 2, 't', 1, 'name', '{\"a\":1}')",
        ];
        for change in batch {
            db.execute(change, []).unwrap();
            assert_eq!(
                sealer.sum(),
                sum_of(&db, &key, &tables).unwrap(),
                "{change}"
            );
        }
        for table in &tables {
            let rows: i64 = db
                .query_row(&format!("SELECT count(*) FROM {}", table.name), [], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(rows, i64::from(table.name != SEAL), "{}", table.name);
        }
    }

    #[test]
    fn any_other_row_or_statement_and_any_other_key_break_the_seal() {
        let (db, tables) = database();
        let key = key();
        let sealer = Sealer::attach(&db, key.clone(), &tables, RowSum::default()).unwrap();
        db.execute_batch(RUN).unwrap();
        assert_eq!(verified_sum(&db, &key, &tables).unwrap(), None);
        sealer.write(&db).unwrap();
        let is_sealed = |db: &Connection, key: &UserKey| {
            verified_sum(db, key, &tables).unwrap() == Some(sealer.sum())
        };
        assert!(is_sealed(&db, &key));
        assert!(!is_sealed(&db, &UserKey::of_this_process().unwrap()));
        for (change, back) in [
            ("UPDATE run SET name = 'x'", "UPDATE run SET name = 'n'"),
            (
                "UPDATE run SET seed = 1, name = ''",
                "UPDATE run SET seed = '1', name = 'n'",
            ),
            ("UPDATE run SET report = ''", "UPDATE run SET report = NULL"),
            ("UPDATE run SET id = 2", "UPDATE run SET id = 1"),
            ("DELETE FROM run", RUN),
            (
                "CREATE TRIGGER t AFTER DELETE ON sample BEGIN SELECT 1; END",
                "DROP TRIGGER t",
            ),
            ("CREATE TABLE t (n)", "DROP TABLE t"),
            (
                "PRAGMA user_version = 99",
                &format!("PRAGMA user_version = {VERSION}"),
            ),
            ("UPDATE seal SET mac = zeroblob(32)", ""),
        ] {
            let sum = sealer.sum();
            db.execute_batch(change).unwrap();
            sealer.go_back(sum);
            assert!(!is_sealed(&db, &key), "{change}");
            db.execute_batch(back).unwrap();
            sealer.go_back(sum);
            assert_eq!(is_sealed(&db, &key), !back.is_empty(), "{back}");
        }
    }

    #[test]
    fn what_is_added_and_taken_away_again_leaves_the_sum() {
        let mut sum = RowSum::default();
        let rows: Vec<[u8; MAC_BYTES]> = (0..200_u8).map(|n| key().mac(&[&[n]])).collect();
        rows.iter().for_each(|row| sum.add(*row));
        assert_ne!(sum, RowSum::default());
        rows.iter().rev().for_each(|row| sum.take_away(*row));
        assert_eq!(sum, RowSum::default());
    }
}
