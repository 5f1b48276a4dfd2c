//! Live processes as the kernel shows them, also where the first thread has ended: under the process's own number it
//! shows nothing then, though the other threads go on with the same memory and the same open files.

use rustix::process::{Pid, PidfdFlags, Signal};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// The most processes that are held at a time, each by a descriptor.
const HELD_MAX: usize = 512;

/// Memory and threads of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Resident and swapped memory, huge pages too, and the tables by which it is found, in bytes.
    pub(super) bytes: u64,
    /// Number of threads.
    pub(super) threads: u64,
}

/// Returns the folder in /proc of a thread of a process that has not ended, of the first one if possible. `None`: all
/// have.
pub(super) fn folder(process: i32) -> Option<PathBuf> {
    let first = PathBuf::from(format!("/proc/{process}"));
    let has_ended = |folder: &PathBuf| {
        let stat = fs::read_to_string(folder.join("stat")).unwrap_or_default();
        let (state, _) = state_and_group(&stat);
        matches!(state, "Z" | "X" | "")
    };
    if !has_ended(&first) {
        return Some(first);
    }
    let threads = fs::read_dir(first.join("task")).ok()?.flatten();
    threads
        .map(|thread| thread.path())
        .find(|thread| !has_ended(thread))
}

/// Sends a signal to processes that a look at the system finds. Returns false if it finds none.
///
/// One of them may end between the look and the signal, and leave its number to a process of somebody else's. So each is
/// held by a descriptor first, which never names another one, and counts if a second look still finds its number.
pub(super) fn signal_all(found: impl Fn() -> Vec<i32>, signal: Signal) -> bool {
    let hold = |process: &i32| -> Option<(i32, OwnedFd)> {
        let pid = Pid::from_raw(*process)?;
        let held = rustix::process::pidfd_open(pid, PidfdFlags::empty());
        held.ok().map(|held| (*process, held))
    };
    let first = found();
    for processes in first.chunks(HELD_MAX) {
        let held: Vec<(i32, OwnedFd)> = processes.iter().filter_map(hold).collect();
        let still = found();
        for (process, held) in held {
            if still.contains(&process) {
                // It fails only if the process has ended.
                let _ = rustix::process::pidfd_send_signal(&held, signal);
            }
        }
    }
    !first.is_empty()
}

/// Returns the memory and threads of a process; `None` if it has ended.
pub(super) fn usage(process: i32) -> Option<Usage> {
    let first = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    read_usage(&first).or_else(|| {
        let other = fs::read_to_string(folder(process)?.join("status")).ok()?;
        read_usage(&other)
    })
}

/// Returns the usage in the text of a status file; `None` if it shows no memory.
fn read_usage(status: &str) -> Option<Usage> {
    let value = |name: &str| {
        let mut lines = status.lines();
        let rest = lines.find_map(|line| line.strip_prefix(name))?;
        rest.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    let resident = value("VmRSS:")?;
    let others = ["VmSwap:", "VmPTE:", "HugetlbPages:"];
    let others = others.into_iter().filter_map(value);
    Some(Usage {
        bytes: others
            .fold(resident, u64::saturating_add)
            .saturating_mul(1 << 10),
        threads: value("Threads:").unwrap_or(1),
    })
}

/// Returns true if any thread of any process of a group has not ended.
pub(super) fn group_is_alive(group: i32) -> bool {
    let group = group.to_string();
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    processes.flatten().any(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let number = process.file_name().to_str().and_then(|it| it.parse().ok());
        state_and_group(&stat).1 == group && number.and_then(folder).is_some()
    })
}

/// Returns the state and the group in the text of a stat file: "pid (name) state parent group …", where a name may hold
/// anything.
fn state_and_group(stat: &str) -> (&str, &str) {
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next().unwrap_or_default();
    (state, fields.nth(1).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_all_that_is_resident_swapped_and_needed_to_find_it() {
        let status = "Name:\tVmRSS: 9 kB\nVmRSS:\t     100 kB\nVmPTE:\t 20 kB\nVmSwap:\t3 kB\nHugetlbPages:\t 2048 kB\nThreads:\t4\n";
        let expected = Usage {
            bytes: (123 + 2048) << 10,
            threads: 4,
        };
        assert_eq!(read_usage(status), Some(expected));
        assert_eq!(
            read_usage("Name:\tx\nState:\tZ (zombie)\nThreads:\t4\n"),
            None
        );
    }

    #[test]
    fn a_process_that_runs_is_shown_and_its_group_is_alive() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(usage(own).unwrap().bytes > 0);
        assert_eq!(folder(own), Some(PathBuf::from(format!("/proc/{own}"))));
        let group = rustix::process::getpgrp().as_raw_nonzero().get();
        assert!(group_is_alive(group));
        let (state, group) = state_and_group("1 (a) Z 9) S 7 42 0");
        assert_eq!((state, group), ("S", "42"));
    }
}
