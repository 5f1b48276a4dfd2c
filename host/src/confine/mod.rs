//! Children: processes of this same binary, each behind a fence.
//!
//! The parent never compiles, loads or runs anything untrusted. It hands work to a child, which
//! first fences itself in and only then looks at what it was given. What children do is none of
//! this room's business: a [`Job`] names a role and carries bytes.

mod ending;
mod enter;
mod files;
mod frames;
mod job;
mod memory_file;
mod outer;
mod privileges;
mod probe;
mod spawn;
mod supervise;
mod syscalls;
mod watch;

pub use ending::{Ending, Exit, FrameError, ROLE_FAILED, SpawnError, Unavailable};
pub use enter::{Role, enter_if_child};
pub use frames::Frames;
pub use job::{Fence, Job, Level, Processes, Rlimits};
pub use privileges::dies_with_parent;
pub use probe::{Attempt, Host, Outcome, PROBE};
pub use spawn::{Child, Confinement};

/// How often the parent looks at a child's memory and processes, where a bound is set.
pub const WATCH_PERIOD: std::time::Duration = std::time::Duration::from_millis(20);
