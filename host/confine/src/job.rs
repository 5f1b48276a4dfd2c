//! The work for a child process, and the fence around it.

use super::frames::Frames;
use serde::{Deserialize, Serialize};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

/// Strength of the fence around children on this machine. Every result records it, and it is part of every cache key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// No guarantee: the user allowed it. Whatever the machine offers is still applied.
    Unconfined,
    /// Landlock from ABI 2 for files, and seccomp for sockets, signals and the rest.
    Standard,
    /// Landlock from ABI 6: the kernel also keeps signals and abstract sockets inside the fence.
    Full,
}

impl Level {
    /// Returns the level as it is written in reports: `full`, `standard`, `unconfined`.
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

/// The limits that the kernel enforces on a builder and its processes by a control group, in addition
/// to the watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CgroupLimits {
    /// Memory and the number of processes (cgroup v2).
    MemoryAndProcesses,
    /// The number of processes (cgroup v1).
    Processes,
}

/// The kernel and user-space mechanisms that a confinement uses on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanisms {
    /// The Landlock ABI in use, if any.
    pub landlock_abi: Option<i32>,
    /// True if system calls are filtered.
    pub seccomp: bool,
    /// The second fence around builders, if any: `bubblewrap`.
    pub outer_layer: Option<String>,
    /// The limits enforced by control groups. `None`: no group can be made here, so only the watchdog
    /// enforces them.
    pub groups: Option<CgroupLimits>,
}

impl Mechanisms {
    /// Returns the mechanisms as reports list them: `landlock 7`, `seccomp`, `bubblewrap`,
    /// `cgroup (memory, processes)`.
    pub fn list(&self) -> Vec<String> {
        let groups = self.groups.map(|groups| match groups {
            CgroupLimits::MemoryAndProcesses => "cgroup (memory, processes)".to_owned(),
            CgroupLimits::Processes => "cgroup (processes)".to_owned(),
        });
        let landlock = self.landlock_abi.map(|abi| format!("landlock {abi}"));
        let seccomp = self.seccomp.then(|| "seccomp".to_owned());
        let all = [landlock, seccomp, self.outer_layer.clone(), groups];
        all.into_iter().flatten().collect()
    }
}

/// One piece of work for one child process.
#[derive(Clone, Debug)]
pub struct ChildJob<'a> {
    /// The name of the [`Role`](super::Role) that the child takes.
    pub role: &'a str,
    /// The input of the role: these parts, one after the other. They reach the child on a sealed
    /// memory file, which nobody can change between check and use.
    pub payload: &'a [&'a [u8]],
    /// Fence of the child.
    pub fence: Fence,
    /// The core that the child is pinned to.
    pub core: Option<usize>,
    /// The largest frame that the child may send, in bytes.
    pub frame_bytes_max: usize,
    /// The most bytes that the child may send in all frames together.
    pub output_bytes_max: u64,
    /// The most bytes that the child and its own children may write to stderr. One byte more and
    /// they are killed.
    pub stderr_bytes_max: usize,
    /// The most resident and swapped memory of the child and its own children together, in bytes. Checked every
    /// [`WATCH_PERIOD`](super::WATCH_PERIOD), or [`LONE_WATCH_PERIOD`](super::LONE_WATCH_PERIOD) if it
    /// starts nothing; beyond it they are killed.
    pub rss_bytes_max: Option<u64>,
    /// The most bytes that the folders of [`Fence::write`] may hold, together with what the child and its own
    /// children have open or mapped of files without a name, and what may wait in their pipes and sockets. Beyond it
    /// they are killed.
    pub folder_bytes_max: Option<u64>,
    /// True if the child shares a page with the parent, in which it [announces](super::Frames::announce) what it is
    /// about to do.
    pub announces: bool,
    /// The sockets that the child gets, in order, to speak to another child.
    pub sockets: Vec<Arc<OwnedFd>>,
}

