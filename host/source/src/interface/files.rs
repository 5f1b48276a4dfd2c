//! Reading WIT files.

use super::error::InterfaceError;
use bakeoff_files::{Folder, Reach};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The largest WIT file, in bytes. All of WASI has 200 KiB of WIT.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// The most files that a folder of WIT may have, its `deps` included.
pub const FILES_MAX: usize = 256;

/// The most entries that a folder of WIT may have, of whatever kind.
const ENTRIES_MAX: usize = 1000;

/// The folder of the packages that the main one uses.
const DEPS: &str = "deps";

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
/// interface on every machine. Links in a folder must stay within `reach`; where that is anywhere, they must stay
/// in the folder itself.
///
/// # Errors
/// A file lies outside of that, the path does not exist, holds no WIT, or exceeds [`FILE_BYTES_MAX`] or
/// [`FILES_MAX`].
pub fn read_files(path: &Path, reach: Reach<'_>) -> Result<Vec<WitFile>, InterfaceError> {
    let failed = |error: io::Error| read_error(path, &error.to_string());
    let place = match reach.from_folder(path).map_err(failed)? {
        None => Folder::named_by_user(path)
            .ok()
            .map(|it| (it, PathBuf::new())),
        within => within,
    };
    let Some((folder, below)) = place else {
        let bytes = reach.read_bounded(path, FILE_BYTES_MAX);
        return Ok(vec![wit_file(path, bytes)?]);
    };
    let reader = FolderReader {
        folder,
        from: path,
        below: &below,
    };
    let mut files = Vec::new();
    match reader.is_folder("") {
        Ok(true) => {
            reader.read_folder("", &mut files)?;
            reader.read_deps(&mut files)?;
        }
        Ok(false) => files.push(reader.read_file("")?),
        Err(error) => return Err(failed(error)),
    }
    if files.is_empty() {
        return Err(read_error(path, "the folder has no file that ends in .wit"));
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// A reader of the WIT in an open folder.
struct FolderReader<'a> {
    folder: Folder,
    /// The path that the user named, for messages.
    from: &'a Path,
    /// The same path, relative to the open folder.
    below: &'a Path,
}

impl FolderReader<'_> {
    /// Returns the path relative to the open folder, for a path relative to the one that the user named.
    fn way(&self, path: &str) -> PathBuf {
        // Nothing behind it: the end of a file's way is no folder's.
        if path.is_empty() {
            self.below.to_owned()
        } else {
            self.below.join(path)
        }
    }

    fn shown(&self, path: &str) -> PathBuf {
        if path.is_empty() {
            self.from.to_owned()
        } else {
            self.from.join(path)
        }
    }

    fn is_folder(&self, path: &str) -> io::Result<bool> {
        Ok(self.folder.find(self.way(path))?.is_folder())
    }

    fn read_deps(&self, files: &mut Vec<WitFile>) -> Result<(), InterfaceError> {
        match self.is_folder(DEPS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(false) => return Ok(()),
            // A link that leaves the folder is refused where it is read.
            Ok(true) | Err(_) => self.read_folder(DEPS, files)?,
        }
        for path in self.entries(DEPS)? {
            if self.is_folder(&path).unwrap_or(false) {
                self.read_folder(&path, files)?;
            }
        }
        Ok(())
    }

    fn read_folder(&self, folder: &str, files: &mut Vec<WitFile>) -> Result<(), InterfaceError> {
        for path in self.entries(folder)? {
            let is_wit = Path::new(&path).extension().is_some_and(|end| end == "wit");
            if is_wit && !self.is_folder(&path).unwrap_or(false) {
                if files.len() == FILES_MAX {
                    let reason = format!("more than {FILES_MAX} files");
                    return Err(read_error(&self.shown(folder), &reason));
                }
                files.push(self.read_file(&path)?);
            }
        }
        Ok(())
    }

    /// Returns the paths of the entries of a folder.
    fn entries(&self, folder: &str) -> Result<Vec<String>, InterfaceError> {
        let failed = |reason: &str| read_error(&self.shown(folder), reason);
        let opened = self.folder.below_linked(self.way(folder));
        let listed = opened.and_then(|opened| opened.entries(ENTRIES_MAX));
        let listed = listed.map_err(|error| failed(&error.to_string()))?;
        let too_many = || failed(&format!("it has more than {ENTRIES_MAX} entries"));
        let paths = listed.ok_or_else(too_many)?.into_iter().map(|entry| {
            let name = entry.name.into_string();
            let name = name.map_err(|_| failed("a name in it is not UTF-8"))?;
            Ok(if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            })
        });
        paths.collect()
    }

    fn read_file(&self, path: &str) -> Result<WitFile, InterfaceError> {
        let bytes = self.folder.read_linked(self.way(path), FILE_BYTES_MAX);
        wit_file(&self.shown(path), bytes)
    }
}

fn wit_file(path: &Path, read: io::Result<Option<Vec<u8>>>) -> Result<WitFile, InterfaceError> {
    let bytes = read.map_err(|error| read_error(path, &error.to_string()))?;
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
