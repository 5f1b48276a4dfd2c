//! Files of a folder that may be reached through links in it, as long as no part of the way leads out.
//!
//! Nothing outside is opened, also not to look at it: on Linux the kernel holds the way to the folder while it walks it,
//! and on other systems the way is [walked](walk) here, name by name.

#[cfg(target_os = "linux")]
mod beneath;
#[cfg(any(not(target_os = "linux"), test))]
mod walk;

#[cfg(target_os = "linux")]
use self::beneath as resolve;
#[cfg(not(target_os = "linux"))]
use self::walk as resolve;

use super::super::plain::{bounded, kind, plain};
use super::{Folder, outside};
use std::fs::File;
use std::io;
use std::path::Path;

/// The file or folder that a path leads to, all links followed. Its content is not read.
#[derive(Debug)]
pub struct LinkedPlace {
    place: resolve::Place,
    mode: rustix::fs::RawMode,
}

impl LinkedPlace {
    /// Returns true for a plain file.
    pub fn is_plain_file(&self) -> bool {
        kind(self.mode).is_none()
    }

    /// Returns true for a folder.
    pub fn is_folder(&self) -> bool {
        kind(self.mode) == Some("a folder")
    }

    /// Returns the kind of anything but a plain file, as a phrase to follow "it is"; `None` for a plain file.
    pub fn not_plain(&self) -> Option<&'static str> {
        kind(self.mode)
    }
}

/// Returns true if an error says that a path leads out of its folder.
pub fn leaves_folder(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::CrossesDevices
}

impl Folder {
    /// Finds the file or folder that a path leads to, through links that stay in this folder. Its content is not
    /// opened.
    ///
    /// # Errors
    /// The path leaves the folder ([`leaves_folder`] is true for the error), or nothing stands there.
    pub fn find(&self, path: impl AsRef<Path>) -> io::Result<LinkedPlace> {
        let path = match path.as_ref() {
            empty if empty.as_os_str().is_empty() => Path::new("."),
            path => path,
        };
        let (place, mode) = resolve::find(&self.handle, path)?;
        Ok(LinkedPlace { place, mode })
    }

    /// Opens a plain file for reading, through links that stay in this folder. Anything else is refused by its kind,
    /// and never opened.
    ///
    /// # Errors
    /// As for [`Folder::find`], or the path leads to no plain file.
    pub fn open_linked(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let found = self.find(path).map_err(explained)?;
        plain(found.mode)?;
        Ok(File::from(resolve::open_file(&found.place)?))
    }

    /// Reads a plain file through links that stay in this folder; `None` if it has more than `bytes_max` bytes.
    ///
    /// # Errors
    /// As for [`Folder::open_linked`], or the file cannot be read.
    pub fn read_linked(
        &self,
        path: impl AsRef<Path>,
        bytes_max: u64,
    ) -> io::Result<Option<Vec<u8>>> {
        bounded(self.open_linked(path)?, bytes_max)
    }

    /// Opens a folder through links that stay in this one.
    ///
    /// # Errors
    /// As for [`Folder::find`], or the path leads to no folder.
    pub fn below_linked(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let found = self.find(path).map_err(explained)?;
        Ok(Self {
            handle: resolve::open_folder(&found.place)?,
            path: self.path.join(path),
        })
    }
}

fn explained(error: io::Error) -> io::Error {
    if leaves_folder(&error) {
        outside()
    } else {
        error
    }
}
