//! Examination of a database: its origin is found out before anything in it is used.

use super::database_folder::DatabaseFolder;
use super::error::{StoreError, words_of};
use super::files::DATABASE;
use super::guarded::{self, Access};
use super::schema::{APPLICATION_ID, DatabaseHeader, VERSION};
use super::seal::{RowSum, verified_sum};
use super::tables::{self, Table};
use bakeoff_files::UserKey;
use rusqlite::{Connection, ErrorCode};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Longest wait for the lock of another program on the database, a user's `sqlite3` for instance.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest database whose pages are all checked at opening: a larger one would take seconds.
const CHECKED_BYTES_MAX: u64 = 256 << 20;
/// Largest database, with its journal, that is read if it is from elsewhere.
const ELSEWHERE_BYTES_MAX: u64 = 1 << 30;
/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Origin of results: written by this user's bakeoff on this machine, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Written by this user's bakeoff on this machine, and changed by nobody since.
    Own,
    /// Results from anywhere else: another machine, another user, another program.
    Elsewhere,
}

/// A database that was examined, open for reading.
pub(super) struct Examined {
    /// The connection. Views cannot be read through it.
    pub(super) db: Connection,
    /// Tables of the database, each with the very statement that bakeoff makes it with.
    pub(super) tables: Vec<Table>,
    /// The sum of its rows, if its seal is valid; otherwise it comes from elsewhere.
    pub(super) sum: Option<RowSum>,
}

/// Opens a database for reading, if it is whole and of our version, and finds out whose it is.
///
/// # Errors
/// [`StoreError::Corrupt`] and [`StoreError::OtherVersion`]; any error of reading.
pub(super) fn examine(folder: &DatabaseFolder, key: &UserKey) -> Result<Examined, StoreError> {
    let file = &folder.shown(DATABASE);
    check_header(folder, file)?;
    if size(folder, "-journal") > 0 {
        // SQLite would write what it says into the database.
        return Err(corrupt(
            file,
            "a rollback journal lies beside it, and bakeoff writes none",
        ));
    }
    match examine_as(folder, file, key, Access::Shared) {
        // In a folder that cannot be written, or on a full disk, SQLite cannot make its index of the
        // journal. Without a journal there is nothing to index.
        Err(error) if (error.is_read_only() || error.is_full()) && size(folder, "-wal") == 0 => {
            examine_as(folder, file, key, Access::Immutable)
        }
        other => other,
    }
}

fn examine_as(
    folder: &DatabaseFolder,
    file: &Path,
    key: &UserKey,
    access: Access,
) -> Result<Examined, StoreError> {
    let in_file = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => {
            corrupt(file, "reading it takes longer than its size accounts for")
        }
        Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => {
            corrupt(file, "it has more in it than results of bakeoff have")
        }
        // A statement of its schema is not understood, or refused by a limit.
        Some(ErrorCode::Unknown) => corrupt(file, &words_of(&error)),
        _ => StoreError::from_sqlite(file, error),
    };
    let bytes = size(folder, "").saturating_add(size(folder, "-wal"));
    let db = guarded::open(folder, DATABASE, access, bytes)?;
    db.busy_timeout(BUSY_TIMEOUT).map_err(in_file)?;
    // All that follows is of one moment: a run may be going on.
    db.execute_batch("BEGIN").map_err(in_file)?;
    let header = DatabaseHeader::read(&db).map_err(in_file)?;
    if header.application != APPLICATION_ID {
        return Err(corrupt(file, "it is another program's database"));
    }
    if header.version != VERSION {
        return Err(StoreError::OtherVersion {
            file: file.to_path_buf(),
            found: header.version,
            known: VERSION,
        });
    }
    let tables = tables::ours().map_err(in_file)?;
    if let Some(table) = tables::first_other(&db, &tables).map_err(in_file)? {
        let reason = format!("its table {table} is missing, or not as bakeoff makes it");
        return Err(corrupt(file, &reason));
    }
    if bytes <= CHECKED_BYTES_MAX {
        check_tables(&db, "quick_check", &tables, file, &in_file)?;
    }
    let sum = verified_sum(&db, key, &tables).map_err(in_file)?;
    if sum.is_some() {
        check_indexes(&db, &tables, file, &in_file)?;
    } else if bytes > ELSEWHERE_BYTES_MAX {
        let reason = format!(
            "it comes from elsewhere, and has {bytes} bytes with its journal, more than the \
             {ELSEWHERE_BYTES_MAX} that are read of such"
        );
        return Err(corrupt(file, &reason));
    }
    db.execute_batch("COMMIT").map_err(in_file)?;
    Ok(Examined { db, tables, sum })
}

