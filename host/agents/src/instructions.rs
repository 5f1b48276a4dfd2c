//! Instructions that stand above the task of each agent.

use super::error::AgentError;
use std::path::PathBuf;

/// The largest file of instructions, in bytes.
const BYTES_MAX: u64 = 256 << 10;

/// Instructions of agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// A text of ours.
    BuiltIn(&'static str),
    /// A file that the user named, which is read anew as each agent begins.
    File(PathBuf),
}

impl Instructions {
    /// Returns the instructions of this file, or else those of ours.
    pub fn new(file: Option<PathBuf>, built_in: &'static str) -> Self {
        file.map_or(Self::BuiltIn(built_in), Self::File)
    }

    /// Returns the text of an agent that begins now.
    ///
    /// # Errors
    /// The file cannot be read, is larger than 256 KiB, or no UTF-8.
    pub fn read(&self) -> Result<String, AgentError> {
        let file = match self {
            Self::BuiltIn(text) => return Ok((*text).to_owned()),
            Self::File(file) => file,
        };
        let failed = |why: String| {
            AgentError::Usage(format!(
                "cannot read the instructions {}: {why}",
                file.display()
            ))
        };
        let bytes = bakeoff_files::read_bounded(file, BYTES_MAX);
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| failed("they have more than 256 KiB".to_owned()))?;
        String::from_utf8(bytes).map_err(|_| failed("they are no UTF-8".to_owned()))
    }
}
