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
mod network;
mod program;
mod program_measurement;
pub mod tasks;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
use elsewhere as system;

// The name by which the tests of other crates know this one.
#[cfg(test)]
extern crate self as bakeoff_confine;

pub use error::{ConfinementError, FrameError, SpawnError};
pub use exit::{Exit, ExitCause, ROLE_FAILED};
pub use frames::{FrameReader, Frames};
pub use job::{
    CgroupLimits, ChildJob, Fence, FileAccess, Level, Mechanisms, Processes, Rlimits, Role,
};
pub use network::Network;
pub use program::{
    HostSetup, MeasuredAnswer, ProgramError, ProgramFailure, ProgramFile, ProgramLink, ProgramStart,
};
pub use program_measurement::{ProgramMeasurement, end_in_words, written};

pub use system::{
    Announced, Child, Confinement, FileFence, HeldProcess, Keeper, Measurement, PROBE,
    PROGRAM_HOST, bubblewrap_is_installed, enter_if_child, enter_if_keeper, in_open_folder,
    in_own_session, kept, kept_in, kill_with_parent, measured, measured_in, pin, sink, socket_pair,
    usable_cores,
};
// The probe has no other form: where nothing is started, nothing tries to get out.
#[cfg(target_os = "linux")]
pub use linux::{EscapeAttempt, EscapeOutcome, ProbeConfig};

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
