//! Files that come into their place as a whole; where a writer is killed, nothing of its file is left for long.

mod abandoned;
mod named;
#[cfg(target_os = "linux")]
mod nameless;
mod temporary_name;

#[cfg(not(target_os = "linux"))]
use self::named::Unplaced;
#[cfg(target_os = "linux")]
use self::nameless::Unplaced;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

/// The mode of the files, before the user's mask.
const MODE: u32 = 0o666;

/// The mode of files that only their owner may read.
const PRIVATE: u32 = 0o600;

/// A file that is being written, and has a temporary name or none until it is put in its place. It is locked
/// (`flock`) until then, so that no other process takes it for an abandoned one.
#[derive(Debug)]
pub struct NewFile(Unplaced);

impl NewFile {
    /// Makes an empty file that is to become the one at `path`, and the folders on its way. Files that killed
    /// writers left in its folder are removed.
    ///
    /// # Errors
    /// As for making folders and files.
    pub fn for_path(path: &Path) -> io::Result<Self> {
        Self::with_mode(path, MODE)
    }

    /// Makes a file as [`NewFile::for_path`] does, which only its owner may read.
    ///
    /// # Errors
    /// As for making folders and files.
    pub fn private(path: &Path) -> io::Result<Self> {
        Self::with_mode(path, PRIVATE)
    }

    fn with_mode(path: &Path, mode: u32) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder)?;
        Unplaced::at_path(folder, path, mode).map(Self)
    }

    /// Makes an empty file that is to get this name in an open folder. Only its owner may read it if `is_private`.
    pub(super) fn in_open(folder: OwnedFd, name: &OsStr, is_private: bool) -> io::Result<Self> {
        let mode = if is_private { PRIVATE } else { MODE };
        Unplaced::in_open(folder, name, mode).map(Self)
    }

    /// Makes an empty file that is to get this name in an open folder, and does not look for what killed writers left
    /// there: that takes the longer the more files the folder has.
    pub(super) fn further_in_open(folder: OwnedFd, name: &OsStr) -> io::Result<Self> {
        Unplaced::further_in_open(folder, name, MODE).map(Self)
    }

    /// Returns the open file, to write its content to.
    pub fn file(&self) -> &File {
        self.0.file()
    }

    /// Gives the file its name, in place of any other of that name.
    ///
    /// # Errors
    /// As for links and renaming.
    pub fn put_in_place(self) -> io::Result<()> {
        self.0.put_in_place()
    }

    /// Gives the file its name if nothing has that name.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or as for links.
    pub fn put_where_free(self) -> io::Result<()> {
        self.0.put_where_free()
    }
}

/// Writes a file where nothing has that name, as a whole or not at all, and makes the folders on its way.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if there is something of that name; as for making folders and files.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = NewFile::for_path(path)?;
    new.file().write_all(bytes)?;
    new.put_where_free()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    /// Returns the sorted names in a folder.
    pub(super) fn names_in(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_takes_the_place_of_the_old_one_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        std::fs::write(&path, "old").unwrap();
        let new = NewFile::for_path(&path).unwrap();
        new.file().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        new.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        let taken = write_new(&path, b"newer").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names_in(folder.path()), ["rows"]);
    }

    #[test]
    fn a_private_file_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let new = NewFile::private(&path).unwrap();
        new.put_where_free().unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, PRIVATE);
    }
}
