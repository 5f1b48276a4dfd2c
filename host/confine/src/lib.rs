//! Child processes: the same binary, started again behind a fence.
//!
//! The parent never compiles, loads or runs anything untrusted. It hands work to a child, which
//! fences itself in before it looks at the work. This room does not know what children do: a
//! [`ChildJob`] names a role and carries bytes.

#[cfg(not(target_os = "linux"))]
compile_error!("bakeoff runs on Linux only: its fences are Landlock and seccomp");

mod bubblewrap;
mod cgroup;
mod cores;
pub mod cpu_time;
mod enter;
mod error;
mod exit;
mod file_fence;
mod folder_watch;
mod frames;
mod job;
mod keeper;
mod landlock_rules;
mod live_process;
mod measured;
mod memory_file;
mod privileges;
mod probe;
mod program;
mod shared_page;
mod sockets;
mod spawn;
mod supervise;
mod syscalls;
pub mod tasks;
mod watchdog;

// The name by which the tests of other crates know this one.
#[cfg(test)]
extern crate self as bakeoff_confine;

#[cfg(test)]
#[path = "../testing/keeper_before_main.rs"]
mod keeper_before_main;

pub use bubblewrap::bubblewrap_is_installed;
pub use cores::{pin, usable_cores};
pub use enter::enter_if_child;
pub use error::{ConfinementError, FrameError, SpawnError};
pub use exit::{Exit, ExitCause, ROLE_FAILED};
pub use file_fence::{FileFence, kept_in};
pub use frames::{FrameReader, Frames};
pub use job::{
    CgroupLimits, ChildJob, Fence, FileAccess, Level, Mechanisms, Processes, Rlimits, Role,
};
pub use keeper::{Keeper, enter_if_keeper, kept};
pub use measured::{Measured, Measurement, end_in_words, measured, measured_in, sink, written};
pub use privileges::{in_own_session, kill_with_parent};
pub use probe::{EscapeAttempt, EscapeOutcome, PROBE, ProbeConfig};
pub use program::{
    Answered, HostSetup, PROGRAM_HOST, ProgramError, ProgramFailure, ProgramFile, ProgramLink,
    ProgramStart,
};
pub use shared_page::Announced;
pub use sockets::socket_pair;
pub use spawn::{Child, Confinement};
pub use supervise::STACK_BYTES;
pub use syscalls::Network;

/// Time between two looks of the parent at the memory and the processes of a child that starts others. A compiler takes
/// memory as fast as the machine gives it, and no kernel limit holds all of its processes together where control groups
/// are missing: at 2 GB a second this is 40 MB too much.
pub const WATCH_PERIOD: std::time::Duration = std::time::Duration::from_millis(20);

/// Time between two looks of the parent at the memory of a child that runs alone. The engine bounds each guest in it,
/// and this is for what escapes that. Each look takes a core from another process for a moment, and on a small machine
/// that is the child whose time is being measured: so it is rare.
pub const LONE_WATCH_PERIOD: std::time::Duration = std::time::Duration::from_millis(50);
