//! What a child is asked to do, and the fence it does it in.

use super::Frames;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How well a child is fenced on this machine. It is stamped on every result and is part of every
/// cache key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// No promise is made: the user allowed it. What the machine can do is still applied.
    Unconfined,
    /// Landlock from ABI 2 for files, and seccomp for sockets, signals and the rest.
    Standard,
    /// Landlock from ABI 6: the kernel also keeps signals and abstract sockets inside the fence.
    Full,
}

impl Level {
    /// The level as it is written in reports: `full`, `standard`, `unconfined`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unconfined => "unconfined",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What the kernel itself bounds for a builder and all that it starts, by a control group, beside
/// the watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Groups {
    /// Memory and the number of processes (cgroup v2).
    MemoryAndProcesses,
    /// The number of processes (cgroup v1).
    Processes,
}

/// What a confinement is made of on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Means {
    /// The Landlock ABI in use, if any.
    pub landlock_abi: Option<i32>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
    /// What stands around builders besides their own fence: `bubblewrap`.
    pub outer_layer: Option<String>,
    /// What control groups bound. `None`: no group can be made here; the watchdog alone looks.
    pub groups: Option<Groups>,
}

impl Means {
    /// One entry for each, as reports list them: `landlock 7`, `seccomp`, `bubblewrap`,
    /// `cgroup (memory, processes)`.
    pub fn list(&self) -> Vec<String> {
        let groups = self.groups.map(|groups| match groups {
            Groups::MemoryAndProcesses => "cgroup (memory, processes)".to_owned(),
            Groups::Processes => "cgroup (processes)".to_owned(),
        });
        let landlock = self.landlock_abi.map(|abi| format!("landlock {abi}"));
        let seccomp = self.seccomp.then(|| "seccomp".to_owned());
        let all = [landlock, seccomp, self.outer_layer.clone(), groups];
        all.into_iter().flatten().collect()
    }
}

/// One piece of work for one child process.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The name of the [`Role`](super::Role) that the child takes.
    pub role: &'a str,
    /// What the role is given to work on: these parts, one after the other. They reach the child
    /// on a sealed memory file, which nobody can change between check and use.
    pub payload: &'a [&'a [u8]],
    /// What the child may touch.
    pub fence: Fence,
    /// The core that the child is pinned to.
    pub core: Option<usize>,
    /// The largest frame that the child may send, in bytes.
    pub frame_bytes_max: usize,
    /// The most that the child may send in all frames together, in bytes.
    pub output_bytes_max: u64,
    /// The most that the child and its own children may write to stderr, in bytes. One byte more
    /// and they are killed.
    pub stderr_bytes_max: usize,
    /// The most memory that the child and its own children may have resident together, in bytes.
    /// Looked at every [`WATCH_PERIOD`](super::WATCH_PERIOD); beyond it they are killed.
    pub rss_bytes_max: Option<u64>,
}

impl<'a> Job<'a> {
    /// A job with the default bounds:
    /// - not pinned
    /// - frames of 16 MiB, 256 MiB in all
    /// - 256 KiB of stderr
    /// - no watch on memory
    pub fn new(role: &'a str, payload: &'a [&'a [u8]], fence: Fence) -> Self {
        Self {
            role,
            payload,
            fence,
            core: None,
            frame_bytes_max: 16 << 20,
            output_bytes_max: 256 << 20,
            stderr_bytes_max: 256 << 10,
            rss_bytes_max: None,
        }
    }
}

/// Something that a child can be asked to do.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    /// The name in [`Job::role`].
    pub name: &'static str,
    /// The work: the payload comes in, frames go out. It runs behind the fence, on the main
    /// thread. The text of an error goes to stderr.
    pub run: fn(&[u8], &mut Frames) -> Result<(), String>,
}

/// What a child may touch. Everything that is not named here is out of reach: other files, the
/// network, other processes, the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// Files and folders that may be read, and executed where [`Processes::Spawn`] allows it.
    pub execute: Vec<PathBuf>,
    /// Files and folders that may be read.
    pub read: Vec<PathBuf>,
    /// Folders in which files may be read, made, changed and removed.
    pub write: Vec<PathBuf>,
    /// Where the child stands. Standing there does not allow reading there.
    pub working_dir: PathBuf,
    /// Whether it may start programs.
    pub processes: Processes,
    /// The limits that the kernel counts.
    pub rlimits: Rlimits,
}

impl Fence {
    /// A fence without any gate: no file, no process, the default limits. For runners.
    pub fn closed() -> Self {
        Self {
            execute: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
            working_dir: PathBuf::from("/"),
            processes: Processes::None,
            rlimits: Rlimits::default(),
        }
    }
}

/// Whether a child may start programs, and with that, which system calls it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Processes {
    /// None, and the few system calls of a running engine: it cannot open anything. For runners.
    None,
    /// Those that [`Fence::execute`] names, at most so many at a time (the child itself counts).
    /// All system calls but those that reach beyond the fence. For builders.
    Spawn {
        /// The most processes at a time. Looked at every [`WATCH_PERIOD`](super::WATCH_PERIOD).
        at_most: usize,
    },
}

/// Limits that the kernel counts, for each process of the child. `None` leaves the parent's.
/// Core files are always off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rlimits {
    /// Address space, in bytes. Not for runners: an engine reserves far more than it uses.
    pub address_space_bytes: Option<u64>,
    /// CPU time in seconds at which the process gets SIGXCPU.
    pub cpu_soft_s: Option<u64>,
    /// CPU time in seconds at which it is killed.
    pub cpu_hard_s: Option<u64>,
    /// The largest file it may write, in bytes.
    pub file_bytes: Option<u64>,
    /// The most files it may have open.
    pub open_files: Option<u64>,
}

impl Default for Rlimits {
    /// 64 MiB a file, 64 open files, nothing else.
    fn default() -> Self {
        Self {
            address_space_bytes: None,
            cpu_soft_s: None,
            cpu_hard_s: None,
            file_bytes: Some(64 << 20),
            open_files: Some(64),
        }
    }
}
