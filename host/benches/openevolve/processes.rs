//! What a process and all that it started take, and what is left of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time between two looks at memory.
const PERIOD: Duration = Duration::from_millis(20);

/// Looks at the memory of a process and its descendants until it is asked.
pub(crate) struct Watch {
    most: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Watch {
    pub(crate) fn start(root: u32) -> Self {
        let (most, is_over) = (
            Arc::new(AtomicU64::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (of_thread, ends) = (Arc::clone(&most), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                of_thread.fetch_max(memory_of(root), Ordering::Relaxed);
                std::thread::sleep(PERIOD);
            }
        });
        Self {
            most,
            is_over,
            thread,
        }
    }

    /// The most memory at one moment, in bytes.
    pub(crate) fn most_bytes(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic");
        self.most.load(Ordering::Relaxed)
    }
}

fn memory_of(root: u32) -> u64 {
    let parents: BTreeMap<u32, u32> = pids().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut all = BTreeSet::from([root]);
    loop {
        let more = parents.iter().filter(|(_, parent)| all.contains(parent));
        let more: BTreeSet<u32> = more.map(|(pid, _)| *pid).collect();
        let before = all.len();
        all.extend(more);
        if all.len() == before {
            break;
        }
    }
    all.into_iter().filter_map(resident).sum()
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(pid: u32) -> Option<u32> {
    field(pid, "PPid:")?.parse().ok()
}

/// Resident memory of its own, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let kib: u64 = field(pid, "RssAnon:")?.parse().ok()?;
    Some(kib << 10)
}

fn field(pid: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next().map(str::to_owned)
}

/// The processes whose program lies below a folder.
pub(crate) fn running_below(folder: &Path) -> Vec<u32> {
    let is_below = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program.starts_with(folder))
    };
    pids().filter(is_below).collect()
}
