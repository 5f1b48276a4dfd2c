//! A database of an older version, read without being written to: through a copy of it.

use super::error::StoreError;
use super::open::DATABASE;
use super::schema::{STEPS, VIEWS, migrate};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use tempfile::TempDir;

/// A copy of what a connection sees, brought to the newest version, in a folder that is removed
/// when its value is dropped. The database itself stays as it is.
pub(super) fn brought_forward(
    db: &Connection,
    file: &Path,
) -> Result<(Connection, TempDir), StoreError> {
    let elsewhere = std::env::temp_dir();
    let folder =
        tempfile::tempdir().map_err(|error| StoreError::from_io("create", &elsewhere, error))?;
    let copy = folder.path().join(DATABASE);
    let Some(name) = copy.to_str() else {
        let error = std::io::Error::other("its name is not UTF-8; set TMPDIR to another folder");
        return Err(StoreError::from_io("write", &copy, error));
    };
    // One read transaction, with all that is still in the journal.
    db.execute("VACUUM INTO ?1", [name]).map_err(|error| {
        match StoreError::from_sqlite(&copy, error) {
            // What cannot be read is the database; the copy is as good as what it is made of.
            StoreError::Corrupt { reason, .. } => StoreError::Corrupt {
                file: file.to_path_buf(),
                reason,
            },
            other => other,
        }
    })?;
    let in_copy = |error| StoreError::from_sqlite(&copy, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut forward = Connection::open_with_flags(&copy, flags).map_err(in_copy)?;
    migrate(&mut forward, STEPS, VIEWS).map_err(in_copy)?;
    Ok((forward, folder))
}
