//! Child processes: the same binary, started again behind a fence.
//!
//! The parent never compiles, loads or runs anything untrusted. It hands work to a child, which
//! fences itself in before it looks at the work. This room does not know what children do: a
//! [`ChildJob`] names a role and carries bytes.
//!
//! Fences are Linux's. On other systems this room has the same names and starts nothing: whoever asks for a child, or for a
//! program under a keeper, is told why there is none.

pub mod cpu_time;
mod error;
mod exit;
mod frames;
mod job;
mod measured;
mod network;
mod program;
pub mod tasks;

// Fences, and what is watched in /proc.
#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod cores;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod file_fence;
#[cfg(target_os = "linux")]
mod folder_watch;
#[cfg(target_os = "linux")]
mod held_process;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod landlock_rules;
#[cfg(target_os = "linux")]
mod live_process;
#[cfg(target_os = "linux")]
mod measurement;
#[cfg(target_os = "linux")]
mod memory_file;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod shared_page;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod watchdog;

// The same names where there are no fences.
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
use elsewhere::sockets;

// The name by which the tests of other crates know this one.
#[cfg(test)]
extern crate self as bakeoff_confine;

#[cfg(all(test, target_os = "linux"))]
#[path = "../testing/keeper_before_main.rs"]
mod keeper_before_main;

pub use error::{ConfinementError, FrameError, SpawnError};
pub use exit::{Exit, ExitCause, ROLE_FAILED};
pub use frames::{FrameReader, Frames};
pub use job::{
    CgroupLimits, ChildJob, Fence, FileAccess, Level, Mechanisms, Processes, Rlimits, Role,
};
pub use measured::{Measured, end_in_words, written};
pub use network::Network;
pub use program::{
    Answered, HostSetup, ProgramError, ProgramFailure, ProgramFile, ProgramLink, ProgramStart,
};

#[cfg(target_os = "linux")]
pub use {
    bubblewrap::bubblewrap_is_installed,
    cores::{pin, usable_cores},
    enter::enter_if_child,
    file_fence::{FileFence, kept_in},
    held_process::{HeldProcess, in_open_folder},
    keeper::{Keeper, enter_if_keeper, kept},
    measurement::{Measurement, measured, measured_in, sink},
    privileges::{in_own_session, kill_with_parent},
    probe::{EscapeAttempt, EscapeOutcome, PROBE, ProbeConfig},
    program::PROGRAM_HOST,
    shared_page::Announced,
    sockets::socket_pair,
    spawn::{Child, Confinement},
};

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{
    Announced, Child, Confinement, FileFence, HeldProcess, Keeper, Measurement, PROBE,
    PROGRAM_HOST, bubblewrap_is_installed, enter_if_child, enter_if_keeper, in_open_folder,
    in_own_session, kept, kept_in, kill_with_parent, measured, measured_in, pin, sink, socket_pair,
    usable_cores,
};

/// Stack of a thread of the parent in bytes, whatever `RUST_MIN_STACK` says.
pub const STACK_BYTES: usize = 2 << 20;

/// Time between two looks of the parent at the memory and the processes of a child that starts others. A compiler takes
/// memory as fast as the machine gives it, and no kernel limit holds all of its processes together where control groups
/// are missing: at 2 GB a second this is 40 MB too much.
pub const WATCH_PERIOD: std::time::Duration = std::time::Duration::from_millis(20);

/// Time between two looks of the parent at the memory of a child that runs alone. The engine bounds each guest in it,
/// and this is for what escapes that. Each look takes a core from another process for a moment, and on a small machine
/// that is the child whose time is being measured: so it is rare.
pub const LONE_WATCH_PERIOD: std::time::Duration = std::time::Duration::from_millis(50);
