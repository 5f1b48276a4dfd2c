//! How a child ended, and what can go wrong on the way.

use std::time::Duration;

/// What is left of a child.
#[derive(Clone, Debug)]
pub struct Exit {
    /// How it ended.
    pub ending: Ending,
    /// What it and its own children wrote to stderr, at most as much as the job allowed.
    pub stderr: Vec<u8>,
    /// CPU time in user and system mode, its own and that of the children it waited for.
    pub cpu: Duration,
    /// The most memory it had resident, in bytes, as the kernel counts it. Never less than what
    /// the parent had when it started the child: good as an upper bound, not as a reading.
    pub max_rss_bytes: u64,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this status. 0: the role returned `Ok`; [`ROLE_FAILED`]: it returned `Err`,
    /// and the message is on stderr; 101: it panicked.
    Exited(i32),
    /// By a signal that did not come from the parent: a crash, or a limit that the kernel counts
    /// (SIGXCPU, SIGXFSZ, SIGKILL at the hard CPU limit). 0: the system does not say how.
    Signalled(i32),
    /// The parent killed it because it was told to.
    Killed,
    /// The parent killed it: it sent more than the job allowed, or something that is not a frame.
    OutputOverflow,
    /// The parent killed it: stderr went over its bound.
    StderrOverflow,
    /// It was killed, by the parent or by the kernel, because it had more memory than the job
    /// allowed.
    MemoryWatchdog,
    /// The parent killed it: it had more processes than the fence allowed.
    ProcessWatchdog,
}

/// The exit status of a child whose role returned an error.
pub const ROLE_FAILED: i32 = 70;

/// Why nothing here confines untrusted code.
#[derive(Clone, Debug, thiserror::Error)]
#[error("confinement is not available: {reason}; {next}")]
pub struct Unavailable {
    /// What is missing.
    pub reason: String,
    /// What to do about it.
    pub next: String,
}

/// Why a child did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The operating system refused something that starting a child needs.
    #[error("cannot start a {role} process: {what}: {source}")]
    System {
        /// The role that was asked for.
        role: String,
        /// What was tried.
        what: &'static str,
        /// What the system answered.
        source: std::io::Error,
    },
    /// The child could not build its fence, and ended before touching its payload.
    #[error("a {role} process could not be fenced: {reason}")]
    Fence {
        /// The role that was asked for.
        role: String,
        /// What the child said.
        reason: String,
    },
    /// The child did not say in time that its fence stands. It was killed.
    #[error(
        "a {role} process did not get to run within {seconds} s: the machine stalls; run again when \
         it has time to spare"
    )]
    Late {
        /// The role that was asked for.
        role: String,
        /// How long it was waited for.
        seconds: u64,
    },
}

/// Why a frame did not come.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A frame is larger than the job allows. The child was killed.
    #[error("a child process sent a frame of {bytes} bytes, more than the {max} that it may")]
    FrameTooLarge {
        /// The size that the frame claims.
        bytes: u64,
        /// What the job allows.
        max: u64,
    },
    /// All frames together are larger than the job allows. The child was killed.
    #[error("a child process sent more than the {max} bytes that it may in all")]
    OutputTooLarge {
        /// What the job allows.
        max: u64,
    },
    /// The child ended in the middle of a frame.
    #[error("a child process ended in the middle of a frame")]
    Truncated,
    /// The pipe could not be read.
    #[error("cannot read from a child process: {0}")]
    Read(#[from] std::io::Error),
}
