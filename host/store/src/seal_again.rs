//! Sealing results that were changed by hand.

use super::database_folder::DatabaseFolder;
use super::error::StoreError;
use super::file_opening;
use super::files::DATABASE;
use super::seal::{Sealer, sum_of};
use super::tables;
use bakeoff_files::{Folder, UserKey};
use std::path::Path;

/// Seals the results in a folder, whoever wrote them, as this user's own. For tests of states that no run leaves
/// behind; no command does it.
///
/// # Errors
/// Any error of reading or writing the database; the user has no key.
#[doc(hidden)]
pub fn seal_again(folder: &Path) -> Result<(), StoreError> {
    let file = folder.join(DATABASE);
    let key = UserKey::of_results()
        .map_err(|reason| StoreError::from_io("seal", &file, std::io::Error::other(reason)))?;
    let failed = |error| StoreError::from_io("seal", &file, error);
    let folder = Folder::named_by_user(folder).and_then(DatabaseFolder::new);
    let folder = folder.map_err(failed)?;
    let seal = || {
        let db = file_opening::open(&folder, DATABASE, file_opening::to_write())?;
        let tables = tables::ours()?;
        let sum = sum_of(&db, &key, &tables)?;
        Sealer::attach(&db, key, &tables, sum)?.write(&db)
    };
    seal().map_err(|error| StoreError::from_sqlite(&file, error))
}
