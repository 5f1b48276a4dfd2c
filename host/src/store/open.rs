//! Opening a store. A database is checked before anything is written to it.

use super::atomic_file::{aside_path, sync_folder, with_suffix};
use super::error::StoreError;
use super::files::{DATABASE, Files};
use super::journal::Journal;
use super::links;
use super::lock::{LOCK_FILE, Lock};
use super::migrated_copy;
use super::schema::{APPLICATION_ID, DatabaseHeader, STEPS, VIEWS, migrate};
use crate::files::open_plain;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a writer waits for another program, a user's `sqlite3` for instance.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest database whose pages are all checked at opening: a larger one would take seconds.
const CHECKED_BYTES_MAX: u64 = 256 << 20;
/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// For reading, also while a run is writing. A database of an older bakeoff is read through a
    /// migrated copy.
    Read,
    /// For a run: takes the lock, and creates the folder if there is none.
    Write,
    /// As [`Mode::Write`], but a database that is damaged or too new is moved aside
    /// (`bakeoff.db.aside-1`, …) instead of refused.
    SetAside,
}

/// The run that new results belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveRun {
    /// Its number.
    pub(super) run: i64,
    /// Number of the first run of its chain.
    pub(super) root: i64,
}

/// The results of an experiment's runs: a database and the files beside it.
#[derive(Debug)]
pub struct Store {
    pub(super) db: Connection,
    pub(super) file: PathBuf,
    pub(super) files: Files,
    /// The run that new results belong to; `None` until one has begun.
    pub(super) active: Option<ActiveRun>,
    /// `None` for a reader.
    pub(super) journal: Option<Journal>,
    // Dropped last: the database is closed before its copy is removed, and before another process
    // may take the lock.
    _copy: Option<tempfile::TempDir>,
    _lock: Option<Lock>,
}

/// Refuses pipes, sockets and devices in the place of files that are opened: opening one might never
/// end.
fn refuse_pipes_and_devices(folder: &Path) -> Result<(), StoreError> {
    let beside = ["-journal", "-wal", "-shm"].map(|end| format!("{DATABASE}{end}"));
    let names = [DATABASE, LOCK_FILE].map(str::to_owned);
    for name in names.into_iter().chain(beside) {
        let path = folder.join(name);
        let special = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
        if std::fs::metadata(&path).is_ok_and(special) {
            return Err(StoreError::NotAFile { path });
        }
    }
    Ok(())
}

