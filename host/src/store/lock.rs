//! One run per folder at a time.
//!
//! The lock is the system's own (`flock`), so it dies with its holder: there is no stale lock to
//! clean up after a crash. What the file says is for people only.

use super::error::StoreError;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Name of the lock file in the folder of an experiment.
pub(super) const LOCK_FILE: &str = "lock";
/// More than a holder ever writes about itself.
const HOLDER_BYTES_MAX: u64 = 4096;
/// How often, and how far apart, a holder is asked who it is: between taking the lock and saying
/// so there is a moment in which the file still speaks of the one before.
const ASKING: (u32, Duration) = (20, Duration::from_millis(10));

/// Who has the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process; 0 if it did not say.
    pub pid: u32,
    /// Since when, as RFC 3339 in UTC.
    pub since: String,
    /// What it does: the command line, shortened.
    pub command: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pid == 0 {
            return f.write_str("another process");
        }
        write!(f, "process {} (since {}", self.pid, self.since)?;
        if !self.command.is_empty() {
            write!(f, ", `{}`", self.command)?;
        }
        f.write_str(")")
    }
}

impl Holder {
    /// This process.
    fn this() -> Self {
        let command: Vec<String> = std::env::args().take(8).collect();
        Self {
            pid: std::process::id(),
            since: crate::events::rfc3339(SystemTime::now()),
            command: printable(&command.join(" ")),
        }
    }

    fn alive(&self) -> bool {
        self.pid != 0 && Path::new("/proc").join(self.pid.to_string()).exists()
    }
}

/// At most 120 printable ASCII characters: what another process wrote is shown on a terminal.
fn printable(text: &str) -> String {
    let inert = |c: char| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    };
    text.chars().take(120).map(inert).collect()
}

/// The folder is ours as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the folder, which must exist.
    ///
    /// # Errors
    /// [`StoreError::Locked`] names who has it; [`StoreError::ReadOnly`], [`StoreError::Full`] and
    /// [`StoreError::Io`] are the system's.
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(LOCK_FILE);
        let failed = |error| StoreError::from_io("create", &path, error);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    folder: folder.to_path_buf(),
                    holder: ask(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(StoreError::from_io("lock", &path, error));
            }
        }
        // Who we are is a courtesy: on a full disk the lock holds without it.
        let _ = introduce(&mut file);
        Ok(Self { file })
    }

    /// Who seems to have a folder, without asking the lock: for people only.
    pub fn holder(folder: &Path) -> Option<Holder> {
        let mut file = File::open(folder.join(LOCK_FILE)).ok()?;
        read(&mut file).filter(Holder::alive)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn introduce(file: &mut File) -> std::io::Result<()> {
    let text = serde_json::to_string(&Holder::this())?;
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())
}

/// Reads who has the lock; a nameless holder if it does not say in time.
fn ask(file: &mut File) -> Holder {
    for _ in 0..ASKING.0 {
        if let Some(holder) = read(file).filter(Holder::alive) {
            return holder;
        }
        std::thread::sleep(ASKING.1);
    }
    Holder::default()
}

/// What the file says, made fit for a terminal.
fn read(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut start = file.take(HOLDER_BYTES_MAX);
    start.read_to_string(&mut text).ok()?;
    let holder: Holder = serde_json::from_str(&text).ok()?;
    Some(Holder {
        since: printable(&holder.since),
        command: printable(&holder.command),
        ..holder
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_and_told_who_is_first() {
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
    fn what_a_dead_process_left_behind_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let stale = r#"{"pid": 4194304, "since": "2020-01-01T00:00:00.000Z", "command": "x"}"#;
        std::fs::write(folder.path().join(LOCK_FILE), stale).unwrap();
        Lock::take(folder.path()).unwrap();
    }
}
