//! The same on Linux.

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Returns the path of an open folder, without a link.
pub(crate) fn real_path(folder: &impl AsFd) -> io::Result<PathBuf> {
    let number = folder.as_fd().as_raw_fd();
    let real = rustix::fs::readlink(format!("/proc/self/fd/{number}"), Vec::new())?;
    Ok(PathBuf::from(OsStr::from_bytes(real.as_bytes())))
}

/// Opens a path on which nothing is a link, even if another folder takes the place of one on it meanwhile.
pub(crate) fn open_without_links(path: &CStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(CWD, path, flags, mode, resolve) {
        // An old kernel, or a filter that does not know it.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, mode),
        opened => opened,
    }
}

/// Sets the number of this thread's last error.
pub(crate) fn set_errno(error: Errno) {
    // SAFETY: it is this thread's own number, which is always there.
    unsafe { *libc::__errno_location() = error.raw_os_error() };
}
