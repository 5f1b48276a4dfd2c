//! Errors of starting a child and of reading what it sends.

/// Untrusted code cannot be confined on this machine.
#[derive(Clone, Debug, thiserror::Error)]
#[error("confinement is not available: {reason}; {next}")]
pub struct ConfinementError {
    /// The missing mechanism.
    pub reason: String,
    /// The next step for the user.
    pub next: String,
}

/// A child process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The operating system refused a step of the start.
    #[error("cannot start a {role} process: {what}: {source}")]
    System {
        /// The role of the child.
        role: String,
        /// The step that failed.
        what: &'static str,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The child could not build its fence, and ended before it touched its payload.
    #[error("a {role} process could not be fenced: {reason}")]
    Fence {
        /// The role of the child.
        role: String,
        /// The stderr of the child.
        reason: String,
    },
    /// The child did not report in time that its fence is up. It was killed.
    #[error(
        "a {role} process did not get to run within {seconds} s: the machine is overloaded; run again \
         when it has less to do"
    )]
    Late {
        /// The role of the child.
        role: String,
        /// The time that it had.
        seconds: u64,
    },
}

/// A frame could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A frame is larger than the job allows. The child was killed.
    #[error("a child process sent a frame of {bytes} bytes; {max} are allowed")]
    FrameTooLarge {
        /// The size in the frame's header.
        bytes: u64,
        /// The bound of the job.
        max: u64,
    },
    /// All frames together are larger than the job allows. The child was killed.
    #[error("a child process sent more than {max} bytes in all")]
    OutputTooLarge {
        /// The bound of the job.
        max: u64,
    },
    /// The child ended in the middle of a frame.
    #[error("a child process ended in the middle of a frame")]
    Truncated,
    /// The pipe could not be read.
    #[error("cannot read from a child process: {0}")]
    Read(#[from] std::io::Error),
}
