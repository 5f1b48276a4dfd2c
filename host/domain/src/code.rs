//! Files of code.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A file of code, as the experiment file names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// A Rust source file.
    Source(PathBuf),
    /// A WebAssembly component.
    Component(PathBuf),
    /// A program in any language.
    Program(Program),
}

/// A program in any language: its file, and the command that starts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The file of the experiment that is the program, or that its interpreter reads.
    pub file: PathBuf,
    /// The command: the interpreter, or the file itself, and the arguments.
    pub command: Vec<String>,
}

impl Program {
    /// Returns the interpreter by its name on the search path; `None` if the file is started itself.
    pub fn interpreter(&self) -> Option<&str> {
        let first = self.command.first().map(String::as_str);
        first.filter(|first| PathBuf::from(first) != self.file)
    }
}

impl Code {
    /// Returns the path of the file, for any kind of code.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Self::Source(path) | Self::Component(path) => path,
            Self::Program(program) => &program.file,
        }
    }

    /// Returns the program, if the code is one.
    pub fn program(&self) -> Option<&Program> {
        match self {
            Self::Program(program) => Some(program),
            Self::Source(_) | Self::Component(_) => None,
        }
    }
}
