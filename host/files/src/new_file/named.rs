//! A new file with a temporary name in an open folder, through whose handle all of it happens, for systems and file systems
//! without nameless files.

use super::abandoned::remove_abandoned;
use super::temporary_name::{PREFIX, RANDOM_CHARS, TRIES};
use rustix::fs::{
    AtFlags, Mode, OFlags, RawMode, RenameFlags, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The flag of the handle of a folder in which files are only made: where the system has such, it need not be readable.
#[cfg(target_os = "linux")]
const ENTERED: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const ENTERED: OFlags = OFlags::RDONLY;

/// Characters of a random part of a name. A random byte chooses each evenly: their number divides 256.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A file that is not in its place yet. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Unplaced {
    file: File,
    folder: OwnedFd,
    temporary: OsString,
    name: OsString,
}

impl Unplaced {
    /// Makes an empty file that is to become the one at `path`, which lies in `folder`.
    pub(super) fn at_path(folder: &Path, path: &Path, mode: u32) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        if path.as_os_str().as_bytes().ends_with(b"/") {
            return Err(Errno::ISDIR.into());
        }
        Self::in_open(open_folder(folder)?, name, mode)
    }

    /// Makes an empty file that is to get this name in an open folder.
    pub(super) fn in_open(folder: OwnedFd, name: &OsStr, mode: u32) -> io::Result<Self> {
        remove_abandoned(&folder);
        Self::further_in_open(folder, name, mode)
    }

    /// Makes the same, and leaves what killed writers left.
    pub(super) fn further_in_open(folder: OwnedFd, name: &OsStr, mode: u32) -> io::Result<Self> {
        let mode = Mode::from_bits_truncate(mode as RawMode);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        for _ in 0..TRIES {
            let temporary = random_name()?;
            let file = match openat(&folder, &temporary, flags | OFlags::CLOEXEC, mode) {
                Err(Errno::EXIST) => continue,
                made => File::from(made?),
            };
            // Another process may take it for abandoned before it is locked.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && file.metadata()?.nlink() > 0 {
                let name = name.to_owned();
                return Ok(Self {
                    file,
                    folder,
                    temporary,
                    name,
                });
            }
        }
        Err(io::Error::other("other processes keep removing it"))
    }

    /// Returns the open file, to write its content to.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name, in place of any other of that name.
    pub(super) fn put_in_place(self) -> io::Result<()> {
        let folder = &self.folder;
        Ok(renameat(folder, &self.temporary, folder, &self.name)?)
    }

    /// Gives the file its name if nothing has that name.
    pub(super) fn put_where_free(self) -> io::Result<()> {
        let folder = &self.folder;
        let flags = RenameFlags::NOREPLACE;
        match renameat_with(folder, &self.temporary, folder, &self.name, flags) {
            // Not every file system can do that, nor has every one second names for files.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(linkat(
                folder,
                &self.temporary,
                folder,
                &self.name,
                AtFlags::empty(),
            )?),
            placed => Ok(placed?),
        }
    }
}

impl Drop for Unplaced {
    fn drop(&mut self) {
        // Once the file is in its place there is none of this name.
        let _ = unlinkat(&self.folder, &self.temporary, AtFlags::empty());
    }
}

/// Opens a folder to make files in.
pub(super) fn open_folder(folder: &Path) -> io::Result<OwnedFd> {
    let flags = ENTERED | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(folder, flags, Mode::empty())?)
}

fn random_name() -> io::Result<OsString> {
    let mut random = [0; RANDOM_CHARS];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let letter = |byte: &u8| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]);
    let letters: String = random.iter().map(letter).collect();
    Ok(format!("{PREFIX}{letters}").into())
}

#[cfg(test)]
mod tests {
    use super::super::MODE;
    use super::super::tests::names_in;
    use super::*;
    use std::io::Write as _;

    fn unplaced(folder: &Path) -> Unplaced {
        Unplaced::at_path(folder, &folder.join("rows"), MODE).unwrap()
    }

    #[test]
    fn a_file_with_a_temporary_name_gets_its_own_or_leaves_the_other_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let first = unplaced(folder.path());
        first.file().write_all(b"first").unwrap();
        first.put_where_free().unwrap();
        let taken = unplaced(folder.path()).put_where_free().unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        let second = unplaced(folder.path());
        second.file().write_all(b"second").unwrap();
        second.put_in_place().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        drop(unplaced(folder.path()));
        assert_eq!(names_in(folder.path()), ["rows"]);
    }

    #[test]
    fn a_file_that_is_written_stays_and_one_of_a_killed_writer_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let writing = unplaced(folder.path());
        let left = folder.path().join(".bakeoff-new-abc234");
        std::fs::write(&left, "half").unwrap();
        std::os::unix::fs::symlink("mine", folder.path().join(".bakeoff-new-link00")).unwrap();
        drop(unplaced(folder.path()));
        let mut kept = [writing.temporary.to_str().unwrap(), ".bakeoff-new-link00"];
        kept.sort_unstable();
        assert_eq!(names_in(folder.path()), kept);
    }

    /// The folder is moved meanwhile, and another one has its name.
    #[test]
    fn all_of_it_happens_in_the_folder_that_was_opened() {
        let outer = tempfile::tempdir().unwrap();
        let at = |name: &str| outer.path().join(name);
        std::fs::create_dir(at("folder")).unwrap();
        let new = unplaced(&at("folder"));
        std::fs::rename(at("folder"), at("moved")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        new.put_in_place().unwrap();
        assert_eq!(names_in(&at("moved")), ["rows"]);
        assert_eq!(names_in(&at("folder")), Vec::<String>::new());
    }
}
