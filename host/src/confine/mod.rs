//! Children: processes of this same binary, each behind a fence.
//!
//! The parent never compiles, loads or runs anything untrusted. It hands work to a child, which
//! first fences itself in and only then looks at what it was given. What children do is none of
//! this room's business: a [`Job`] names a role and carries bytes.

mod ending;
mod job;

pub use ending::{Ending, Exit, FrameError, ROLE_FAILED, SpawnError, Unavailable};
pub use job::{Fence, Groups, Job, Level, Means, Processes, Rlimits, Role};

#[cfg(target_os = "linux")]
mod enter;
#[cfg(all(test, target_os = "linux"))]
pub(crate) mod fake;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod frames;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod memory_file;
#[cfg(target_os = "linux")]
mod outer;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(target_os = "linux")]
pub use {
    enter::enter_if_child,
    frames::Frames,
    outer::bubblewrap_is_installed,
    privileges::dies_with_parent,
    probe::{Attempt, Host, Outcome, PROBE},
    spawn::{Child, Confinement},
};

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{
    Child, Confinement, Frames, PROBE, bubblewrap_is_installed, dies_with_parent, enter_if_child,
};

/// How often the parent looks at a child's memory and processes, where a bound is set.
pub const WATCH_PERIOD: std::time::Duration = std::time::Duration::from_millis(20);
