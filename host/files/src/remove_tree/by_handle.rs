//! The removal of a folder on systems other than Linux: each folder is opened in the one above it.

use super::{DEPTH_MAX, REMOVABLE};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, chmodat, openat, statat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Removes a folder at a path.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let open = make_removable(CWD, path.as_os_str())?;
            give_back(&open, DEPTH_MAX)?;
            fs::remove_dir_all(path)
        }
        ended => ended,
    }
}

/// Removes a folder in an open one.
pub(crate) fn remove_tree_in(folder: &OwnedFd, name: impl AsRef<Path>) -> io::Result<()> {
    remove(folder.as_fd(), name.as_ref().as_os_str(), DEPTH_MAX)
}

/// Removes what has a name in an open folder. One deeper than `depth` is an error.
fn remove(at: BorrowedFd<'_>, name: &OsStr, depth: usize) -> io::Result<()> {
    let found = statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
        return Ok(rustix::fs::unlinkat(at, name, AtFlags::empty())?);
    }
    let below = depth.checked_sub(1).ok_or(Errno::NAMETOOLONG)?;
    let folder = make_removable(at, name)?;
    for name in names(&folder)? {
        remove(folder.as_fd(), &name, below)?;
    }
    Ok(rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR)?)
}

/// Lets the owner remove what is in the folders below an open one.
fn give_back(folder: &OwnedFd, depth: usize) -> io::Result<()> {
    let Some(below) = depth.checked_sub(1) else {
        return Ok(());
    };
    for name in names(folder)? {
        let found = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
            give_back(&make_removable(folder.as_fd(), &name)?, below)?;
        }
    }
    Ok(())
}

/// Lets the owner remove what is in a folder, and opens it.
fn make_removable(at: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let removable = Mode::from_bits_truncate(REMOVABLE as RawMode);
    let found = statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if !Mode::from_raw_mode(found.st_mode).contains(removable) {
        // It cannot be opened before. A link that takes its place meanwhile is not followed.
        chmodat(at, name, removable, AtFlags::SYMLINK_NOFOLLOW)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, name, flags, Mode::empty())?)
}

fn names(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_folder_in_an_open_one_is_removed_and_what_a_link_leads_to_is_not() {
        let outer = tempfile::tempdir().unwrap();
        let at = |name: &str| outer.path().join(name);
        fs::create_dir_all(at("work/deep/er")).unwrap();
        fs::create_dir(at("kept")).unwrap();
        fs::write(at("kept/file"), "kept").unwrap();
        fs::write(at("work/deep/er/file"), "left").unwrap();
        symlink("../../kept", at("work/deep/link")).unwrap();
        let open = OwnedFd::from(File::open(outer.path()).unwrap());
        remove_tree_in(&open, "work").unwrap();
        let gone = remove_tree_in(&open, "work").unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
        assert_eq!(fs::read(at("kept/file")).unwrap(), b"kept");
        fs::create_dir_all(at("work/deep")).unwrap();
        remove_tree(&at("work")).unwrap();
        assert!(!at("work").exists());
    }

    #[test]
    fn a_folder_gets_its_rights_back() {
        let outer = tempfile::tempdir().unwrap();
        let closed = outer.path().join("closed");
        fs::create_dir_all(closed.join("deep")).unwrap();
        let set = |path: &Path| fs::set_permissions(path, Permissions::from_mode(0o000)).unwrap();
        set(&closed.join("deep"));
        set(&closed);
        let open = make_removable(CWD, closed.as_os_str());
        // Not every kernel changes the mode of a name without following it.
        let Ok(open) = open else { return };
        give_back(&open, DEPTH_MAX).unwrap();
        let mode = closed.join("deep").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
