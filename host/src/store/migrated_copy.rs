//! A migrated copy, through which a database of an older version is read without being changed.

use super::error::StoreError;
use super::files::DATABASE;
use super::schema::{STEPS, VIEWS, migrate};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use tempfile::TempDir;

/// Opens a copy of a database, migrated to the newest version. The copy is removed when the folder
/// value is dropped; the database itself is not changed.
pub(super) fn open(db: &Connection, file: &Path) -> Result<(Connection, TempDir), StoreError> {
    let temporary = std::env::temp_dir();
    let folder =
        tempfile::tempdir().map_err(|error| StoreError::from_io("create", &temporary, error))?;
    let copy = folder.path().join(DATABASE);
    let Some(name) = copy.to_str() else {
        let error = std::io::Error::other("its name is not UTF-8; set TMPDIR to another folder");
        return Err(StoreError::from_io("write", &copy, error));
    };
    // One read transaction, with all that is still in the journal.
    db.execute("VACUUM INTO ?1", [name]).map_err(|error| {
        match StoreError::from_sqlite(&copy, error) {
            // The database is the corrupt file: the copy is new.
            StoreError::Corrupt { reason, .. } => StoreError::Corrupt {
                file: file.to_path_buf(),
                reason,
            },
            other => other,
        }
    })?;
    let in_copy = |error| StoreError::from_sqlite(&copy, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut migrated = Connection::open_with_flags(&copy, flags).map_err(in_copy)?;
    migrate(&mut migrated, STEPS, VIEWS).map_err(in_copy)?;
    Ok((migrated, folder))
}