impl<'a> ChildJob<'a> {
    /// Makes a job with the default bounds:
    /// - not pinned
    /// - frames of 16 MiB, 256 MiB in all
    /// - 256 KiB of stderr
    /// - no watch on memory, nor on what folders hold
    /// - no page for announcements
    /// - no sockets
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
            folder_bytes_max: None,
            announces: false,
            sockets: Vec::new(),
        }
    }
}

/// A function that a child process can run.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    /// The name in [`ChildJob::role`].
    pub name: &'static str,
    /// Work that has to be done before the fence closes, without capabilities and before the role looks at the payload:
    /// [`nothing`](Role::nothing), as a rule.
    pub before_fence: fn(),
    /// The function itself: it takes the payload and sends frames. It runs behind the fence, on the
    /// main thread. The text of an error goes to stderr.
    pub run: fn(&[u8], &mut Frames) -> Result<(), String>,
}

impl Role {
    /// Does nothing, for a role without work before the fence.
    pub fn nothing() {}
}

/// Fence of a child: the files, processes and resources that it may use. Everything that is not named here is out of
/// reach: other files, the network, other processes, the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// Files and folders that may be read, and executed where [`Processes::Spawn`] allows it.
    pub execute: Vec<PathBuf>,
    /// Files and folders that may be read.
    pub read: Vec<PathBuf>,
    /// Folders in which files may be read, made, changed and removed.
    pub write: Vec<PathBuf>,
    /// The working directory of the child. It does not imply permission to read there.
    pub working_dir: PathBuf,
    /// Permission of the child to start programs.
    pub processes: Processes,
    /// The limits that the kernel counts.
    pub rlimits: Rlimits,
}

impl Fence {
    /// Returns a fence that allows nothing: no file, no process, the default limits. For runners.
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

/// Access to a file, or to all files of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// The files may be read.
    Read,
    /// The files may be read and started.
    Execute,
    /// Plain files and folders may be read, made, changed and removed.
    Write,
    /// Plain files and folders may be read, made, changed, removed and started.
    WriteAndExecute,
    /// Plain files, folders and links may be read, made, changed and removed, and files be started.
    WriteLinkAndExecute,
}

/// Permission of a child to start programs, and with that, the system calls that it may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Processes {
    /// The child may start no programs, and has only the few system calls of a running engine: it cannot open anything.
    /// For runners.
    None,
    /// The child may start the programs of [`Fence::execute`], and has the system calls that compilers, linkers and
    /// cargo need, none of which reaches beyond the fence. For builders.
    Spawn {
        /// The most processes at a time, the child itself included. Checked every
        /// [`WATCH_PERIOD`](super::WATCH_PERIOD).
        at_most: usize,
    },
    /// The child may do what [`Processes::Spawn`] allows, for one program at a time, around which it puts a filter of its
    /// own, and which it may stop. For hosts of programs.
    Host,
}

/// Limits that the kernel counts, for each process of the child. `None` leaves the parent's.
/// Core files are always off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rlimits {
    /// Address space, in bytes. Not for runners: an engine reserves far more than it uses.
    pub address_space_bytes: Option<u64>,
    /// CPU time in seconds at which the process gets SIGXCPU.
    pub cpu_soft_s: Option<u64>,
    /// CPU time in seconds at which the process is killed.
    pub cpu_hard_s: Option<u64>,
    /// Largest file that the process may write, in bytes.
    pub file_bytes: Option<u64>,
    /// Largest number of files that the process may have open.
    pub open_files: Option<u64>,
}

impl Default for Rlimits {
    /// 64 MiB a file, 4,096 open files, nothing else. The engine opens a file of memory for each memory that begins
    /// with data: 64 variants may have 32 each.
    fn default() -> Self {
        Self {
            address_space_bytes: None,
            cpu_soft_s: None,
            cpu_hard_s: None,
            file_bytes: Some(64 << 20),
            open_files: Some(4_096),
        }
    }
}
