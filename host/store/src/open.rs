//! Opening a store. A database is checked before anything is written to it.

use super::database_folder::DatabaseFolder;
use super::error::StoreError;
use super::examine::{BUSY_TIMEOUT, Examined, Origin, examine};
use super::export_bounds::ExportBounds;
use super::file_opening;
use super::files::{DATABASE, Files};
use super::guarded;
use super::import::{DatabaseCopy, import};
use super::journal::Journal;
use super::links;
use super::lock::{LOCK_FILE, Lock};
use super::schema;
use super::seal::{RowSum, Sealer};
use super::set_aside::set_aside;
use super::tables;
use bakeoff_files::{Folder, FolderEntryKind, UserKey};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// The name of a database that is being made.
const NEW_DATABASE: &str = "bakeoff.db.new";

/// Purpose of opening a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Reading, also while a run is writing. Results that come from elsewhere are read through a copy of ours
    /// into which their rows are imported.
    Read,
    /// A run: takes the lock, and creates the folder if there is none.
    Write,
    /// A run like [`Mode::Write`], but results that are damaged, of another version or from elsewhere are set aside
    /// (`aside-1`, …) instead of refused.
    SetAside,
}

/// The run that new results belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveRun {
    /// Number of the run.
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
    /// Writer of the events; `None` for a reader.
    pub(super) journal: Option<Journal>,
    /// Sealer of everything that is written; `None` for a reader.
    sealer: Option<Sealer>,
    origin: Origin,
    /// Bounds on exports; `None` for own results.
    pub(super) bounds: Option<ExportBounds>,
    set_aside: Option<PathBuf>,
    unsealed: Option<String>,
    // Dropped last: the database is closed before its folder and its copy are, and before another process
    // may take the lock.
    _folder: DatabaseFolder,
    _copy: Option<DatabaseCopy>,
    _lock: Option<Lock>,
    /// Keeps a store on the thread that opened it: a commit blocks, so no future that has a store may be given to the
    /// threads of a runtime.
    _stays: PhantomData<*const ()>,
}

/// Refuses anything but plain files of one name in the place of files that are opened. Opening a pipe or a device might
/// never end; a link is another file, and so is one with a second name elsewhere, which would be written to with this
/// one.
fn refuse_other_than_plain_files(folder: &Folder, mode: Mode) -> Result<(), StoreError> {
    let beside = ["-journal", "-wal", "-shm"].map(|end| format!("{DATABASE}{end}"));
    let names = [DATABASE, LOCK_FILE].map(str::to_owned);
    for name in names.into_iter().chain(beside) {
        let path = folder.path().join(&name);
        let Ok(Some(found)) = folder.look(&name) else {
            continue;
        };
        match found.kind {
            FolderEntryKind::File => {}
            FolderEntryKind::Link => return Err(StoreError::Link { path }),
            _ => return Err(StoreError::NotAFile { path }),
        }
        // A reader, too, has SQLite write to the journal and its index.
        let is_written = mode != Mode::Read || name.ends_with("-wal") || name.ends_with("-shm");
        if is_written && found.names > 1 {
            return Err(StoreError::SecondName { path });
        }
    }
    Ok(())
}

/// Returns the key of this user's results; if there is none, a key that ends with this process, with the reason.
fn results_key(folder: &Folder) -> Result<(UserKey, Option<String>), StoreError> {
    match UserKey::of_results() {
        Ok(key) => Ok((key, None)),
        Err(reason) => {
            let key = UserKey::of_this_process();
            let key =
                key.map_err(|error| StoreError::from_io("make a key for", folder.path(), error))?;
            Ok((key, Some(reason)))
        }
    }
}

impl Store {
    /// Opens the store in a folder that the user named: it may be a link. For writing it is made where it is missing.
    ///
    /// # Errors
    /// Any error of opening or making the folder, and the errors of [`Store::open_in`].
    pub fn open(folder: &Path, mode: Mode) -> Result<Self, StoreError> {
        let (opened, action) = match mode {
            Mode::Read => (Folder::named_by_user(folder), "read"),
            Mode::Write | Mode::SetAside => (Folder::made_by_user(folder), "create"),
        };
        match opened {
            Ok(folder) => Self::open_in(folder, mode),
            Err(error) if mode == Mode::Read && error.kind() == io::ErrorKind::NotFound => {
                let folder = folder.to_path_buf();
                Err(StoreError::Missing { folder })
            }
            Err(error) => Err(StoreError::from_io(action, folder, error)),
        }
    }

