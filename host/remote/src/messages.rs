//! Messages between the two ends.

use super::returned_files::ReturnedFiles;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// SHA-256 of a file's content.
pub(crate) type Digest = [u8; 32];

/// The version of the messages: both ends have the same.
pub(crate) const PROTOCOL: u32 = 2;

/// The time between two signs of life of each end.
pub(crate) const ALIVE: Duration = Duration::from_secs(10);

/// The time after which an end that gives no sign of life is taken for gone.
pub(crate) const GONE: Duration = Duration::from_secs(90);

/// The most files that are named among those that stay behind.
pub(crate) const LEFT_MAX: usize = 20;

/// A file that is sent; its content follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileHead {
    /// Path below the folder, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) is_executable: bool,
}

/// A part of a file, or its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FilePart {
    Head(FileHead),
    Content(Vec<u8>),
    End(Digest),
}

/// A message to the far end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ToFar {
    /// First of all: what is to be run.
    Begin {
        protocol: u32,
        /// Arguments of the command, without the program.
        arguments: Vec<String>,
        /// The files that come back.
        wanted: ReturnedFiles,
        /// The command line that goes on with it, as the user would type it.
        again: String,
    },
    /// A file that the command may read.
    File(FilePart),
    /// All files were sent: the command can start.
    Start,
    /// The user wants it to end.
    Interrupt,
    /// The near end is there.
    Alive,
}

/// A message to the near end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ToNear {
    /// The far end is there.
    Alive,
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    /// The command ended, with its exit status if it has one.
    Ended(Option<i32>),
    /// A file that the command wrote.
    File(FilePart),
    /// A file that the command removed, where files come back.
    Gone(String),
    /// Files that the command wrote where nothing was wanted; they stay behind.
    Left(Vec<String>),
    /// Everything has been sent.
    Complete,
    /// The command is not run, or what it wrote is not sent.
    Refused(String),
}
