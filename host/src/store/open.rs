//! Opening a store: looked at first, written to only when it is understood.

use super::error::StoreError;
use super::files::{Files, sync_folder};
use super::journal::Journal;
use super::links;
use super::lock::Lock;
use super::older;
use super::runs::Active;
use super::schema::{APPLICATION_ID, Marks, STEPS, VIEWS, migrate};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the database in the folder of an experiment.
pub(super) const DATABASE: &str = "bakeoff.db";
/// How long a writer waits for another program, a user's `sqlite3` for instance.
const BUSY: Duration = Duration::from_secs(5);
/// Above this size the pages are not all checked at opening: it would take seconds.
const CHECKED_BYTES_MAX: u64 = 256 << 20;
/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To look at what there is; also while a run is writing to it. What an older bakeoff wrote is
    /// read through a copy.
    Read,
    /// To run: takes the lock, and makes the folder if there is none.
    Write,
    /// To run afresh: as [`Mode::Write`], but a database that is damaged or too new is moved aside
    /// (`bakeoff.db.aside-1`, …) instead of refused.
    SetAside,
}

/// The results of an experiment's runs: a database and the files beside it.
#[derive(Debug)]
pub struct Store {
    pub(super) db: Connection,
    pub(super) file: PathBuf,
    pub(super) files: Files,
    /// The run that results are kept for; `None` until one has begun.
    pub(super) active: Option<Active>,
    /// `None` for a reader.
    pub(super) journal: Option<Journal>,
    // Last, so that the database is closed before its copy is removed, or before another process
    // may take the folder.
    _copy: Option<tempfile::TempDir>,
    _lock: Option<Lock>,
}

impl Store {
    /// Opens the store in a folder.
    ///
    /// # Errors
    /// Reading: [`StoreError::Missing`] if there is none. Writing: [`StoreError::Locked`] if
    /// another run has the folder, [`StoreError::Link`] if anything in it is a link. Both: [`StoreError::Corrupt`], [`StoreError::Newer`] (unless it
    /// is to be set aside), [`StoreError::ReadOnly`], [`StoreError::Full`]; nothing was written to
    /// the database in any of these cases.
    pub fn open(folder: &Path, mode: Mode) -> Result<Self, StoreError> {
        let file = folder.join(DATABASE);
        if mode == Mode::Read {
            return Self::open_to_read(folder, file);
        }
        let failed = |error| StoreError::from_io("create", folder, error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        links::refuse(folder)?;
        let lock = Lock::take(folder)?;
        if !file.exists() {
            // A journal without its database must not be taken for the new one's.
            set_aside(&file)?;
            create(&file)?;
        } else if let Err(error) = look(&file) {
            if mode != Mode::SetAside || !(error.is_corrupt() || error.is_newer()) {
                return Err(error);
            }
            set_aside(&file)?;
            create(&file)?;
        }
        let in_file = |error| StoreError::from_sqlite(&file, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(&file, flags).map_err(in_file)?;
        configure(&db).map_err(in_file)?;
        migrate(&mut db, STEPS, VIEWS).map_err(in_file)?;
        let files = Files::new(folder);
        let journal = Journal::open(&db, &file, &files)?;
        Ok(Self {
            db,
            file,
            files,
            active: None,
            journal: Some(journal),
            _copy: None,
            _lock: Some(lock),
        })
    }

    fn open_to_read(folder: &Path, file: PathBuf) -> Result<Self, StoreError> {
        if !file.exists() {
            return Err(StoreError::Missing {
                folder: folder.to_path_buf(),
            });
        }
        let db = look(&file)?;
        let in_file = |error| StoreError::from_sqlite(&file, error);
        let is_older = Marks::read(&db).map_err(in_file)?.version < newest();
        let (db, copy) = match is_older {
            true => {
                let (db, copy) = older::brought_forward(&db, &file)?;
                (db, Some(copy))
            }
            false => (db, None),
        };
        Ok(Self {
            db,
            file,
            files: Files::new(folder),
            active: None,
            journal: None,
            _copy: copy,
            _lock: None,
        })
    }

    /// The files beside the database.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Sees to it that everything kept so far survives a power cut. A kill needs no such call.
    ///
    /// # Errors
    /// Those of writing.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let checkpoint = self
            .db
            .query_row("PRAGMA wal_checkpoint(FULL)", [], |_| Ok(()));
        checkpoint.map_err(|error| self.failed(error))
    }

    /// Does several changes as one commit: all of them, or none.
    pub(super) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let file = &self.file;
        if self.journal.is_none() {
            return Err(StoreError::NotBegun { file: file.clone() });
        }
        let in_file = |error| StoreError::from_sqlite(file, error);
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(in_file)?;
        let value = change(&transaction).map_err(in_file)?;
        transaction.commit().map_err(in_file)?;
        Ok(value)
    }

    /// An error of SQLite about this database.
    pub(super) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.file, error)
    }
}

/// A connection that only reads, to a database that is whole and of a version that is known.
fn look(file: &Path) -> Result<Connection, StoreError> {
    look_at_header(file)?;
    let looked = look_through(file, Access::Shared);
    match looked {
        // In a folder that cannot be written, SQLite cannot make its index of the journal. Without
        // a journal there is nothing to index.
        Err(error) if error.is_read_only() && !has_journal(file) => {
            look_through(file, Access::Immutable)
        }
        other => other,
    }
}

