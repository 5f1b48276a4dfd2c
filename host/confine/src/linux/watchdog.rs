//! The memory, the processes and the threads of a running child, read from /proc.

use super::folder_watch::{FolderBound, FolderWatch};
use super::live_process::{self, Usage};
use crate::exit::ExitCause;
use crate::{LONE_WATCH_PERIOD, WATCH_PERIOD};
use rustix::process::Pid;
use std::fs;
use std::time::Duration;

/// The bounds that the supervising thread enforces.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) stderr_bytes_max: usize,
    pub(super) rss_bytes_max: Option<u64>,
    /// The most processes at a time; `None` if the fence allows only the child itself.
    pub(super) processes_max: Option<usize>,
    /// The most threads of all these processes.
    pub(super) threads_max: Option<u64>,
    /// Bound on the folders that the child may write to.
    pub(super) folder: Option<FolderBound>,
}

impl Bounds {
    /// Returns the time between two checks of the bounds; `None` if there is nothing to check.
    pub(super) fn period(&self) -> Option<Duration> {
        match (self.processes_max, self.rss_bytes_max) {
            (Some(_), _) => Some(WATCH_PERIOD),
            (None, Some(_)) => Some(LONE_WATCH_PERIOD),
            (None, None) => None,
        }
    }
}

/// Returns the cause for which the child is to be killed, if it exceeds a bound at the moment.
pub(super) fn exceeded(child: Pid, bounds: &Bounds) -> Option<ExitCause> {
    bounds.period()?;
    let child = child.as_raw_nonzero().get();
    let processes = match bounds.processes_max {
        // One more than allowed is enough to know.
        Some(max) => tree(child, max.saturating_add(1)),
        None => vec![child],
    };
    if bounds
        .processes_max
        .is_some_and(|max| processes.len() > max)
    {
        return Some(ExitCause::ProcessWatchdog);
    }
    let usage = match bounds.processes_max {
        Some(_) => usage_of(&processes),
        None => Usage {
            bytes: resident_bytes(child),
            threads: 1,
        },
    };
    if bounds.threads_max.is_some_and(|max| usage.threads > max) {
        return Some(ExitCause::ProcessWatchdog);
    }
    (bounds.rss_bytes_max? < usage.bytes).then_some(ExitCause::MemoryWatchdog)
}

/// Returns the memory and threads of processes, all together.
fn usage_of(processes: &[i32]) -> Usage {
    let mut total = Usage::default();
    for usage in processes.iter().filter_map(|&pid| live_process::usage(pid)) {
        total.bytes = total.bytes.saturating_add(usage.bytes);
        total.threads = total.threads.saturating_add(usage.threads);
    }
    total
}

/// Returns true if the folders of a child that starts others hold too much.
pub(super) fn fills_folders(child: Pid, bounds: &Bounds, watch: &mut FolderWatch<'_>) -> bool {
    let most = bounds.processes_max.unwrap_or(1).saturating_add(1);
    watch.is_exceeded(|| tree(child.as_raw_nonzero().get(), most))
}

/// Returns the child and its descendants, at most `max`. The child adopts orphans, so none is
/// missed.
pub(super) fn tree(child: i32, max: usize) -> Vec<i32> {
    let mut found = vec![child];
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        next += 1;
        for child in children(pid) {
            if found.len() >= max {
                return found;
            }
            if !found.contains(&child) {
                found.push(child);
            }
        }
    }
    found
}

/// Returns the children of all threads of a process; none if it has ended meanwhile.
fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|line| {
            line.split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Returns the resident memory of a process that runs no code of others, in bytes: this look
/// disturbs it least.
fn resident_bytes(pid: i32) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = statm.split_ascii_whitespace().nth(1);
    let pages = pages.and_then(|pages| pages.parse::<u64>().ok());
    pages
        .unwrap_or(0)
        .saturating_mul(rustix::param::page_size() as u64)
}
