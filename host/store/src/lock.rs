//! The lock of a folder: one run at a time.
//!
//! The lock is the system's own (`flock`), so it ends with the process that holds it: there is no
//! stale lock to clean up after a crash. The text in the file is for people only.

use super::atomic_file::refused;
use super::error::StoreError;
use super::holder::LockHolder;
use bakeoff_files::{Folder, FolderEntryKind};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

/// Name of the lock file in the folder of an experiment.
pub const LOCK_FILE: &str = "lock";
/// Bytes of the lock file that are read: more than a holder ever writes.
const HOLDER_BYTES_MAX: u64 = 4096;
/// Largest number of tries to take a lock that no living process is known to hold. There are two such moments: the
/// process that took it has not written its name yet, or the one that had it was killed while it started a child, which
/// holds what it inherited until it becomes another program.
const TRIES_MAX: u32 = 300;
/// The time between two tries.
const TRY_INTERVAL: Duration = Duration::from_millis(10);

/// The lock of a folder, held as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a folder.
    ///
    /// # Errors
    /// [`StoreError::Locked`] names the process that has it; [`StoreError::Link`], [`StoreError::NotAFile`] or
    /// [`StoreError::SecondName`] if the file is none of ours; [`StoreError::ReadOnly`], [`StoreError::Full`] or
    /// [`StoreError::Io`].
    pub fn take(folder: &Folder) -> Result<Self, StoreError> {
        let path = folder.path().join(LOCK_FILE);
        // It is emptied and written to: under another name it may be anything.
        let opened = folder.open_to_write(LOCK_FILE);
        let mut file = opened.map_err(|error| match folder.look(LOCK_FILE) {
            Ok(Some(found)) if found.kind == FolderEntryKind::File && found.names > 1 => {
                StoreError::SecondName { path: path.clone() }
            }
            _ => refused(folder, Path::new(LOCK_FILE), "create", error),
        })?;
        let mut tries = 0;
        while let Err(error) = file.try_lock() {
            if let TryLockError::Error(error) = error {
                return Err(StoreError::from_io("lock", &path, error));
            }
            let holder = live_holder(&mut file);
            tries += 1;
            if holder.is_some() || tries == TRIES_MAX {
                return Err(StoreError::Locked {
                    folder: folder.path().to_path_buf(),
                    holder: holder.unwrap_or_default(),
                });
            }
            std::thread::sleep(TRY_INTERVAL);
        }
        // The text is for people: on a full disk the lock holds without it.
        let _ = write_holder(&mut file);
        Ok(Self { file })
    }

    /// Returns the process that holds the lock of a folder, with 0 as its number if it is not known which; `None` if
    /// the lock is free, whatever its file says.
    pub fn holder(folder: &Folder) -> Option<LockHolder> {
        let mut file = folder.open(LOCK_FILE).ok()?;
        // Held for less than the time between two tries of whoever wants it.
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(live_holder(&mut file).unwrap_or_default()),
            _ => None,
        }
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

/// Returns the process that the file names, if there is one of this number and this command.
fn live_holder(file: &mut File) -> Option<LockHolder> {
    read_holder(file).filter(LockHolder::is_alive)
}

/// Returns the process that the file names, with texts that are safe on a terminal.
fn read_holder(file: &mut File) -> Option<LockHolder> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut start = file.take(HOLDER_BYTES_MAX);
    start.read_to_end(&mut text).ok()?;
    LockHolder::parse(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &tempfile::TempDir) -> Folder {
        Folder::named_by_user(folder.path()).unwrap()
    }

    #[test]
    fn a_second_lock_is_refused_and_names_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(&open(&folder)).unwrap();
        let error = Lock::take(&open(&folder)).unwrap_err();
        assert!(error.is_locked());
        let text = error.to_string();
        assert!(
            text.contains(&format!("process {}", std::process::id())),
            "{text}"
        );
        drop(first);
        Lock::take(&open(&folder)).unwrap();
    }

    #[test]
    fn the_lock_file_of_a_dead_process_does_not_lock() {
        let folder = tempfile::tempdir().unwrap();
        let stale = r#"{"pid": 4194304, "since": "2020-01-01T00:00:00.000Z", "command": "x"}"#;
        std::fs::write(folder.path().join(LOCK_FILE), stale).unwrap();
        Lock::take(&open(&folder)).unwrap();
    }

    #[test]
    fn a_lock_that_a_dead_process_left_to_a_starting_child_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let inherited = Lock::take(&open(&folder)).unwrap();
        let dead = r#"{"pid": 4194304, "since": "2020-01-01T00:00:00.000Z", "command": "x"}"#;
        std::fs::write(folder.path().join(LOCK_FILE), dead).unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            drop(inherited);
        });
        Lock::take(&open(&folder)).unwrap();
        child.join().unwrap();
    }

    #[test]
    fn a_file_that_names_a_process_is_believed_only_while_that_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(folder.path().join(LOCK_FILE), text).unwrap();
        let own = LockHolder::this();
        write(&serde_json::to_string(&own).unwrap());
        assert_eq!(Lock::holder(&open(&folder)), None, "nobody holds it");
        let held = Lock::take(&open(&folder)).unwrap();
        let found = Lock::holder(&open(&folder)).unwrap();
        assert_eq!((found.pid, found.command), (own.pid, own.command));
        // Somebody has it, and the file says somebody else.
        for forged in [
            r#"{"pid": 1, "since": "2020", "command": "rm -r /"}"#.to_owned(),
            format!(
                r#"{{"pid": {}, "since": "2020", "command": "rm"}}"#,
                own.pid
            ),
            "no JSON".to_owned(),
        ] {
            write(&forged);
            let found = Lock::holder(&open(&folder)).unwrap();
            assert_eq!(found.to_string(), "another process", "{forged}");
        }
        drop(held);
        assert_eq!(Lock::holder(&open(&folder)), None);
    }

    #[test]
    fn what_is_no_plain_file_of_one_name_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("other"), "kept").unwrap();
        std::fs::hard_link(at("other"), at(LOCK_FILE)).unwrap();
        let refused = || Lock::take(&open(&folder)).unwrap_err();
        assert!(matches!(refused(), StoreError::SecondName { .. }));
        std::fs::remove_file(at(LOCK_FILE)).unwrap();
        std::os::unix::fs::symlink("other", at(LOCK_FILE)).unwrap();
        assert!(matches!(refused(), StoreError::Link { .. }));
        std::fs::remove_file(at(LOCK_FILE)).unwrap();
        std::fs::create_dir(at(LOCK_FILE)).unwrap();
        assert!(matches!(refused(), StoreError::NotAFile { .. }));
        assert_eq!(std::fs::read(at("other")).unwrap(), b"kept");
    }
}