    /// Opens the store in an open folder.
    ///
    /// # Errors
    /// Reading: [`StoreError::Missing`] if there is no database. Writing: [`StoreError::Locked`] if
    /// another run has the folder, [`StoreError::Link`] if anything in it is a link,
    /// [`StoreError::Elsewhere`] if it has results that come from elsewhere (unless they are set
    /// aside). Both: [`StoreError::Corrupt`], [`StoreError::OtherVersion`] (unless it is set aside),
    /// [`StoreError::ReadOnly`], [`StoreError::Full`]. Nothing was written to the database in any of
    /// these cases.
    pub fn open_in(folder: Folder, mode: Mode) -> Result<Self, StoreError> {
        refuse_other_than_plain_files(&folder, mode)?;
        links::refuse_special(&folder)?;
        let (key, unsealed) = results_key(&folder)?;
        let mut store = match mode {
            Mode::Read => Self::open_to_read(folder, &key)?,
            Mode::Write | Mode::SetAside => Self::open_to_write(folder, mode, key)?,
        };
        store.unsealed = unsealed;
        Ok(store)
    }

    fn open_to_write(folder: Folder, mode: Mode, key: UserKey) -> Result<Self, StoreError> {
        let lock = Lock::take(&folder)?;
        let files = Files::in_folder(&folder)?;
        let folder = database_folder(folder)?;
        let file = folder.shown(DATABASE);
        let mut aside = None;
        let sum = match own_results(&folder, &key) {
            Ok(Some(sum)) => sum,
            Ok(None) => {
                // A journal without its database must not be taken for the new one's, nor what lies
                // beside it for what the new run wrote.
                aside = set_aside(folder.folder())?;
                create(&folder, &key)?
            }
            Err(error) if mode == Mode::SetAside && error.is_about_the_results() => {
                aside = set_aside(folder.folder())?;
                create(&folder, &key)?
            }
            Err(error) => return Err(error),
        };
        let in_file = |error| StoreError::from_sqlite(&file, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = file_opening::open(&folder, DATABASE, flags).map_err(in_file)?;
        configure(&db).map_err(in_file)?;
        let sealer = attach_sealer(&db, key, sum).map_err(in_file)?;
        let journal = Journal::open(&db, &file, &files)?;
        Ok(Self {
            db,
            file,
            files,
            active: None,
            journal: Some(journal),
            sealer: Some(sealer),
            origin: Origin::Own,
            bounds: None,
            set_aside: aside,
            unsealed: None,
            _folder: folder,
            _copy: None,
            _lock: Some(lock),
            _stays: PhantomData,
        })
    }

    fn open_to_read(folder: Folder, key: &UserKey) -> Result<Self, StoreError> {
        let Ok(Some(found)) = folder.look(DATABASE) else {
            return Err(StoreError::Missing {
                folder: folder.path().to_path_buf(),
            });
        };
        let files = Files::in_folder(&folder)?;
        let folder = database_folder(folder)?;
        let file = folder.shown(DATABASE);
        let in_file = |error| StoreError::from_sqlite(&file, error);
        let Examined {
            mut db,
            tables,
            sum,
        } = examine(&folder, key)?;
        let (db, copy, bounds) = match sum {
            Some(_) => {
                guarded::lift(&mut db).map_err(in_file)?;
                (db, None, None)
            }
            None => {
                let (mut db, copy) = import(&db, &file, &tables)?;
                let bounds = ExportBounds::attach(&mut db, found.bytes).map_err(in_file)?;
                (db, Some(copy), Some(bounds))
            }
        };
        Ok(Self {
            db,
            file,
            files,
            active: None,
            journal: None,
            sealer: None,
            origin: sum.map_or(Origin::Elsewhere, |_| Origin::Own),
            bounds,
            set_aside: None,
            unsealed: None,
            _folder: folder,
            _copy: copy,
            _lock: None,
            _stays: PhantomData,
        })
    }

    /// Opens the results in a folder of this one, to read them.
    ///
    /// # Errors
    /// As of [`Store::open_in`]; there is a link in the place of the folder.
    pub fn open_within(&self, name: &str) -> Result<Self, StoreError> {
        let path = self.files.folder().join(name);
        match self.files.open_folder().below(name) {
            Ok(folder) => Self::open_in(folder, Mode::Read),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Missing { folder: path })
            }
            Err(error) => Err(StoreError::from_io("read", &path, error)),
        }
    }

    /// Returns true if a folder has anything of the name of a database, whatever it is.
    pub fn is_named_in(folder: &Folder) -> bool {
        folder.look(DATABASE).is_ok_and(|found| found.is_some())
    }

    /// Returns the origin of the results.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the folder that the earlier results of this place were set aside to, if there were any.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Returns the reason why no later run can tell that these results are its user's own; `None` if it can.
    pub fn unsealed(&self) -> Option<&str> {
        self.unsealed.as_deref()
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
        let Some(sealer) = &self.sealer else {
            return Err(StoreError::NoActiveRun { file: file.clone() });
        };
        let before = sealer.sum();
        let write = || {
            let value = change(&transaction)?;
            sealer.write(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        write().map_err(|error| {
            // The triggers have added rows that are rolled back.
            sealer.go_back(before);
            in_file(error)
        })
    }

    /// Returns the run that new results belong to.
    pub(super) fn active(&self) -> Result<ActiveRun, StoreError> {
        self.active.ok_or_else(|| StoreError::NoActiveRun {
            file: self.file.clone(),
        })
    }

    /// Returns the time of the wall clock, for people.
    pub(super) fn now(&self) -> String {
        let journal = self.journal.as_ref();
        journal.map_or_else(String::new, |journal| journal.stamper.now())
    }

    /// Returns the error that an error of SQLite about this database stands for.
    pub(super) fn sqlite_error(&self, error: rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.file, error)
    }
}

