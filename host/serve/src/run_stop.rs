//! Stopping a run, whoever started it: the process that holds the lock of its results gets what Ctrl-C sends.

use bakeoff_confine::HeldProcess;
use bakeoff_files::Folder;
use bakeoff_store::{LOCK_FILE, Lock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest wait for a run to stop, and the time between two looks: it stops after the replica that goes on.
const STOP_TIME_MAX: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The most open files of a process that are looked at.
const FILES_MAX: usize = 4_096;

/// Stops the run that goes on in a folder of results, and waits until its process has ended: it takes its lock once more to
/// say how far it was. Returns false if none went on.
///
/// # Errors
/// The reason why it cannot be stopped, or that it has not within two minutes.
pub(crate) async fn stop(folder: &Folder) -> Result<bool, String> {
    let Some(pid) = interrupt(folder)? else {
        return Ok(false);
    };
    let started = Instant::now();
    while has_files(pid) {
        if started.elapsed() > STOP_TIME_MAX {
            return Err(
                "it was asked to stop, and has not within two minutes: it stops after the replica that goes on"
                    .to_owned(),
            );
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(true)
}

/// Sends the process that holds the lock of a folder what Ctrl-C sends, and returns its number; `None` if nobody holds it.
fn interrupt(folder: &Folder) -> Result<Option<u32>, String> {
    let Some(holder) = Lock::holder(folder) else {
        return Ok(None);
    };
    let pid = i32::try_from(holder.pid).ok().and_then(Pid::from_raw);
    let pid =
        pid.ok_or("it is not known which process works on it: stop it where it was started")?;
    let process = HeldProcess::of(pid)
        .map_err(|error| format!("process {} cannot be reached: {error}", holder.pid))?;
    // The file says who holds it, and may have been written by anybody: only a process that has it open is sent anything.
    // That is looked at while the process is held by its handle, so that no other one can have its number.
    if !has_open(folder, holder.pid) {
        return Err(format!(
            "process {} is named as the one that works on it, and does not have its lock open: nothing was sent to it",
            holder.pid
        ));
    }
    match process.send(Signal::INT) {
        Ok(()) => Ok(Some(holder.pid)),
        // It ended by itself meanwhile.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::SRCH) => Ok(Some(holder.pid)),
        Err(error) => Err(format!("process {} cannot be stopped: {error}", holder.pid)),
    }
}

/// Returns true if a process has files open, as each has that has not ended; one that nobody waited for has none.
fn has_files(pid: u32) -> bool {
    let files = Path::new("/proc").join(pid.to_string()).join("fd");
    std::fs::read_dir(files).is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns true if a process has the lock file of a folder open.
fn has_open(folder: &Folder, pid: u32) -> bool {
    let Ok(Some(lock)) = folder.look(LOCK_FILE) else {
        return false;
    };
    let files = Path::new("/proc").join(pid.to_string()).join("fd");
    let Ok(entries) = std::fs::read_dir(files) else {
        return false;
    };
    let mut entries = entries.take(FILES_MAX).flatten();
    entries.any(|entry| {
        let found = std::fs::metadata(entry.path());
        found.is_ok_and(|found| (found.dev(), found.ino()) == lock.identity)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_process_that_a_lock_file_names_and_that_does_not_hold_it_is_sent_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::named_by_user(dir.path()).unwrap();
        assert!(interrupt(&folder).unwrap().is_none());
        // Somebody holds it, and names a process of the user's that has nothing to do with it.
        let mut victim = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mut file = std::fs::File::create(dir.path().join(LOCK_FILE)).unwrap();
        file.lock().unwrap();
        let command = "sleep 60";
        writeln!(
            file,
            r#"{{"pid":{},"since":"","command":"{command}"}}"#,
            victim.id()
        )
        .unwrap();
        // It has its command line a moment after it was started.
        while Lock::holder(&folder).unwrap().pid != victim.id() {
            std::thread::yield_now();
        }
        let refused = interrupt(&folder).unwrap_err();
        assert!(refused.contains("nothing was sent"), "{refused}");
        assert!(victim.try_wait().unwrap().is_none(), "it goes on");
        victim.kill().unwrap();
        while has_files(victim.id()) {
            std::thread::yield_now();
        }
        victim.wait().unwrap();
        assert!(!has_files(victim.id()));
    }
}
