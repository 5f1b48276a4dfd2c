//! Files that are replaced as a whole: a reader sees the old content or the new one.

use super::error::StoreError;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The durability of a replaced file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// It survives a power cut: it is on the disk before it is in its place.
    PowerCut,
    /// It survives the end of this process. It is rewritten so often, or there are so many of its kind, that waiting
    /// for the disk would cost more than losing it: the database has all that it says.
    Kill,
}

/// Writes a file beside its place and moves it there. Only the holder of the folder's lock writes,
/// so one name for the file beside it is enough; what a killed writer left there is overwritten.
pub(super) fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder, durability)?;
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let beside = folder.join(name);
    let written =
        write_new(&beside, bytes, durability).and_then(|()| std::fs::rename(&beside, path));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&beside);
        return Err(StoreError::from_io("write", path, error));
    }
    if durability == Durability::PowerCut {
        sync_folder(path)?;
    }
    Ok(())
}

/// Creates a folder and those above it. Each new one is on the disk if its files must be.
fn create_folder(folder: &Path, durability: Durability) -> Result<(), StoreError> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_folder(parent, durability)?;
    }
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(StoreError::from_io("create", folder, error));
        }
        _ => {}
    }
    match durability {
        Durability::PowerCut => sync_folder(folder),
        Durability::Kill => Ok(()),
    }
}

fn write_new(path: &Path, bytes: &[u8], durability: Durability) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    if durability == Durability::PowerCut {
        file.sync_all()?;
    }
    Ok(())
}

/// The path with a suffix appended to its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The first of `PATH.aside-1`, `PATH.aside-2`, … that is not taken.
pub(super) fn aside_path(path: &Path, is_taken: impl Fn(&Path) -> bool) -> PathBuf {
    (1..=u32::MAX)
        .map(|number| with_suffix(path, &format!(".aside-{number}")))
        .find(|aside| !is_taken(aside))
        .unwrap_or_else(|| with_suffix(path, ".aside"))
}

/// Makes a move within a file's folder survive a power cut.
pub(super) fn sync_folder(file: &Path) -> Result<(), StoreError> {
    let folder = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    File::open(folder)
        .and_then(|open| open.sync_all())
        .map_err(|error| StoreError::from_io("write", folder, error))
}
