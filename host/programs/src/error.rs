//! Errors of a comparison of commands.

use std::io;

/// An error that ends a comparison.
#[derive(Debug, thiserror::Error)]
pub enum TimingError {
    /// A command that prepares others failed.
    #[error("{what} {command:?} failed: {reason}")]
    Helper {
        /// Option that it comes from.
        what: &'static str,
        /// The command.
        command: String,
        /// Reason.
        reason: String,
    },
    /// This machine cannot start or watch a command.
    #[error("cannot run a command: {0}")]
    Machine(#[from] io::Error),
    /// The user interrupted it before anything was measured.
    #[error(
        "it was interrupted before anything was measured, while {running} ran (--timeout ends a run that takes too long)"
    )]
    Interrupted {
        /// Name of the command, or the command itself.
        running: String,
    },
}
