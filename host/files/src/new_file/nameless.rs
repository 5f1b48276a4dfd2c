//! A new file on Linux: one without a name where the file system has such, and else one with a temporary name.

use super::abandoned::remove_abandoned;
use super::named::{self, open_folder};
use super::temporary_name::{PREFIX, RANDOM_CHARS};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

/// A file that is not in its place yet.
#[derive(Debug)]
pub(super) enum Unplaced {
    /// A file without a name (`O_TMPFILE`), which the system removes when its writer ends.
    Nameless(Nameless),
    /// A file with a temporary name, for file systems that have no nameless files.
    Named(named::Unplaced),
}

/// A file without a name, and its place.
#[derive(Debug)]
pub(super) struct Nameless {
    file: File,
    folder: PathBuf,
    path: PathBuf,
    /// The open folder that `folder` leads to, where it was reached by its handle.
    _handle: Option<OwnedFd>,
}

impl Unplaced {
    /// Makes an empty file that is to become the one at `path`, which lies in `folder`.
    pub(super) fn at_path(folder: &Path, path: &Path, mode: u32) -> io::Result<Self> {
        let Some(file) = nameless(folder, mode) else {
            return named::Unplaced::at_path(folder, path, mode).map(Self::Named);
        };
        if let Ok(open) = open_folder(folder) {
            remove_abandoned(&open);
        }
        Ok(Self::Nameless(Nameless {
            file,
            folder: folder.to_owned(),
            path: path.to_owned(),
            _handle: None,
        }))
    }

    /// Makes an empty file that is to get this name in an open folder.
    pub(super) fn in_open(folder: OwnedFd, name: &OsStr, mode: u32) -> io::Result<Self> {
        remove_abandoned(&folder);
        Self::further_in_open(folder, name, mode)
    }

    /// Makes the same, and leaves what killed writers left.
    pub(super) fn further_in_open(folder: OwnedFd, name: &OsStr, mode: u32) -> io::Result<Self> {
        let path = path_of(&folder);
        let Some(file) = nameless(&path, mode) else {
            return named::Unplaced::further_in_open(folder, name, mode).map(Self::Named);
        };
        Ok(Self::Nameless(Nameless {
            file,
            path: path.join(name),
            folder: path,
            _handle: Some(folder),
        }))
    }

    /// Returns the open file, to write its content to.
    pub(super) fn file(&self) -> &File {
        match self {
            Self::Nameless(new) => &new.file,
            Self::Named(new) => new.file(),
        }
    }

    /// Gives the file its name, in place of any other of that name.
    pub(super) fn put_in_place(self) -> io::Result<()> {
        match self {
            Self::Nameless(new) => {
                // A link replaces nothing: the file first gets a name that is free.
                let linked = names().make_in(&new.folder, |free| link(&new.file, free))?;
                let linked = linked.into_temp_path();
                linked.persist(&new.path).map_err(|error| error.error)
            }
            Self::Named(new) => new.put_in_place(),
        }
    }

    /// Gives the file its name if nothing has that name.
    pub(super) fn put_where_free(self) -> io::Result<()> {
        match self {
            Self::Nameless(new) => link(&new.file, &new.path),
            Self::Named(new) => new.put_where_free(),
        }
    }
}

/// Returns a path by which all happens in an open folder.
fn path_of(folder: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(PREFIX).rand_bytes(RANDOM_CHARS);
    names
}

/// Returns a locked file without a name; `None` if the file system has no such files, or the file could not be
/// given a name later.
fn nameless(folder: &Path, mode: u32) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok()?;
    let file = File::from(file);
    // Nobody else can have the lock; where there are no locks, nobody removes anything either.
    let _ = file.try_lock();
    own_handle(&file).exists().then_some(file)
}

fn link(file: &File, to: &Path) -> io::Result<()> {
    let from = own_handle(file);
    Ok(rustix::fs::linkat(
        CWD,
        from,
        CWD,
        to,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

fn own_handle(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::names_in;
    use super::super::{MODE, NewFile, PRIVATE, write_new};
    use super::*;
    use std::io::Write as _;

    #[test]
    fn case_98_killed_while_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        if nameless(folder.path(), MODE).is_none() {
            // This file system cannot do it; the other test holds what it can do.
            return;
        }
        let new = NewFile::for_path(&path).unwrap();
        new.file().write_all(b"half").unwrap();
        assert_eq!(names_in(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_new_file_takes_the_place_of_the_old_one_with_either_kind_of_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        std::fs::write(&path, "old").unwrap();
        let new = NewFile::for_path(&path).unwrap();
        new.file().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        new.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        let other = with_a_name(folder.path(), &path, MODE);
        other.file().write_all(b"newer").unwrap();
        other.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"newer");
        assert_eq!(names_in(folder.path()), ["rows"]);
    }

    /// Makes a new file as on a file system without nameless files.
    fn with_a_name(folder: &Path, path: &Path, mode: u32) -> NewFile {
        let new = named::Unplaced::at_path(folder, path, mode).unwrap();
        NewFile(Unplaced::Named(new))
    }

    #[test]
    fn case_110_what_killed_writers_left_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let writing = with_a_name(folder.path(), &at("other"), MODE);
        let mut kept = names_in(folder.path());
        assert_eq!(kept.len(), 1, "{kept:?}");
        std::fs::write(at(".bakeoff-new-abc234"), "half").unwrap();
        std::os::unix::fs::symlink(at("mine"), at(".bakeoff-new-link00")).unwrap();
        std::fs::create_dir(at(".bakeoff-new-folder")).unwrap();
        std::fs::write(at(".bakeoff-new-a-copy"), "mine").unwrap();
        drop(NewFile::for_path(&at("rows")).unwrap());
        kept.extend(
            [
                ".bakeoff-new-a-copy",
                ".bakeoff-new-folder",
                ".bakeoff-new-link00",
            ]
            .map(str::to_owned),
        );
        kept.sort_unstable();
        assert_eq!(names_in(folder.path()), kept);
        writing.put_in_place().unwrap();
        assert!(at("other").exists());
    }

    #[test]
    fn a_new_file_that_may_not_replace_another_leaves_it_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/rows");
        write_new(&path, b"first").unwrap();
        let taken = write_new(&path, b"second").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        let other = with_a_name(path.parent().unwrap(), &path, PRIVATE);
        let taken = other.put_where_free().unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(names_in(path.parent().unwrap()), ["rows"]);
    }
}