/// Looks at the first bytes without SQLite, which would take an empty file for a new database.
fn look_at_header(file: &Path) -> Result<(), StoreError> {
    let mut header = Vec::new();
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|open| open.take(100).read_to_end(&mut header));
    read.map_err(|error| StoreError::from_io("read", file, error))?;
    let reason = match header.as_slice() {
        [] => "it is empty",
        short if short.len() < 100 => "it ends within its header",
        other if !other.starts_with(MAGIC) => "it is not a SQLite database",
        _ => return Ok(()),
    };
    Err(corrupt(file, reason))
}

/// The version of the tables that this bakeoff writes.
fn newest() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// How a file is opened for reading.
#[derive(Clone, Copy)]
enum Access {
    /// Beside a writer.
    Shared,
    /// As a file that nobody can change.
    Immutable,
}

fn look_through(file: &Path, access: Access) -> Result<Connection, StoreError> {
    let in_file = |error| StoreError::from_sqlite(file, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = match access {
        Access::Shared => Connection::open_with_flags(file, flags),
        Access::Immutable => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(immutable_uri(file), flags)
        }
    }
    .map_err(in_file)?;
    db.busy_timeout(BUSY).map_err(in_file)?;
    let marks = Marks::read(&db).map_err(in_file)?;
    if !marks.ours() {
        return Err(corrupt(file, "it is another program's database"));
    }
    let known = newest();
    if marks.version > known {
        return Err(StoreError::Newer {
            file: file.to_path_buf(),
            found: marks.version,
            known,
        });
    }
    let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    if size <= CHECKED_BYTES_MAX {
        let sql = "PRAGMA quick_check(1)";
        let verdict: String = db.query_row(sql, [], |row| row.get(0)).map_err(in_file)?;
        if verdict != "ok" {
            return Err(corrupt(file, &verdict));
        }
    }
    Ok(db)
}

/// `file:` with everything escaped that means something in a URI.
fn immutable_uri(file: &Path) -> PathBuf {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut uri = b"file:".to_vec();
    for &byte in file.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.extend(format!("%{byte:02X}").bytes()),
            plain => uri.push(plain),
        }
    }
    uri.extend(b"?immutable=1");
    PathBuf::from(OsString::from_vec(uri))
}

fn corrupt(file: &Path, reason: &str) -> StoreError {
    StoreError::Corrupt {
        file: file.to_path_buf(),
        reason: reason.to_owned(),
    }
}

fn has_journal(file: &Path) -> bool {
    std::fs::metadata(beside(file, "-wal")).is_ok_and(|metadata| metadata.len() > 0)
}

/// The path with a suffix appended to its name.
fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Makes a new database beside the place it is for, and moves it there when it is whole: whoever
/// is killed meanwhile leaves nothing that could be taken for one.
fn create(file: &Path) -> Result<(), StoreError> {
    let new = beside(file, ".new");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let leftover = beside(&new, suffix);
        if leftover.exists() {
            std::fs::remove_file(&leftover)
                .map_err(|error| StoreError::from_io("remove", &leftover, error))?;
        }
    }
    let in_file = |error| StoreError::from_sqlite(file, error);
    let mut db = Connection::open(&new).map_err(in_file)?;
    db.pragma_update(None, "application_id", APPLICATION_ID)
        .map_err(in_file)?;
    configure(&db).map_err(in_file)?;
    migrate(&mut db, STEPS, VIEWS).map_err(in_file)?;
    db.close().map_err(|(_, error)| in_file(error))?;
    let moved = std::fs::File::open(&new)
        .and_then(|open| open.sync_all())
        .and_then(|()| std::fs::rename(&new, file));
    moved.map_err(|error| StoreError::from_io("create", file, error))?;
    sync_folder(file)
}

/// Moves a database and its journal to the first free `.aside-N`. The journal goes first: left
/// behind, it would be replayed into the next database of that name.
fn set_aside(file: &Path) -> Result<(), StoreError> {
    let exists = |path: &Path| {
        ["", "-wal", "-shm"]
            .iter()
            .any(|end| beside(path, end).exists())
    };
    if !exists(file) {
        return Ok(());
    }
    let aside = (1..=u32::MAX)
        .map(|number| beside(file, &format!(".aside-{number}")))
        .find(|path| !exists(path))
        .unwrap_or_else(|| beside(file, ".aside"));
    for suffix in ["-shm", "-wal", ""] {
        let from = beside(file, suffix);
        if from.exists() {
            std::fs::rename(&from, beside(&aside, suffix))
                .map_err(|error| StoreError::from_io("move", &from, error))?;
        }
    }
    sync_folder(file)
}

/// - journal ahead of the database (WAL): readers never wait, and a commit is one append
/// - synchronous NORMAL: a commit survives a kill at once and a power cut from the next checkpoint
///   on; the database is whole in both cases
/// - waits 5 s for another writer
/// - 2 MB of pages are kept in memory, however large the database is
/// - the journal is cut back to 16 MiB after a checkpoint
/// - foreign keys hold
/// - functions in views and triggers are SQLite's own harmless ones
fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY)?;
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "normal")?;
    db.pragma_update(None, "cache_size", -2_000)?;
    db.pragma_update_and_check(None, "journal_size_limit", 16 << 20, |_| Ok(()))?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_means_itself_in_a_uri() {
        let uri = immutable_uri(Path::new("/a b/c?d#e%f"));
        assert_eq!(uri, Path::new("file:/a b/c%3Fd%23e%25f?immutable=1"));
    }
}
