//! The door to a folder that somebody else may have filled.
//!
//! The folder is opened once. Files and folders in it are reached from that handle, one name after the other, and
//! never through a link, also if one takes the place of a name meanwhile. Anything but a plain file or a folder is
//! refused.

mod names;
#[cfg(test)]
mod tests;
mod within;

pub use names::{FolderEntry, FolderEntryKind, FoundEntry};
pub use within::{LinkedPlace, leaves_folder};

use super::new_file::NewFile;
use super::plain::{bounded, kind, plain};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// Error text for a link.
const LINK: &str = "it is a link, and nothing is read or written through a link here: put the file or folder \
                    itself in its place, or remove it";

/// Error text for a file with a second name (a hard link).
const SECOND_NAME: &str =
    "it has a second name, under which it would be changed too: put a copy of it in its place";

/// Error text for a path that leaves the folder.
const LEAVES: &str = "it is a link that leaves the folder of the experiment, or an absolute one: put the file itself \
                      there instead of the link";

/// The mode of folders that are made, before the user's mask.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// The mode of other files that are made, before the user's mask.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);

/// The mode of files that are made to be added to: only their owner may read them.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

/// An open folder.
///
/// ```
/// # let home = tempfile::tempdir().unwrap();
/// # std::fs::write(home.path().join("notes"), "abc").unwrap();
/// use bakeoff_files::Folder;
///
/// let folder = Folder::named_by_user(home.path()).unwrap();
/// assert_eq!(folder.read("notes", 3).unwrap().as_deref(), Some(&b"abc"[..]));
/// std::os::unix::fs::symlink("notes", home.path().join("link")).unwrap();
/// assert!(folder.read("link", 3).is_err());
/// assert!(folder.read("../notes", 3).is_err());
/// ```
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder that the user named. The path may be a link, and lead anywhere.
    ///
    /// # Errors
    /// As for opening folders.
    pub fn named_by_user(path: &Path) -> io::Result<Self> {
        let named = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            handle: rustix::fs::open(named, flags, Mode::empty())?,
            path: path.to_owned(),
        })
    }

    /// Opens a folder that the user named, as [`Folder::named_by_user`] does, and makes it where it is missing.
    ///
    /// # Errors
    /// As for making and opening folders.
    pub fn made_by_user(path: &Path) -> io::Result<Self> {
        if !path.as_os_str().is_empty() {
            std::fs::create_dir_all(path)?;
        }
        Self::named_by_user(path)
    }

    /// Opens the folder that a file lies in. The name of that folder itself may not be a link; those above it
    /// are the user's.
    ///
    /// # Errors
    /// The folder is a link, or as for opening folders.
    pub fn of_file(file: &Path) -> io::Result<Self> {
        let path = match file.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => return Self::named_by_user(Path::new(".")),
        };
        match (path.parent(), path.file_name()) {
            (Some(above), Some(name)) => {
                let above = Self::named_by_user(above)?;
                let handle = enter(&above.handle, name)?;
                Ok(Self {
                    handle,
                    path: path.to_owned(),
                })
            }
            _ => Self::named_by_user(path),
        }
    }

    /// Opens a folder below this one.
    ///
    /// # Errors
    /// A part of its path is a link or no folder, or leads out of this one.
    pub fn below(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        self.walk(path.as_ref(), |_, _| Ok(()))
    }

    /// Opens a folder below this one, and makes it, with those on the way, where it is missing.
    ///
    /// # Errors
    /// As for [`Folder::below`], and for making folders.
    pub fn make(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        self.walk(path.as_ref(), |at, name| {
            match rustix::fs::mkdirat(at, name, FOLDER_MODE) {
                Err(Errno::EXIST) | Ok(()) => Ok(()),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Duplicates the handle of the folder.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            handle: self.handle.try_clone()?,
            path: self.path.clone(),
        })
    }

    fn walk(
        &self,
        path: &Path,
        before: impl Fn(&OwnedFd, &OsStr) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut handle = self.handle.try_clone()?;
        for name in names(path)? {
            before(&handle, name)?;
            handle = enter(&handle, name)?;
        }
        Ok(Self {
            handle,
            path: self.path.join(path),
        })
    }

    /// Returns the path by which the folder was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a plain file for reading. Anything else is refused by its kind, and never waited for.
    ///
    /// # Errors
    /// A part of the path is a link, or the path leads to no plain file.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let (folder, name) = self.place(path.as_ref())?;
        folder.open_name(&name, OFlags::RDONLY)
    }

    /// Reads a plain file; `None` if it has more than `bytes_max` bytes.
    ///
    /// # Errors
    /// As for [`Folder::open`], or the file cannot be read.
    pub fn read(&self, path: impl AsRef<Path>, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
        bounded(self.open(path)?, bytes_max)
    }

    /// Opens a plain file to be read and written, or makes an empty one with the usual mode. A file with a second name
    /// is refused.
    ///
    /// # Errors
    /// As for [`Folder::open`], or the file has a second name.
    pub fn open_to_write(&self, path: impl AsRef<Path>) -> io::Result<File> {
        self.open_or_make(path.as_ref(), OFlags::RDWR, FILE_MODE)
    }

    /// Opens a plain file to be read and added to, or makes an empty one that only its owner may read. A file with a
    /// second name is refused.
    ///
    /// # Errors
    /// As for [`Folder::open`], or the file has a second name.
    pub fn open_to_append(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND;
        self.open_or_make(path.as_ref(), flags, PRIVATE)
    }

    fn open_or_make(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        let (folder, name) = self.place(path)?;
        let make = || {
            let flags = flags | OFlags::CREATE | OFlags::EXCL | GUARDED;
            rustix::fs::openat(&folder.handle, &name, flags, mode).map(File::from)
        };
        let file = match folder.open_name(&name, flags) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match make() {
                // Another process was quicker.
                Err(Errno::EXIST) => folder.open_name(&name, flags)?,
                made => made?,
            },
            opened => opened?,
        };
        match file.metadata()?.nlink() {
            0 | 1 => Ok(file),
            _ => Err(io::Error::other(SECOND_NAME)),
        }
    }

    fn open_name(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        // Opening a device can have effects of its own, so there is a look at it first. What is open is
        // looked at again: something else may have taken its place.
        let found = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        refuse_link(found.st_mode)?;
        plain(found.st_mode)?;
        let opened = rustix::fs::openat(&self.handle, name, flags | GUARDED, Mode::empty());
        let opened = opened.map_err(|error| match error {
            Errno::LOOP => io::Error::other(LINK),
            error => error.into(),
        })?;
        plain(rustix::fs::fstat(&opened)?.st_mode)?;
        Ok(File::from(opened))
    }

    /// Returns why [`Folder::open`] would refuse a path; `None` for a plain file, and where there is nothing.
    pub fn refusal(&self, path: impl AsRef<Path>) -> Option<String> {
        let place = self.place(path.as_ref());
        let found = place.and_then(|(folder, name)| {
            let found = rustix::fs::statat(&folder.handle, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            refuse_link(found.st_mode)?;
            plain(found.st_mode)
        });
        match found {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Some(error.to_string()),
            _ => None,
        }
    }

    /// Returns true if there is anything of this name.
    pub fn has(&self, path: impl AsRef<Path>) -> bool {
        let found = self.place(path.as_ref()).and_then(|(folder, name)| {
            let found = rustix::fs::statat(&folder.handle, &name, AtFlags::SYMLINK_NOFOLLOW);
            found.map_err(io::Error::from)
        });
        !matches!(found, Err(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Makes a new file that replaces, as a whole, whatever has this name once it is put in its place. Missing folders
    /// on its way are made.
    ///
    /// # Errors
    /// As for [`Folder::make`], and for making files.
    pub fn new_file(&self, path: impl AsRef<Path>) -> io::Result<NewFile> {
        let (folder, name) = self.made_place(path.as_ref())?;
        NewFile::in_open(folder.handle, &name, false)
    }

    /// Makes a new file as [`Folder::new_file`] does, and leaves what killed writers left beside it: for many files in a
    /// row, of which the first in each folder is made by that.
    ///
    /// # Errors
    /// As for [`Folder::new_file`].
    pub fn further_new_file(&self, path: impl AsRef<Path>) -> io::Result<NewFile> {
        let (folder, name) = self.made_place(path.as_ref())?;
        NewFile::further_in_open(folder.handle, &name)
    }

    /// Makes a new file as [`Folder::new_file`] does, which only its owner may read.
    ///
    /// # Errors
    /// As for [`Folder::new_file`].
    pub fn new_private_file(&self, path: impl AsRef<Path>) -> io::Result<NewFile> {
        let (folder, name) = self.made_place(path.as_ref())?;
        NewFile::in_open(folder.handle, &name, true)
    }

    /// Makes an empty plain file where nothing has that name, and opens it for writing.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if there is something of that name; as for making files.
    pub fn create(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let (folder, name) = self.place(path.as_ref())?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | GUARDED;
        Ok(File::from(rustix::fs::openat(
            &folder.handle,
            &name,
            flags,
            FILE_MODE,
        )?))
    }

    /// Writes a file where nothing has that name, as a whole or not at all, and makes the folders on its way.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if there is something of that name; as for [`Folder::new_file`].
    pub fn write_new(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let new = self.new_file(path)?;
        new.file().write_all(bytes)?;
        new.put_where_free()
    }

    /// Waits until the entries of this folder are on the disk.
    ///
    /// # Errors
    /// As for `fsync`.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.handle)?)
    }

    /// Opens the folder that a path lies in, and returns it with the path's last name.
    fn place(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let (above, name) = split(path)?;
        Ok((self.below(above)?, name.to_owned()))
    }

    fn made_place(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let (above, name) = split(path)?;
        Ok((self.make(above)?, name.to_owned()))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Flags with which every file is opened: no link is followed, and nothing is waited for.
const GUARDED: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Splits a path into its folder and its last name.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => Ok((above, name)),
        _ => Err(leaves()),
    }
}

/// Returns the names that a path consists of; an error if it leaves the folder.
fn names(path: &Path) -> io::Result<Vec<&OsStr>> {
    let names = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(leaves()),
        });
    names.collect()
}

fn leaves() -> io::Error {
    io::Error::other("its path leaves the folder")
}

/// Returns the error for a path that leads out of its folder.
pub(super) fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::CrossesDevices, LEAVES)
}

/// Opens a folder in another one, by a name that is no link.
fn enter(at: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(at, name, flags, Mode::empty()) {
        Err(Errno::NOTDIR | Errno::LOOP) => {
            let found = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
            refuse_link(found.st_mode)?;
            let kind = kind(found.st_mode).unwrap_or("a file");
            let shown = name.to_string_lossy().escape_debug().to_string();
            Err(io::Error::other(format!("{shown} is {kind}, not a folder")))
        }
        opened => Ok(opened?),
    }
}

fn refuse_link(mode: rustix::fs::RawMode) -> io::Result<()> {
    match FileType::from_raw_mode(mode) {
        FileType::Symlink => Err(io::Error::other(LINK)),
        _ => Ok(()),
    }
}

/// Returns true if a path is that of a link, without following it.
pub fn is_link(path: &Path) -> bool {
    let found = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| refuse_link(found.st_mode).is_err())
}