impl Store {
    /// Opens the store in a folder.
    ///
    /// # Errors
    /// Reading: [`StoreError::Missing`] if there is no database. Writing: [`StoreError::Locked`] if
    /// another run has the folder, [`StoreError::Link`] if anything in it is a link, [`StoreError::NotAFile`]
    /// if it is a pipe or a device. Both:
    /// [`StoreError::Corrupt`], [`StoreError::Newer`] (unless it is set aside),
    /// [`StoreError::ReadOnly`], [`StoreError::Full`]. Nothing was written to the database in any of
    /// these cases.
    pub fn open(folder: &Path, mode: Mode) -> Result<Self, StoreError> {
        let file = folder.join(DATABASE);
        refuse_pipes_and_devices(folder)?;
        if mode == Mode::Read {
            return Self::open_to_read(folder, file);
        }
        let failed = |error| StoreError::from_io("create", folder, error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        links::refuse_special(folder)?;
        let lock = Lock::take(folder)?;
        if !file.exists() {
            // A journal without its database must not be taken for the new one's.
            set_aside(&file)?;
            create(&file)?;
        } else if let Err(error) = open_checked(&file) {
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
        let db = open_checked(&file)?;
        let in_file = |error| StoreError::from_sqlite(&file, error);
        let is_older = DatabaseHeader::read(&db).map_err(in_file)?.version < newest_version();
        let (db, copy) = match is_older {
            true => {
                let (db, copy) = migrated_copy::open(&db, &file)?;
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

    /// Writes everything stored so far to the disk, so that it survives a power cut. A commit
    /// survives the end of this process without it.
    ///
    /// # Errors
    /// Any error of writing the database.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let checkpoint = self
            .db
            .query_row("PRAGMA wal_checkpoint(FULL)", [], |_| Ok(()));
        checkpoint.map_err(|error| self.sqlite_error(error))
    }

    /// Makes several changes as one commit: all of them, or none.
    pub(super) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let file = &self.file;
        if self.journal.is_none() {
            return Err(StoreError::NoActiveRun { file: file.clone() });
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

    /// The run that new results belong to.
    pub(super) fn active(&self) -> Result<ActiveRun, StoreError> {
        self.active.ok_or_else(|| StoreError::NoActiveRun {
            file: self.file.clone(),
        })
    }

    /// The time of the wall clock, for people.
    pub(super) fn now(&self) -> String {
        let journal = self.journal.as_ref();
        journal.map_or_else(String::new, |journal| journal.stamper.now())
    }

    /// An error of SQLite about this database.
    pub(super) fn sqlite_error(&self, error: rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.file, error)
    }
}

/// Opens a database for reading, if it is whole and of a known version.
fn open_checked(file: &Path) -> Result<Connection, StoreError> {
    check_header(file)?;
    match open_read_only(file, Access::Shared) {
        // In a folder that cannot be written, SQLite cannot make its index of the journal. Without
        // a journal there is nothing to index.
        Err(error) if error.is_read_only() && !has_journal(file) => {
            open_read_only(file, Access::Immutable)
        }
        other => other,
    }
}

/// Checks the first bytes without SQLite, which would take an empty file for a new database.
fn check_header(file: &Path) -> Result<(), StoreError> {
    let mut header = Vec::new();
    let opened = open_plain(file);
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
fn newest_version() -> i64 {
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

fn open_read_only(file: &Path, access: Access) -> Result<Connection, StoreError> {
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
    db.busy_timeout(BUSY_TIMEOUT).map_err(in_file)?;
    let header = DatabaseHeader::read(&db).map_err(in_file)?;
    if !header.is_ours() {
        return Err(corrupt(file, "it is another program's database"));
    }
    let known = newest_version();
    if header.version > known {
        return Err(StoreError::Newer {
            file: file.to_path_buf(),
            found: header.version,
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

/// The URI of a file, with every character escaped that has a meaning in a URI.
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
    std::fs::metadata(with_suffix(file, "-wal")).is_ok_and(|metadata| metadata.len() > 0)
}

/// Creates a database beside its place and moves it there when it is whole: a process that is
/// killed meanwhile leaves nothing that could be taken for a database.
fn create(file: &Path) -> Result<(), StoreError> {
    let new = with_suffix(file, ".new");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let leftover = with_suffix(&new, suffix);
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

/// Moves a database and its journal to the first free `.aside-N`. The journal is moved first: left
/// behind, it would be replayed into the next database of that name.
fn set_aside(file: &Path) -> Result<(), StoreError> {
    let exists = |path: &Path| {
        ["", "-wal", "-shm"]
            .iter()
            .any(|end| with_suffix(path, end).exists())
    };
    if !exists(file) {
        return Ok(());
    }
    let aside = aside_path(file, exists);
    for suffix in ["-shm", "-wal", ""] {
        let from = with_suffix(file, suffix);
        if from.exists() {
            std::fs::rename(&from, with_suffix(&aside, suffix))
                .map_err(|error| StoreError::from_io("move", &from, error))?;
        }
    }
    sync_folder(file)
}

/// Sets how SQLite works on a database that is written to:
///
/// - journal ahead of the database (WAL): readers never wait, and a commit is one append
/// - synchronous NORMAL: a commit survives a kill at once and a power cut from the next checkpoint
///   on; the database is whole in both cases
/// - waits 5 s for another writer
/// - 2 MB of pages are kept in memory, however large the database is
/// - the journal is cut back to 16 MiB after a checkpoint
/// - foreign keys hold
/// - functions in views and triggers are SQLite's own harmless ones
fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY_TIMEOUT)?;
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
    fn every_special_character_of_a_path_is_escaped_in_its_uri() {
        let uri = immutable_uri(Path::new("/a b/c?d#e%f"));
        assert_eq!(uri, Path::new("file:/a b/c%3Fd%23e%25f?immutable=1"));
    }
}
