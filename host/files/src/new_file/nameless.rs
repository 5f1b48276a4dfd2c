//! A new file on Linux: one without a name where the file system has such, and else one with a temporary name.

use super::temporary_name::{ENTRIES_MAX, PREFIX, RANDOM_CHARS, TRIES, is_name};
use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is not in its place yet.
#[derive(Debug)]
pub(super) struct Unplaced {
    content: Content,
    folder: PathBuf,
    path: PathBuf,
    /// The open folder that `folder` leads to, where it was reached by its handle.
    _handle: Option<OwnedFd>,
}

#[derive(Debug)]
enum Content {
    /// A file without a name (`O_TMPFILE`), which the system removes when its writer ends.
    Nameless(File),
    /// A file with a temporary name, for file systems that have no nameless files.
    Named(NamedTempFile),
}

impl Unplaced {
    /// Makes an empty file that is to become the one at `path`, which lies in `folder`.
    pub(super) fn at_path(folder: &Path, path: &Path, mode: u32) -> io::Result<Self> {
        remove_abandoned(folder);
        Self::begin(folder, path.to_owned(), mode, None)
    }

    /// Makes an empty file that is to get this name in an open folder.
    pub(super) fn in_open(folder: OwnedFd, name: &OsStr, mode: u32) -> io::Result<Self> {
        remove_abandoned(&path_of(&folder));
        Self::further_in_open(folder, name, mode)
    }

    /// Makes the same, and leaves what killed writers left.
    pub(super) fn further_in_open(folder: OwnedFd, name: &OsStr, mode: u32) -> io::Result<Self> {
        let path = path_of(&folder);
        Self::begin(&path, path.join(name), mode, Some(folder))
    }

    fn begin(folder: &Path, path: PathBuf, mode: u32, handle: Option<OwnedFd>) -> io::Result<Self> {
        let content = match nameless(folder, mode) {
            Some(file) => Content::Nameless(file),
            None => Content::Named(named(folder, mode)?),
        };
        Ok(Self {
            content,
            folder: folder.to_owned(),
            path,
            _handle: handle,
        })
    }

    /// Returns the open file, to write its content to.
    pub(super) fn file(&self) -> &File {
        match &self.content {
            Content::Nameless(file) => file,
            Content::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name, in place of any other of that name.
    pub(super) fn put_in_place(self) -> io::Result<()> {
        let file = match self.content {
            Content::Named(file) => {
                file.persist(&self.path).map_err(|error| error.error)?;
                return Ok(());
            }
            Content::Nameless(file) => file,
        };
        // A link replaces nothing: the file first gets a name that is free.
        let linked = names().make_in(&self.folder, |free| link(&file, free))?;
        let linked = linked.into_temp_path();
        linked.persist(&self.path).map_err(|error| error.error)
    }

    /// Gives the file its name if nothing has that name.
    pub(super) fn put_where_free(self) -> io::Result<()> {
        match self.content {
            Content::Nameless(file) => link(&file, &self.path),
            Content::Named(file) => {
                let placed = file.persist_noclobber(&self.path);
                placed.map(drop).map_err(|error| error.error)
            }
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

/// Returns a locked file with a name of its own.
fn named(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    for _ in 0..TRIES {
        let file = names()
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)?;
        let taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !taken && file.as_file().metadata()?.nlink() > 0 {
            return Ok(file);
        }
    }
    Err(io::Error::other("other processes keep removing it"))
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

/// Removes files that killed writers of this user left in a folder.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.take(ENTRIES_MAX).flatten() {
        if is_name(&entry.file_name()) {
            // It stays if it is not ours, or is being written: the next writer looks again.
            let _ = remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    if !is_own || FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(());
    }
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    std::fs::remove_file(path)
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
        let mut other = NewFile::for_path(&path).unwrap();
        other.0.content = Content::Named(named(folder.path(), MODE).unwrap());
        other.file().write_all(b"newer").unwrap();
        other.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"newer");
        assert_eq!(names_in(folder.path()), ["rows"]);
    }

    /// Makes a file as a killed writer leaves it on a file system without nameless files.
    fn abandoned(folder: &Path) -> PathBuf {
        let (_, path) = named(folder, MODE).unwrap().keep().unwrap();
        path
    }

    #[test]
    fn case_110_what_killed_writers_left_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let writing = named(folder.path(), MODE).unwrap();
        let left = abandoned(folder.path());
        std::os::unix::fs::symlink(at("mine"), at(".bakeoff-new-link00")).unwrap();
        std::fs::create_dir(at(".bakeoff-new-folder")).unwrap();
        std::fs::write(at(".bakeoff-new-a-copy"), "mine").unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while left.exists() && std::time::Instant::now() < deadline {
            // A process that another test is just starting has the lock until it runs its program.
            drop(NewFile::for_path(&at("rows")).unwrap());
        }
        let writing = writing.path().file_name().unwrap().to_str().unwrap();
        let mut kept = vec![
            writing,
            ".bakeoff-new-a-copy",
            ".bakeoff-new-folder",
            ".bakeoff-new-link00",
        ];
        kept.sort_unstable();
        assert_eq!(names_in(folder.path()), kept);
    }

    #[test]
    fn a_new_file_that_may_not_replace_another_leaves_it_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/rows");
        write_new(&path, b"first").unwrap();
        let taken = write_new(&path, b"second").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        let mut other = NewFile::private(&path).unwrap();
        other.0.content = Content::Named(named(path.parent().unwrap(), PRIVATE).unwrap());
        let taken = other.put_where_free().unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(names_in(path.parent().unwrap()), ["rows"]);
    }
}
