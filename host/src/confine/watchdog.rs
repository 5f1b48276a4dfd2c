//! The memory and the processes of a running child, read from /proc.

use super::exit::ExitCause;
use super::folder_watch::{FolderBound, FolderWatch};
use super::{LONE_WATCH_PERIOD, WATCH_PERIOD};
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
    /// What the folders may hold that it may write to.
    pub(super) folder: Option<FolderBound>,
}

impl Bounds {
    /// Returns how often the bounds must be checked; `None` if there is nothing to check.
    pub(super) fn period(&self) -> Option<Duration> {
        match (self.processes_max, self.rss_bytes_max) {
            (Some(_), _) => Some(WATCH_PERIOD),
            (None, Some(_)) => Some(LONE_WATCH_PERIOD),
            (None, None) => None,
        }
    }
}

/// Returns why the child is to be killed, if it exceeds a bound at the moment.
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
    let page_bytes = rustix::param::page_size() as u64;
    let bytes: u64 = processes
        .iter()
        .filter_map(|&pid| resident_pages(pid))
        .map(|pages| pages.saturating_mul(page_bytes))
        .sum();
    (bounds.rss_bytes_max? < bytes).then_some(ExitCause::MemoryWatchdog)
}

/// Watches the folders of a child that starts others.
pub(super) fn fills_folders(child: Pid, bounds: &Bounds, watch: &mut FolderWatch<'_>) -> bool {
    let most = bounds.processes_max.unwrap_or(1).saturating_add(1);
    watch.is_exceeded(|| tree(child.as_raw_nonzero().get(), most))
}

/// The child and its descendants, at most `max`. The child adopts orphans, so none is missed.
fn tree(child: i32, max: usize) -> Vec<i32> {
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

/// The children of all threads of a process; none if it has ended meanwhile.
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

/// Returns true if any process of a group is alive and not a zombie.
pub(super) fn group_is_alive(group: Pid) -> bool {
    let group = group.as_raw_nonzero().get().to_string();
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    processes
        .flatten()
        .filter_map(|process| fs::read_to_string(process.path().join("stat")).ok())
        .any(|stat| {
            // "pid (name) state parent group …", where a name may hold anything.
            let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
            let mut fields = fields.split_ascii_whitespace();
            let state = fields.next().unwrap_or_default();
            !matches!(state, "Z" | "X") && fields.nth(1) == Some(&group)
        })
}

fn resident_pages(pid: i32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    statm.split_ascii_whitespace().nth(1)?.parse().ok()
}
