//! The temporary folder of a piece of work, and the removal of folders that killed processes left behind.
//!
//! Beside the folder to write in lies a file that is locked for as long as the work is going on. The
//! lock is the system's own (`flock`): it ends with the process that holds it, in whatever way that
//! ends, and a reused process id does not matter. Every user may write in the folder for temporary
//! files, so no name in there is trusted.

use super::folder::Folder;
use super::plain::mode_bits;
use super::remove_tree::{remove_tree, remove_tree_in};
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The prefix of the folders' names.
const PREFIX: &str = "bakeoff-work-";

/// The number of random letters and digits after the prefix.
const RANDOM_CHARS: usize = 6;

/// The name of the locked file, and below it that of the folder to write in.
const LOCK: &str = "lock";
const WORK: &str = "work";

/// The mode of these folders: only their owner may enter.
const OWNER_ONLY: u32 = 0o700;

/// The most entries of the folder for temporary files that are looked at.
const ENTRIES_MAX: usize = 10_000;

/// The most folders that are removed at a time.
const REMOVED_MAX: usize = 100;

/// The most attempts to make a folder: another process may take it for abandoned before it is locked.
const TRIES: u32 = 16;

/// Guard so that a process looks only once for folders that killed processes left.
static ABANDONED: Once = Once::new();

/// A folder for one piece of work, such as a build. Dropping it removes it.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    work: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes an empty folder among the system's temporary files. The first call of a process removes
    /// folders that killed processes of this user left there.
    ///
    /// # Errors
    /// As for [`fs::create_dir`].
    pub fn new() -> io::Result<Self> {
        remove_abandoned();
        Self::new_in(&std::env::temp_dir())
    }

    /// Makes an empty folder in a folder of this user, for work whose results must stay on that file system. Folders
    /// that killed processes left there are removed.
    ///
    /// # Errors
    /// As for [`fs::create_dir`].
    pub fn in_folder(parent: &Path) -> io::Result<Self> {
        remove_abandoned_in(parent);
        Self::new_in(parent)
    }

    fn new_in(parent: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let made = tempfile::Builder::new()
                .prefix(PREFIX)
                .rand_bytes(RANDOM_CHARS)
                .permissions(Permissions::from_mode(OWNER_ONLY))
                .tempdir_in(parent)?;
            if let Some(lock) = lock(made.path())? {
                let folder = made.keep();
                let work = folder.join(WORK);
                let scratch = Self {
                    folder,
                    work,
                    _lock: lock,
                };
                fs::create_dir(&scratch.work)?;
                return Ok(scratch);
            }
        }
        Err(io::Error::other("other processes keep removing it"))
    }

    /// Returns the folder to write in.
    pub fn work(&self) -> &Path {
        &self.work
    }
}

impl Drop for Scratch {
    /// Removes the lock last, so that the next process recognises what is left if this process is
    /// killed meanwhile.
    fn drop(&mut self) {
        let _ = remove_tree(&self.work);
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Makes and locks the lock file of a folder; `None` if another process is removing or has removed the folder.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(folder.join(LOCK));
    let file = match file {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(None),
        other => other?,
    }
    Ok((file.metadata()?.nlink() > 0).then_some(file))
}

/// Removes folders that killed processes of this user left among the system's temporary files, once in a
/// process.
pub fn remove_abandoned() {
    ABANDONED.call_once(|| remove_abandoned_in(&std::env::temp_dir()));
}

/// Removes folders that killed processes of this user left in an open folder.
pub fn remove_abandoned_below(folder: &Folder) {
    remove_abandoned_at(folder.as_fd());
}

/// Removes folders that killed processes of this user left in a folder.
fn remove_abandoned_in(parent: &Path) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if let Ok(parent) = rustix::fs::open(parent, flags, Mode::empty()) {
        remove_abandoned_at(parent.as_fd());
    }
}

fn remove_abandoned_at(parent: BorrowedFd<'_>) {
    let Ok(entries) = Dir::read_from(parent) else {
        return;
    };
    entries
        .take(ENTRIES_MAX)
        .flatten()
        .map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned())
        .filter(|name| is_name(name))
        .filter(|name| remove_if_abandoned(parent, name).is_ok())
        .take(REMOVED_MAX)
        .for_each(drop);
}

/// Returns true if [`Scratch`] may have made a folder of this name.
fn is_name(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|random| {
        random.len() == RANDOM_CHARS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Removes a folder of this user whose work has ended. Everything is reached through the open folder,
/// so that it does not matter if its name is replaced meanwhile.
fn remove_if_abandoned(at: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(at, name, OFlags::RDONLY | flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&folder)?;
    if !is_own(&stat) || mode_bits(stat.st_mode) & 0o777 != OWNER_ONLY {
        return Err(Errno::PERM);
    }
    match take_lock(&folder) {
        Ok(_lock) => {
            match remove_tree_in(&folder, WORK) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Errno::NOTEMPTY);
                }
                _ => {}
            }
            rustix::fs::unlinkat(&folder, LOCK, AtFlags::empty())?;
        }
        // The process was killed before it locked the folder, or after it removed all else: the folder
        // is empty. One that is just making it finds it gone, and makes another.
        Err(Errno::NOENT) => {}
        Err(error) => return Err(error),
    }
    rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR)
}

