//! The way through links on systems whose kernels cannot be told to stay below a folder.
//!
//! Each name is opened in the folder before it, and never through a link: the target of a link is walked in its place.
//! `..` leads to the folder that the walk came from, whose handle is still open, so that it cannot lead out where somebody
//! moves a folder meanwhile.

use super::super::super::plain::plain;
use super::super::{GUARDED, outside};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path};

/// The most links on the way of a path, as for the kernel of Linux.
const LINKS_MAX: usize = 40;

/// The most folders that the walk holds open.
const DEPTH_MAX: usize = 128;

/// A file or folder that a path leads to.
#[derive(Debug)]
pub(super) enum Place {
    /// An open folder.
    Folder(OwnedFd),
    /// A name in an open folder, of anything but a folder and a link.
    Name(OwnedFd, OsString),
}

/// Finds what a path below an open folder leads to, and its mode.
pub(super) fn find(folder: &OwnedFd, path: &Path) -> io::Result<(Place, RawMode)> {
    let mut way = Way {
        start: folder,
        entered: Vec::new(),
    };
    let mut ahead = names(path)?;
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            way.entered.pop().ok_or_else(outside)?;
            continue;
        }
        let found = statat(way.here(), &name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(Errno::LOOP.into());
                }
                let target = readlinkat(way.here(), &name, Vec::new())?;
                let target = OsString::from_vec(target.into_bytes());
                for name in names(Path::new(&target))?.into_iter().rev() {
                    ahead.push_front(name);
                }
            }
            FileType::Directory => way.enter(&name)?,
            _ if ahead.is_empty() => {
                let here = way.here().try_clone_to_owned()?;
                return Ok((Place::Name(here, name), found.st_mode));
            }
            _ => return Err(Errno::NOTDIR.into()),
        }
    }
    let here = way.here().try_clone_to_owned()?;
    let mode = fstat(&here)?.st_mode;
    Ok((Place::Folder(here), mode))
}

/// Opens a found plain file for reading.
pub(super) fn open_file(found: &Place) -> io::Result<OwnedFd> {
    match found {
        Place::Folder(_) => Err(Errno::ISDIR.into()),
        Place::Name(folder, name) => {
            // Something else may have taken its place since it was found: what is open is looked at again. A device
            // would be opened by that, but not be read.
            plain(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)?;
            let opened = openat(folder, name, OFlags::RDONLY | GUARDED, Mode::empty())?;
            plain(fstat(&opened)?.st_mode)?;
            Ok(opened)
        }
    }
}

/// Opens a found folder.
pub(super) fn open_folder(found: &Place) -> io::Result<OwnedFd> {
    match found {
        Place::Folder(folder) => Ok(folder.try_clone()?),
        Place::Name(..) => Err(Errno::NOTDIR.into()),
    }
}

/// The folders from the first one to where the walk is.
struct Way<'a> {
    start: &'a OwnedFd,
    entered: Vec<OwnedFd>,
}

impl Way<'_> {
    fn here(&self) -> BorrowedFd<'_> {
        self.entered.last().unwrap_or(self.start).as_fd()
    }

    fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        if self.entered.len() == DEPTH_MAX {
            return Err(Errno::NAMETOOLONG.into());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let entered = openat(self.here(), name, flags, Mode::empty())?;
        self.entered.push(entered);
        Ok(())
    }
}

/// Returns the names of a path, `..` included; an error for an absolute one.
fn names(path: &Path) -> io::Result<VecDeque<OsString>> {
    let mut names = VecDeque::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(_) | Component::ParentDir => {
                names.push_back(part.as_os_str().to_owned());
            }
            Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Folder;
    use std::fs::File;
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    fn read(folder: &Folder, path: &str) -> io::Result<String> {
        let (place, mode) = find(&folder.handle, Path::new(path))?;
        plain(mode)?;
        let mut text = String::new();
        File::from(open_file(&place)?).read_to_string(&mut text)?;
        Ok(text)
    }

    /// Makes a folder `home` with links that stay in it, beside a secret, and links that lead there.
    fn hostile() -> (tempfile::TempDir, Folder) {
        let outer = tempfile::tempdir().unwrap();
        let at = |name: &str| outer.path().join(name);
        std::fs::create_dir_all(at("home/deep/er")).unwrap();
        std::fs::create_dir(at("outside")).unwrap();
        std::fs::write(at("outside/secret"), "secret").unwrap();
        std::fs::write(at("home/own"), "own").unwrap();
        symlink("../own", at("home/deep/up")).unwrap();
        symlink("deep/er/../up", at("home/twice")).unwrap();
        symlink("../outside", at("home/out")).unwrap();
        symlink("deep/../../outside/secret", at("home/deep-out")).unwrap();
        symlink(at("home/own"), at("home/absolute")).unwrap();
        symlink("circle", at("home/circle")).unwrap();
        let home = Folder::named_by_user(&at("home")).unwrap();
        (outer, home)
    }

    #[test]
    fn links_that_stay_in_the_folder_are_followed_and_others_are_not() {
        let (outer, home) = hostile();
        for path in ["own", "deep/up", "twice", "./deep/er/../../own"] {
            assert_eq!(read(&home, path).unwrap(), "own", "{path}");
        }
        let absolute = outer.path().join("home/own");
        let absolute = absolute.to_str().unwrap();
        for path in [
            "out/secret",
            "out/none",
            "deep-out",
            "..",
            "absolute",
            absolute,
        ] {
            let refused = read(&home, path).unwrap_err();
            assert!(crate::leaves_folder(&refused), "{path}: {refused}");
        }
        for path in ["circle", "own/x", "deep", "none"] {
            let refused = read(&home, path).unwrap_err();
            assert!(!crate::leaves_folder(&refused), "{path}: {refused}");
        }
    }

    #[test]
    fn a_folder_is_opened_and_a_file_is_none() {
        let (_outer, home) = hostile();
        let (deep, _) = find(&home.handle, Path::new("deep/er/..")).unwrap();
        let deep = open_folder(&deep).unwrap();
        statat(&deep, "up", AtFlags::SYMLINK_NOFOLLOW).unwrap();
        open_folder(&find(&home.handle, Path::new(".")).unwrap().0).unwrap();
        open_folder(&find(&home.handle, Path::new("own")).unwrap().0).unwrap_err();
        open_file(&find(&home.handle, Path::new("deep")).unwrap().0).unwrap_err();
    }

    /// A folder on the way is moved out, and a link takes its place, again and again.
    #[test]
    fn nothing_outside_is_read_while_folders_on_the_way_are_moved() {
        let (outer, home) = hostile();
        let at = |name: &str| outer.path().join(name);
        std::fs::write(at("own"), "secret").unwrap();
        std::thread::scope(|scope| {
            let moving = scope.spawn(|| {
                for _ in 0..2_000 {
                    std::fs::rename(at("home/deep"), at("moved")).unwrap();
                    symlink("../outside", at("home/deep")).unwrap();
                    std::fs::remove_file(at("home/deep")).unwrap();
                    std::fs::rename(at("moved"), at("home/deep")).unwrap();
                }
            });
            while !moving.is_finished() {
                for path in ["deep/up", "deep/er/../../own", "deep/secret"] {
                    if let Ok(text) = read(&home, path) {
                        assert_eq!(text, "own");
                    }
                }
            }
        });
    }
}
