//! The removal of a folder on Linux, where a path leads to an open folder.

use super::{DEPTH_MAX, REMOVABLE};
use rustix::fs::{Mode, OFlags};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Removes a folder in an open one as [`remove_tree`] does.
pub(crate) fn remove_tree_in(folder: &OwnedFd, name: impl AsRef<Path>) -> io::Result<()> {
    // By this path, the content of the open folder is removed, and no link in it is followed.
    let inside = format!("/proc/self/fd/{}", folder.as_raw_fd());
    remove_tree(&Path::new(&inside).join(name))
}

/// Removes a folder at a path.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_removable(&rustix::fs::open(path, flags(), Mode::empty())?, DEPTH_MAX)?;
            fs::remove_dir_all(path)
        }
        ended => ended,
    }
}

/// Flags for a folder itself, whose mode may forbid to read it.
fn flags() -> OFlags {
    OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Lets the owner remove what is in an open folder, and in the folders below it.
fn make_removable(folder: &OwnedFd, depth: usize) -> io::Result<()> {
    // By this path, the open folder is reached, whatever has its name now.
    let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
    if rustix::fs::fstat(folder)?.st_mode & REMOVABLE != REMOVABLE {
        fs::set_permissions(&path, Permissions::from_mode(REMOVABLE))?;
    }
    if depth == 0 {
        return Ok(());
    }
    let entries: Vec<fs::DirEntry> = fs::read_dir(&path)?.collect::<io::Result<_>>()?;
    for entry in entries {
        if entry.file_type()?.is_dir() {
            let below = rustix::fs::openat(folder, entry.file_name(), flags(), Mode::empty())?;
            make_removable(&below, depth - 1)?;
        }
    }
    Ok(())
}
