//! The names in an open folder: listed, made, moved and removed.

use super::super::plain;
use super::super::remove_tree::remove_tree_in;
use super::{FOLDER_MODE, Folder, split};
use rustix::fs::{AtFlags, Dir, FileType, RenameFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most files of one name that can be set aside.
const ASIDE_MAX: u32 = 10_000;

/// Kind of a folder's entry. No link is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderEntryKind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever it leads to.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// An entry of a folder, as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// The name alone.
    pub name: OsString,
    /// The kind of the entry when it was listed.
    pub kind: FolderEntryKind,
}

/// Metadata of a folder's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundEntry {
    /// The kind of the entry.
    pub kind: FolderEntryKind,
    /// The kind as a phrase to follow "it is"; `None` for a plain file.
    pub not_plain: Option<&'static str>,
    /// The size, in bytes.
    pub bytes: u64,
    /// The number of names (hard links).
    pub names: u64,
    /// The permission bits of the mode (`0o7777`).
    pub permissions: u32,
    /// The time of the last change to the content.
    pub modified: SystemTime,
    /// The numbers of its device and of its inode, which tell it from whatever else has its name later.
    pub identity: (u64, u64),
}

impl Folder {
    /// Lists the folder, sorted by name; `None` if it has more than `entries_max` entries.
    ///
    /// # Errors
    /// As for reading folders.
    pub fn entries(&self, entries_max: usize) -> io::Result<Option<Vec<FolderEntry>>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if entries.len() == entries_max {
                return Ok(None);
            }
            let kind = match entry.file_type() {
                FileType::Unknown => self.look(name)?.map(|found| found.kind),
                known => Some(kind_of(known)),
            };
            // An entry that is gone meanwhile is left out.
            entries.extend(kind.map(|kind| FolderEntry {
                name: name.to_owned(),
                kind,
            }));
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(entries))
    }

    /// Returns the metadata of an entry, without following or opening it; `None` where there is nothing.
    ///
    /// # Errors
    /// A folder on its way is a link or no folder, or cannot be read.
    pub fn look(&self, path: impl AsRef<Path>) -> io::Result<Option<FoundEntry>> {
        let found = self.place(path.as_ref()).and_then(|(folder, name)| {
            let found = rustix::fs::statat(&folder.handle, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            let seconds = u64::try_from(found.st_mtime).unwrap_or(0);
            let nanoseconds = u32::try_from(found.st_mtime_nsec).unwrap_or(0);
            Ok(FoundEntry {
                kind: kind_of(FileType::from_raw_mode(found.st_mode)),
                not_plain: plain::kind(found.st_mode),
                bytes: u64::try_from(found.st_size).unwrap_or(0),
                names: wide(found.st_nlink),
                permissions: plain::mode_bits(found.st_mode) & 0o7777,
                modified: UNIX_EPOCH + Duration::new(seconds, nanoseconds),
                identity: (device(&found), found.st_ino),
            })
        });
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns the numbers of the folder's device and of its inode.
    ///
    /// # Errors
    /// The system cannot say.
    pub fn identity(&self) -> io::Result<(u64, u64)> {
        let found = rustix::fs::fstat(&self.handle)?;
        Ok((device(&found), found.st_ino))
    }

    /// Makes a folder where nothing has that name, and opens it.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if there is something of that name; as for making folders.
    pub fn make_new(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let (folder, name) = self.place(path.as_ref())?;
        rustix::fs::mkdirat(&folder.handle, &name, FOLDER_MODE)?;
        let mut made = folder.below(&name)?;
        made.path = self.path.join(path);
        Ok(made)
    }

    /// Moves an entry to another name below this folder, and replaces what has that name. Nothing is opened, so the
    /// entry may be of any kind.
    ///
    /// # Errors
    /// As for renaming.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (from_folder, from) = self.place(from.as_ref())?;
        let (to_folder, to) = self.place(to.as_ref())?;
        let (from_at, to_at) = (&from_folder.handle, &to_folder.handle);
        Ok(rustix::fs::renameat(from_at, &from, to_at, &to)?)
    }

    /// Renames an entry to the first of `NAME.aside-1`, `NAME.aside-2`, … that is free, and returns the new name.
    /// Nothing is opened, so the entry may be of any kind.
    ///
    /// # Errors
    /// As for renaming.
    pub fn set_aside(&self, name: &str) -> io::Result<String> {
        let (folder, from) = self.place(Path::new(name))?;
        for number in 1..=ASIDE_MAX {
            let aside = format!("{name}.aside-{number}");
            let (_, to) = split(Path::new(&aside))?;
            let at = &folder.handle;
            match rustix::fs::renameat_with(at, &from, at, to, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(aside),
                Err(Errno::EXIST) => {}
                Err(Errno::INVAL | Errno::NOSYS) if !folder.has(to) => {
                    rustix::fs::renameat(at, &from, at, to)?;
                    return Ok(aside);
                }
                Err(Errno::INVAL | Errno::NOSYS) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::other(format!(
            "{ASIDE_MAX} files `{name}.aside-N` are there already: remove some"
        )))
    }

    /// Removes the folder of this name with all that is in it, if there is one. No link is followed.
    ///
    /// # Errors
    /// As for [`std::fs::remove_dir_all`].
    pub fn remove_folder(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let (folder, name) = self.place(name.as_ref())?;
        match remove_tree_in(&folder.handle, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Removes the file or link (not its target) of this name, if there is one.
    ///
    /// # Errors
    /// As for removing files.
    pub fn remove(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let (folder, name) = self.place(name.as_ref())?;
        match rustix::fs::unlinkat(&folder.handle, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn kind_of(file_type: FileType) -> FolderEntryKind {
    match file_type {
        FileType::RegularFile => FolderEntryKind::File,
        FileType::Directory => FolderEntryKind::Folder,
        FileType::Symlink => FolderEntryKind::Link,
        _ => FolderEntryKind::Other,
    }
}

/// Returns a count of the system in 64 bits: on some processors it has fewer.
fn wide(count: impl Into<u64>) -> u64 {
    count.into()
}

/// Returns the number of the device that a file lies on.
#[cfg(target_os = "linux")]
fn device(found: &Stat) -> u64 {
    found.st_dev
}

/// Returns the same where the system counts devices with a sign.
#[cfg(not(target_os = "linux"))]
fn device(found: &Stat) -> u64 {
    i64::from(found.st_dev).cast_unsigned()
}