/// Checks that every index has the rows of its table, and no others: a seal covers rows alone, and
/// they are looked up by indexes.
fn check_indexes(
    db: &Connection,
    tables: &[Table],
    file: &Path,
    in_file: &dyn Fn(rusqlite::Error) -> StoreError,
) -> Result<(), StoreError> {
    let sql = "SELECT count(*) FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ?1";
    let mut indexes = db.prepare(sql).map_err(in_file)?;
    for table in tables {
        let count: i64 = indexes
            .query_row([&table.name], |row| row.get(0))
            .map_err(in_file)?;
        if count > 0 {
            check_tables(
                db,
                "integrity_check",
                std::slice::from_ref(table),
                file,
                in_file,
            )?;
        }
    }
    Ok(())
}

/// Checks each of our tables by itself: other tables of a database are never read.
fn check_tables(
    db: &Connection,
    check: &str,
    tables: &[Table],
    file: &Path,
    in_file: &dyn Fn(rusqlite::Error) -> StoreError,
) -> Result<(), StoreError> {
    for table in tables {
        let sql = format!("PRAGMA main.{check}(\"{}\")", table.name);
        let verdict: String = db.query_row(&sql, [], |row| row.get(0)).map_err(in_file)?;
        if verdict != "ok" {
            // What SQLite says of it may name what is in there.
            let reason = format!("its table {} is damaged", table.name);
            return Err(corrupt(file, &reason));
        }
    }
    Ok(())
}

/// Checks the first bytes without SQLite, which would take an empty file for a new database.
fn check_header(folder: &DatabaseFolder, file: &Path) -> Result<(), StoreError> {
    let mut header = Vec::new();
    let opened = folder.folder().open(DATABASE);
    let read = opened.and_then(|open| open.take(100).read_to_end(&mut header));
    read.map_err(|error| StoreError::from_io("read", file, error))?;
    let begins_as_one = header.starts_with(&MAGIC[..header.len().min(MAGIC.len())]);
    let reason = match header.as_slice() {
        [] => "it is empty".to_owned(),
        other if !begins_as_one => format!("it is {}, and no database", kind_of(other)),
        short if short.len() < 100 => "it ends within its header".to_owned(),
        _ => return Ok(()),
    };
    Err(corrupt(file, &reason))
}

/// Returns what a file is, by its first bytes.
fn kind_of(start: &[u8]) -> &'static str {
    // A character may be cut at the end.
    let text = match std::str::from_utf8(start) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    let is_text = |text: &str| {
        text.chars()
            .all(|c| !c.is_control() || "\n\r\t".contains(c))
    };
    match start {
        [b'%', b'P', b'D', b'F', ..] => "a PDF",
        _ if text.is_some_and(is_text) => "text",
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'P', b'K', 3, 4, ..] => {
            "a compressed archive"
        }
        [0x7f, b'E', b'L', b'F', ..] => "a program",
        [0, b'a', b's', b'm', ..] => "WebAssembly",
        _ if start.iter().all(|byte| *byte == 0) => "nothing but zeros",
        _ => "something else",
    }
}

fn corrupt(file: &Path, reason: &str) -> StoreError {
    StoreError::Corrupt {
        file: file.to_path_buf(),
        reason: reason.to_owned(),
    }
}

/// Returns the size of the database, or of a file beside it whose name has this end; 0 if there is
/// none.
fn size(folder: &DatabaseFolder, end: &str) -> u64 {
    let found = folder.folder().look(format!("{DATABASE}{end}"));
    found.ok().flatten().map_or(0, |found| found.bytes)
}
