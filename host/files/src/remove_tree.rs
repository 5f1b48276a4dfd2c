//! The removal of a folder with all that is in it, whatever modes its folders have.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The mode of a folder whose owner can remove what is in it.
const REMOVABLE: u32 = 0o700;
/// The deepest folder whose mode is changed. Each level holds a handle.
const DEPTH_MAX: usize = 128;

/// Removes a folder with all that is in it. What ran there may have taken rights away from its folders, and they are given
/// back first. No link is followed.
///
/// # Errors
/// As for [`fs::remove_dir_all`].
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
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
