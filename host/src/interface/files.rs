//! Reading WIT files.

use super::error::InterfaceError;
use crate::files::Reach;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The largest WIT file, in bytes. All of WASI has 200 KiB of WIT.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// The most files that a folder of WIT may have, its `deps` included.
pub const FILES_MAX: usize = 256;

/// One file of WIT.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WitFile {
    /// The name for messages: a path relative to the working directory, with `/`. Files in a folder
    /// `deps` belong to the packages that the main one uses.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// Reads the WIT at a path: one file, or a folder with its `*.wit` and, below `deps`, packages as
/// single files or folders. The files are sorted by name, so that the same folder gives the same
/// interface on every machine.
///
/// # Errors
/// A file lies elsewhere than it may, the path does not exist, holds no WIT, or exceeds [`FILE_BYTES_MAX`] or [`FILES_MAX`].
pub fn read_files(path: &Path, reach: Reach<'_>) -> Result<Vec<WitFile>, InterfaceError> {
    let mut files = Vec::new();
    if path.is_dir() {
        read_folder(path, reach, &mut files)?;
        read_deps(&path.join("deps"), reach, &mut files)?;
    } else {
        files.push(read_file(path, reach)?);
    }
    if files.is_empty() {
        return Err(read_error(path, "the folder has no file that ends in .wit"));
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

fn read_deps(
    deps: &Path,
    reach: Reach<'_>,
    files: &mut Vec<WitFile>,
) -> Result<(), InterfaceError> {
    if !deps.is_dir() {
        return Ok(());
    }
    read_folder(deps, reach, files)?;
    for entry in entries(deps)? {
        if entry.is_dir() {
            read_folder(&entry, reach, files)?;
        }
    }
    Ok(())
}

fn read_folder(
    folder: &Path,
    reach: Reach<'_>,
    files: &mut Vec<WitFile>,
) -> Result<(), InterfaceError> {
    for path in entries(folder)? {
        if path.extension().is_some_and(|end| end == "wit") && !path.is_dir() {
            if files.len() == FILES_MAX {
                let reason = format!("more than {FILES_MAX} files");
                return Err(read_error(folder, &reason));
            }
            files.push(read_file(&path, reach)?);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<std::path::PathBuf>, InterfaceError> {
    let read = || -> std::io::Result<Vec<_>> {
        std::fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect()
    };
    read().map_err(|error| read_error(folder, &error.to_string()))
}

fn read_file(path: &Path, reach: Reach<'_>) -> Result<WitFile, InterfaceError> {
    let bytes = reach.read_bounded(path, FILE_BYTES_MAX);
    let bytes = bytes.map_err(|error| read_error(path, &error.to_string()))?;
    let bytes = bytes.ok_or_else(|| {
        read_error(
            path,
            &format!("it has more than {FILE_BYTES_MAX} bytes, the limit"),
        )
    })?;
    Ok(WitFile {
        name: path.to_string_lossy().replace('\\', "/"),
        text: String::from_utf8(bytes).map_err(|_| read_error(path, "it is not UTF-8"))?,
    })
}

fn read_error(path: &Path, reason: &str) -> InterfaceError {
    InterfaceError::Read {
        path: path.display().to_string(),
        reason: reason.to_owned(),
    }
}
