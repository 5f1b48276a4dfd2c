//! Files of a folder that may be reached through links in it, as long as no part of the way leads out.
//!
//! The kernel holds the way to the folder while it walks it: nothing outside is opened, also not to look at it.

use super::super::plain::{bounded, kind, plain};
use super::{Folder, GUARDED};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

/// Error text for a path that leaves the folder.
const LEAVES: &str = "it is a link that leaves the folder of the experiment, or an absolute one: put the file itself \
                      there instead of the link";

/// The most tries to resolve a path while other processes move folders on its way.
const TRIES: u32 = 16;

/// The file or folder that a path leads to, all links followed. The handle cannot read its content.
#[derive(Debug)]
pub struct LinkedPlace {
    handle: OwnedFd,
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
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..TRIES {
            let opened = rustix::fs::openat2(&self.handle, path, flags, Mode::empty(), resolve);
            let handle = match opened {
                Err(Errno::AGAIN) => continue,
                opened => opened?,
            };
            let mode = rustix::fs::fstat(&handle)?.st_mode;
            return Ok(LinkedPlace { handle, mode });
        }
        Err(io::Error::other("somebody keeps moving folders on its way"))
    }

    /// Opens a plain file for reading, through links that stay in this folder. Anything else is refused by its kind,
    /// and never opened.
    ///
    /// # Errors
    /// As for [`Folder::find`], or the path leads to no plain file.
    pub fn open_linked(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let found = self.find(path).map_err(explained)?;
        plain(found.mode)?;
        Ok(File::from(reopened(&found, OFlags::RDONLY | GUARDED)?))
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
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            handle: reopened(&found, flags)?,
            path: self.path.join(path),
        })
    }
}

/// Opens a found file or folder by its handle, so that it does not matter what its path leads to by now.
fn reopened(found: &LinkedPlace, flags: OFlags) -> io::Result<OwnedFd> {
    let number = found.handle.as_raw_fd();
    let own = format!("/proc/self/fd/{number}");
    // That is a link itself, of the kernel's.
    let flags = flags.difference(OFlags::NOFOLLOW);
    Ok(rustix::fs::open(own, flags, Mode::empty())?)
}

/// Returns the error for a path that leads out of its folder.
pub(crate) fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::CrossesDevices, LEAVES)
}

fn explained(error: io::Error) -> io::Error {
    if leaves_folder(&error) {
        outside()
    } else {
        error
    }
}
