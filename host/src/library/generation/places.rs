//! Places of what is kept beside an experiment of which a model is asked.

use crate::library::written_files::{PlaceError, cannot_write};
use bakeoff_files::Folder;
use bakeoff_provider::RECORD_FILE;
use std::path::{Path, PathBuf};

/// The folders that prototypes and attempts are written to.
pub(crate) const PLACES: [&str; 3] = ["approaches/", ".bakeoff/", ".bakeoff/generation.attempts/"];

/// The folder of everything that is kept beside an experiment.
pub(crate) const KEPT: &str = ".bakeoff";

/// The record of a folder's exchanges about opinions. It is one of its own, since opinions have a budget of their own.
const OPINIONS: &str = ".bakeoff/opinions.jsonl";

/// Returns the path of the record of a folder's exchanges, whether it exists or not: no reply in it is paid for twice.
pub(crate) fn record_of(dir: &Path) -> PathBuf {
    dir.join(KEPT).join(RECORD_FILE)
}

/// Returns the path of the record of a folder's exchanges, and makes the folder that it lies in.
pub(crate) fn record_in(dir: &Path) -> Result<PathBuf, PlaceError> {
    make_kept(dir)?;
    Ok(record_of(dir))
}

/// Returns the path of the record of a folder's opinions, and makes the folder that it lies in.
pub(crate) fn opinions_in(dir: &Path) -> Result<PathBuf, PlaceError> {
    make_kept(dir)?;
    Ok(dir.join(OPINIONS))
}

fn make_kept(dir: &Path) -> Result<(), PlaceError> {
    let made = Folder::made_by_user(dir).and_then(|dir| dir.make(KEPT));
    made.map_err(|error| cannot_write(&dir.join(KEPT), &error))?;
    Ok(())
}
