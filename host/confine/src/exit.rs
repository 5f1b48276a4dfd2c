//! The end of a child process, and the resources that it used.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// End of a child process: its cause, its stderr, and the resources that it used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exit {
    /// Cause of the end.
    pub cause: ExitCause,
    /// The stderr of the child and its own children, cut at the bound of the job.
    pub stderr: Vec<u8>,
    /// CPU time in user and system mode, of the child and of the children it waited for.
    pub cpu: Duration,
    /// The peak resident memory in bytes, as the kernel counts it. It is never below what the parent
    /// had when it started the child: an upper bound, not a measurement.
    pub max_rss_bytes: u64,
}

/// Cause of the end of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitCause {
    /// The child exited with this status. 0: the role returned `Ok`; [`ROLE_FAILED`]: it returned `Err`, and the
    /// message is on stderr; 101: it panicked.
    Exited(i32),
    /// A signal that did not come from the parent ended the child: a crash, or a limit that the kernel counts (SIGXCPU,
    /// SIGXFSZ, SIGKILL at the hard CPU limit). 0: the cause is unknown.
    Signalled(i32),
    /// The parent killed the child on request.
    Killed,
    /// The parent killed the child: it sent more than the job allowed, or something that is not a frame.
    OutputOverflow,
    /// The parent killed the child: stderr went over its bound.
    StderrOverflow,
    /// The parent or the kernel killed the child: it had more memory than the job allowed.
    MemoryWatchdog,
    /// The parent killed the child: it had more processes than the fence allowed.
    ProcessWatchdog,
    /// The parent killed the child: the folders that it may write to held more than the job allowed.
    FolderWatchdog,
}

/// The exit status of a child whose role returned an error.
pub const ROLE_FAILED: i32 = 70;