/// Takes the lock of a folder, unless another process holds it.
fn take_lock(folder: &OwnedFd) -> Result<OwnedFd, Errno> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let lock = rustix::fs::openat(folder, LOCK, OFlags::RDWR | flags, Mode::empty())?;
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    let stat = rustix::fs::fstat(&lock)?;
    if is_own(&stat) && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
        Ok(lock)
    } else {
        Err(Errno::PERM)
    }
}

fn is_own(stat: &Stat) -> bool {
    stat.st_uid == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, Instant};

    /// A folder as a killed process leaves it.
    fn abandoned(parent: &Path) -> PathBuf {
        let scratch = Scratch::new_in(parent).unwrap();
        let file = scratch.work().join("deep/er/out.wasm");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "left").unwrap();
        let folder = scratch.folder.clone();
        let kept = parent.join("kept");
        fs::rename(&folder, &kept).unwrap();
        drop(scratch);
        fs::rename(kept, &folder).unwrap();
        folder
    }

    /// A process that another test is just starting has the lock until it runs its program.
    fn remove_until_gone(parent: &Path, dead: &Path) {
        let deadline = Instant::now() + Duration::from_secs(10);
        remove_abandoned_in(parent);
        while dead.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
            remove_abandoned_in(parent);
        }
    }

    #[test]
    fn folders_of_killed_processes_are_removed_and_live_ones_stay() {
        let parent = tempfile::tempdir().unwrap();
        let live = Scratch::new_in(parent.path()).unwrap();
        fs::write(live.work().join("lib.rs"), "live").unwrap();
        let dead = abandoned(parent.path());
        let unlocked = parent.path().join("bakeoff-work-aaaaaa");
        fs::create_dir(&unlocked).unwrap();
        fs::set_permissions(&unlocked, Permissions::from_mode(OWNER_ONLY)).unwrap();
        remove_until_gone(parent.path(), &dead);
        assert!(!dead.exists());
        assert!(!unlocked.exists());
        assert!(live.work().join("lib.rs").exists());
        let folder = live.folder.clone();
        drop(live);
        assert!(!folder.exists());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn look_alikes_are_left_alone_and_no_link_is_followed() {
        let elsewhere = tempfile::tempdir().unwrap();
        let target = abandoned(elsewhere.path());
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        // A link to a folder that would be removed were it one of these.
        symlink(&target, at("bakeoff-work-link00")).unwrap();
        // A folder with a link to the lock; and one that others may write in.
        let linked = abandoned(parent.path());
        fs::remove_file(linked.join(LOCK)).unwrap();
        symlink(target.join(LOCK), linked.join(LOCK)).unwrap();
        let open = abandoned(parent.path());
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        // A user's own folders, and a file.
        for name in ["bakeoff-work-notes1", "bakeoff-work-a-copy", "other"] {
            fs::create_dir(at(name)).unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(OWNER_ONLY)).unwrap();
            fs::write(at(name).join("mine"), "").unwrap();
        }
        fs::write(at("bakeoff-work-file00"), "").unwrap();
        // Within one that is removed, a link is only removed itself.
        let dead = abandoned(parent.path());
        symlink(&target, dead.join(WORK).join("out")).unwrap();
        let before = fs::read_dir(parent.path()).unwrap().count();
        remove_until_gone(parent.path(), &dead);
        assert!(!dead.exists());
        assert!(target.join("work/deep/er/out.wasm").exists());
        assert!(linked.join("work/deep/er/out.wasm").exists());
        assert!(open.join("work/deep/er/out.wasm").exists());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), before - 1);
    }

    /// Root reads such folders anyway.
    #[test]
    fn folders_whose_modes_were_taken_away_are_removed_and_what_a_link_leads_to_keeps_its_own() {
        let parent = tempfile::TempDir::new().unwrap();
        let outside = tempfile::TempDir::new().unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        let lock_up = |work: &Path| {
            let deep = work.join("deep/er");
            fs::create_dir_all(&deep).unwrap();
            fs::write(deep.join("file"), "left").unwrap();
            symlink(outside.path(), deep.join("link")).unwrap();
            for folder in [&deep, &work.join("deep"), work] {
                mode(folder, 0);
            }
        };
        mode(outside.path(), 0o500);
        let scratch = Scratch::new_in(parent.path()).unwrap();
        lock_up(scratch.work());
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        let dead = abandoned(parent.path());
        lock_up(&dead.join(WORK));
        remove_until_gone(parent.path(), &dead);
        assert!(!dead.exists());
        let kept = outside.path().metadata().unwrap();
        assert_eq!(kept.permissions().mode() & 0o777, 0o500);
    }

    /// Threads make folders while others remove abandoned ones: no folder in use is lost.
    #[test]
    fn a_folder_that_is_just_being_made_is_not_taken_from_its_maker() {
        let parent = tempfile::tempdir().unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        remove_abandoned_in(parent.path());
                    }
                });
            }
            for _ in 0..2000 {
                let made = Scratch::new_in(parent.path()).unwrap();
                let written = fs::write(made.work().join("lib.rs"), "");
                let still_there = made.folder.join(LOCK).exists();
                if written.is_err() || !still_there {
                    done.store(true, std::sync::atomic::Ordering::Relaxed);
                    panic!("{written:?}, lock there: {still_there}");
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
