//! The lock of a folder: one run at a time.
//!
//! The lock is the system's own (`flock`), so it ends with the process that holds it: there is no
//! stale lock to clean up after a crash. The text in the file is for people only.

use super::error::StoreError;
use super::holder::LockHolder;
use crate::files::Folder;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// Name of the lock file in the folder of an experiment.
pub(super) const LOCK_FILE: &str = "lock";
/// Bytes of the lock file that are read: more than a holder ever writes.
const HOLDER_BYTES_MAX: u64 = 4096;
/// How often a lock is tried that nobody alive is known to hold. There are two such moments: the
/// process that took it has not written its name yet, or the one that had it was killed while it
/// started a child, which holds what it inherited until it becomes another program.
const TRIES_MAX: u32 = 300;
/// The time between two tries.
const TRY_INTERVAL: Duration = Duration::from_millis(10);

/// The lock of a folder, held as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a folder, which must exist.
    ///
    /// # Errors
    /// [`StoreError::Locked`] names the process that has it; [`StoreError::ReadOnly`],
    /// [`StoreError::Full`] or [`StoreError::Io`].
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(LOCK_FILE);
        let failed = |error| StoreError::from_io("create", &path, error);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(&path)
            .map_err(failed)?;
        // It is emptied and written to: under another name it may be anything.
        if file.metadata().map_err(failed)?.nlink() > 1 {
            return Err(StoreError::SecondName { path });
        }
        let mut tries = 0;
        while let Err(error) = file.try_lock() {
            if let TryLockError::Error(error) = error {
                return Err(StoreError::from_io("lock", &path, error));
            }
            let holder = live_holder(&mut file);
            tries += 1;
            if holder.is_some() || tries == TRIES_MAX {
                return Err(StoreError::Locked {
                    folder: folder.to_path_buf(),
                    holder: holder.unwrap_or_default(),
                });
            }
            std::thread::sleep(TRY_INTERVAL);
        }
        // The text is for people: on a full disk the lock holds without it.
        let _ = write_holder(&mut file);
        Ok(Self { file })
    }

    /// The process that the lock file of a folder names, if it is alive. The lock itself is not
    /// tried: for people only.
    pub fn holder(folder: &Path) -> Option<LockHolder> {
        let folder = Folder::named_by_user(folder).ok()?;
        let mut file = folder.open(LOCK_FILE).ok()?;
        live_holder(&mut file)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn write_holder(file: &mut File) -> std::io::Result<()> {
    let text = serde_json::to_string(&LockHolder::this())?;
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())
}

/// The live process that the file names.
fn live_holder(file: &mut File) -> Option<LockHolder> {
    read_holder(file).filter(LockHolder::is_alive)
}

/// The process that the file names, with texts that are safe on a terminal.
fn read_holder(file: &mut File) -> Option<LockHolder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut start = file.take(HOLDER_BYTES_MAX);
    start.read_to_string(&mut text).ok()?;
    let holder: LockHolder = serde_json::from_str(&text).ok()?;
    Some(holder.printable())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_lock_is_refused_and_names_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path()).unwrap();
        let error = Lock::take(folder.path()).unwrap_err();
        assert!(error.is_locked());
        let text = error.to_string();
        assert!(
            text.contains(&format!("process {}", std::process::id())),
            "{text}"
        );
        drop(first);
        Lock::take(folder.path()).unwrap();
    }

    #[test]
    fn the_lock_file_of_a_dead_process_does_not_lock() {
        let folder = tempfile::tempdir().unwrap();
        let stale = r#"{"pid": 4194304, "since": "2020-01-01T00:00:00.000Z", "command": "x"}"#;
        std::fs::write(folder.path().join(LOCK_FILE), stale).unwrap();
        Lock::take(folder.path()).unwrap();
    }

    #[test]
    fn a_lock_that_a_dead_process_left_to_a_starting_child_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let inherited = Lock::take(folder.path()).unwrap();
        let dead = r#"{"pid": 4194304, "since": "2020-01-01T00:00:00.000Z", "command": "x"}"#;
        std::fs::write(folder.path().join(LOCK_FILE), dead).unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            drop(inherited);
        });
        Lock::take(folder.path()).unwrap();
        child.join().unwrap();
    }
}
