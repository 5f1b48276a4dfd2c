//! Files that are replaced as a whole: a reader sees the old content or the new one.

use super::error::StoreError;
use bakeoff_files::{Folder, FolderEntryKind};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Component, Path};

/// The durability of a replaced file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// Survives a power cut: the content is on the disk before the file is in its place.
    PowerCut,
    /// Survives the end of this process, but perhaps no power cut. Such a file is rewritten so often, or has so many
    /// siblings, that waiting for the disk would cost more than losing it: the database has all that it says.
    Kill,
}

/// Writes a file of a folder beside its place and moves it there; folders on its way are made. Only the holder of the
/// folder's lock writes, so one name for the file beside it is enough; what a killed writer left there is removed.
pub(super) fn replace(
    folder: &Folder,
    path: &Path,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), StoreError> {
    let failed = |error| refused(folder, path, "write", error);
    let above = path.parent().unwrap_or(Path::new(""));
    let above = made(folder, above, durability).map_err(failed)?;
    let name = path.file_name().unwrap_or_default();
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(".tmp");
    let write = || {
        above.remove(&beside)?;
        let mut file = above.create(&beside)?;
        file.write_all(bytes)?;
        if durability == Durability::PowerCut {
            file.sync_all()?;
        }
        above.rename(&beside, name)
    };
    if let Err(error) = write() {
        let _ = above.remove(&beside);
        return Err(failed(error));
    }
    match durability {
        Durability::PowerCut => above.sync().map_err(failed),
        Durability::Kill => Ok(()),
    }
}

/// Opens a folder below another one, and makes it where it is missing. With [`Durability::PowerCut`], each new folder
/// is on the disk before this returns.
fn made(folder: &Folder, path: &Path, durability: Durability) -> io::Result<Folder> {
    let mut at = folder.try_clone()?;
    for part in path.components() {
        let Component::Normal(name) = part else {
            continue;
        };
        at = match at.below(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = at.make(name)?;
                if durability == Durability::PowerCut {
                    at.sync()?;
                }
                made
            }
            opened => opened?,
        };
    }
    Ok(at)
}

/// Returns the error of a file that cannot be opened or replaced, by what is in its place or on its way.
pub(super) fn refused(
    folder: &Folder,
    path: &Path,
    action: &'static str,
    error: io::Error,
) -> StoreError {
    let parts: Vec<&Path> = path.ancestors().collect();
    for part in parts.into_iter().rev().skip(1) {
        let shown = folder.path().join(part);
        let Ok(Some(found)) = folder.look(part) else {
            break;
        };
        match found.kind {
            FolderEntryKind::Link => return StoreError::Link { path: shown },
            FolderEntryKind::Folder if part != path => {}
            FolderEntryKind::File if part == path => {}
            _ => return StoreError::NotAFile { path: shown },
        }
    }
    StoreError::from_io(action, &folder.path().join(path), error)
}
