//! The same on macOS.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Flag with which no part of a path may be a link. It stands in the place of `O_NOFOLLOW`, which is about the last part.
const NO_LINKS: OFlags = OFlags::from_bits_retain(libc::O_NOFOLLOW_ANY.cast_unsigned());

/// Returns the path of an open folder, without a link.
pub(crate) fn real_path(folder: &impl AsFd) -> io::Result<PathBuf> {
    let real = rustix::fs::getpath(folder)?;
    Ok(PathBuf::from(OsStr::from_bytes(real.as_bytes())))
}

/// Opens a path on which nothing is a link, even if another folder takes the place of one on it meanwhile.
pub(crate) fn open_without_links(path: &CStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let flags = flags.difference(OFlags::NOFOLLOW) | NO_LINKS;
    rustix::fs::open(path, flags, mode)
}

/// Sets the number of this thread's last error.
pub(crate) fn set_errno(error: Errno) {
    // SAFETY: it is this thread's own number, which is always there.
    unsafe { *libc::__error() = error.raw_os_error() };
}
