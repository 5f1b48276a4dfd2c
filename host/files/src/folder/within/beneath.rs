//! The way through links on Linux: the kernel walks it, and stays below the folder.

use super::super::GUARDED;
use rustix::fs::{Mode, OFlags, RawMode, ResolveFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

/// The most tries to resolve a path while other processes move folders on its way.
const TRIES: u32 = 16;

/// A handle of a file or folder, which cannot read its content.
pub(super) type Place = OwnedFd;

/// Finds what a path below an open folder leads to, and its mode.
pub(super) fn find(folder: &OwnedFd, path: &Path) -> io::Result<(Place, RawMode)> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..TRIES {
        let opened = rustix::fs::openat2(folder, path, flags, Mode::empty(), resolve);
        let handle = match opened {
            Err(Errno::AGAIN) => continue,
            opened => opened?,
        };
        let mode = rustix::fs::fstat(&handle)?.st_mode;
        return Ok((handle, mode));
    }
    Err(io::Error::other("somebody keeps moving folders on its way"))
}

/// Opens a found plain file for reading.
pub(super) fn open_file(found: &Place) -> io::Result<OwnedFd> {
    reopened(found, OFlags::RDONLY | GUARDED)
}

/// Opens a found folder.
pub(super) fn open_folder(found: &Place) -> io::Result<OwnedFd> {
    reopened(found, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC)
}

/// Opens a found file or folder by its handle, so that it does not matter what its path leads to by now.
fn reopened(found: &Place, flags: OFlags) -> io::Result<OwnedFd> {
    let number = found.as_raw_fd();
    let own = format!("/proc/self/fd/{number}");
    // That is a link itself, of the kernel's.
    let flags = flags.difference(OFlags::NOFOLLOW);
    Ok(rustix::fs::open(own, flags, Mode::empty())?)
}
