//! Files of code.

use crate::reference::ComponentReference;
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
    Program(ProgramCode),
    /// A text that says how the approach would work, of a question in words: nothing of it is ever run.
    Text(ApproachText),
    /// A WebAssembly component in a registry, of which there is a copy on this machine once it is vendored.
    Reference(ComponentReference),
}

/// Text of an approach of a question in words: what it would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApproachText {
    /// The file that has the text; empty if the description is all that there is.
    pub file: PathBuf,
    /// The text. It may come from anybody.
    pub text: String,
}

/// A program in any language: its file, and the command that starts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramCode {
    /// The file of the experiment that is the program, or that its interpreter reads.
    pub file: PathBuf,
    /// The command: the interpreter, or the file itself, and the arguments.
    pub command: Vec<String>,
    /// The part of a call that counts as its time.
    #[serde(default)]
    pub timing: CallTiming,
}

/// The part of a call of a program that counts as its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallTiming {
    /// All from one answer to the next, with reading the request and writing the answer.
    #[default]
    Answer,
    /// The call alone. When it has read the request, once more right after that, and after the call, the program writes an
    /// empty line and waits for one: what the exchange takes is measured before the call, and subtracted.
    Alone,
}

impl ProgramCode {
    /// Returns the interpreter by its name on the search path; `None` if the file is started itself.
    pub fn interpreter(&self) -> Option<&str> {
        let first = self.command.first().map(String::as_str);
        first.filter(|first| PathBuf::from(first) != self.file)
    }
}

impl Code {
    /// Returns the path of the file, for any kind of code; of a reference its text, which is no path of any file.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Self::Source(path) | Self::Component(path) => path,
            Self::Program(program) => &program.file,
            Self::Text(text) => &text.file,
            Self::Reference(reference) => reference.shown_path(),
        }
    }

    /// Returns the program, if the code is one.
    pub fn program(&self) -> Option<&ProgramCode> {
        match self {
            Self::Program(program) => Some(program),
            Self::Source(_) | Self::Component(_) | Self::Text(_) | Self::Reference(_) => None,
        }
    }

    /// Returns the text of an approach of a question in words.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            Self::Source(_) | Self::Component(_) | Self::Program(_) | Self::Reference(_) => None,
        }
    }
}

impl Code {
    /// Returns the reference, if the code is a component in a registry.
    pub fn reference(&self) -> Option<&ComponentReference> {
        match self {
            Self::Reference(reference) => Some(reference),
            Self::Source(_) | Self::Component(_) | Self::Program(_) | Self::Text(_) => None,
        }
    }
}
