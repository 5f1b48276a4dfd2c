//! Errors of commands on another machine.

use super::messages::GONE;
use bakeoff_confine::FrameError;
use std::io;

/// A command could not be run on another machine, or its files did not come back.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The files that were to be sent, or the place of those that came, could not be used.
    #[error("{path}: {reason}")]
    File {
        /// The file or folder.
        path: String,
        /// The reason.
        reason: String,
    },
    /// More was to be sent, or came, than is allowed.
    #[error("{0}")]
    TooMuch(String),
    /// The other end refused the command.
    #[error("the other machine refuses it: {0}")]
    Refused(String),
    /// The other end sent something that nobody asked for.
    #[error("the other machine sent {0}, and nothing that it sent was kept")]
    Unasked(String),
    /// The connection ended before everything had come.
    #[error("the connection ended before everything had come back{0}")]
    Cut(String),
    /// The program that connects waits for a machine that does not answer.
    #[error("{0} gave no sign of life for {seconds} s: the other machine is taken for gone", seconds = GONE.as_secs())]
    Silent(String),
    /// The connection could not be used.
    #[error("cannot go on with the other machine: {0}")]
    Connection(#[from] io::Error),
    /// The program that connects could not be found or started, or the other machine could not be prepared.
    #[error("{0}")]
    Start(String),
    /// The user did not want to wait for the end.
    #[error("interrupted: nothing that the command wrote came back")]
    Interrupted,
}

impl RemoteError {
    /// Creates the error of a file.
    pub(crate) fn file(path: &str, reason: impl ToString) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl From<FrameError> for RemoteError {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::Read(error) => Self::Connection(error),
            FrameError::Truncated => Self::Cut(String::new()),
            FrameError::FrameTooLarge { .. } => Self::Unasked("a frame that is too large".into()),
            FrameError::OutputTooLarge { .. } => Self::Unasked("too much".into()),
        }
    }
}