/// Returns the sum of the rows of the results in a file; `None` if there is none.
///
/// # Errors
/// [`StoreError::Elsewhere`], and the errors of [`examine`].
fn own_results(folder: &DatabaseFolder, key: &UserKey) -> Result<Option<RowSum>, StoreError> {
    if !folder.folder().has(DATABASE) {
        return Ok(None);
    }
    match examine(folder, key)?.sum {
        Some(sum) => Ok(Some(sum)),
        None => Err(StoreError::Elsewhere {
            file: folder.shown(DATABASE),
        }),
    }
}

fn database_folder(folder: Folder) -> Result<DatabaseFolder, StoreError> {
    let path = folder.path().to_path_buf();
    DatabaseFolder::new(folder).map_err(|error| StoreError::from_io("open", &path, error))
}

/// Seals what is written to a database from now on. `sum` is that of its rows before.
fn attach_sealer(db: &Connection, key: UserKey, sum: RowSum) -> rusqlite::Result<Sealer> {
    Sealer::attach(db, key, &tables::ours()?, sum)
}

/// Creates a database beside its place and moves it there when it is whole: a process that is
/// killed meanwhile leaves nothing that could be taken for a database. Returns the sum of its rows.
fn create(folder: &DatabaseFolder, key: &UserKey) -> Result<RowSum, StoreError> {
    let (file, open) = (folder.shown(DATABASE), folder.folder());
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let leftover = format!("{NEW_DATABASE}{suffix}");
        open.remove(&leftover)
            .map_err(|error| StoreError::from_io("remove", &folder.shown(&leftover), error))?;
    }
    let in_file = |error| StoreError::from_sqlite(&file, error);
    let mut db =
        file_opening::open(folder, NEW_DATABASE, file_opening::to_write()).map_err(in_file)?;
    let make = |db: &mut Connection| {
        configure(db)?;
        schema::create(db)?;
        let sealer = attach_sealer(db, key.clone(), RowSum::default())?;
        sealer.write(db)?;
        Ok(sealer.sum())
    };
    let sum = make(&mut db).map_err(in_file)?;
    db.close().map_err(|(_, error)| in_file(error))?;
    let move_there = || {
        open.open(NEW_DATABASE)?.sync_all()?;
        open.rename(NEW_DATABASE, DATABASE)?;
        open.sync()
    };
    move_there().map_err(|error| StoreError::from_io("create", &file, error))?;
    Ok(sum)
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

    /// Implemented once for every type, and a second time for those that may go to another thread: which one
    /// is meant is ambiguous for these, and does not compile.
    trait StaysOnItsThread<A> {
        fn holds() {}
    }

    struct Leaves;

    impl<T> StaysOnItsThread<()> for T {}
    impl<T: Send> StaysOnItsThread<Leaves> for T {}

    #[test]
    fn neither_a_store_nor_a_reference_to_one_goes_to_another_thread() {
        <Store as StaysOnItsThread<_>>::holds();
        <&Store as StaysOnItsThread<_>>::holds();
        <&mut Store as StaysOnItsThread<_>>::holds();
    }
}
