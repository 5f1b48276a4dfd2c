//! Files that killed writers left in a folder.

use super::temporary_name::is_name;
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, fstat, openat, unlinkat};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

/// The most entries of a folder that are looked at for files that killed writers left.
const ENTRIES_MAX: usize = 10_000;

/// Removes files that killed writers of this user left in an open folder.
pub(super) fn remove_abandoned(folder: &OwnedFd) {
    // The handle may be one to make files by alone, which lists nothing.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let listed = openat(folder, ".", flags, Mode::empty());
    let Ok(entries) = listed.and_then(Dir::new) else {
        return;
    };
    for entry in entries.take(ENTRIES_MAX).flatten() {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if is_name(name) {
            // It stays if it is not ours, or is being written: the next writer looks again.
            let _ = remove_if_abandoned(folder, name);
        }
    }
}

fn remove_if_abandoned(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty())?;
    let stat = fstat(&file)?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    if !is_own || FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(());
    }
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(unlinkat(folder, name, AtFlags::empty())?)
}
