//! The error and the notes of a command as a program that started it reads them: lines of JSON on stderr.

use bakeoff_render::escape::Json;
use serde::{Deserialize, Serialize};

/// The error that ended a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandError {
    /// The class: `usage`, `no-answer`, `model`, `interrupted` or `machine`, each with an exit status of its own.
    pub(crate) class: String,
    /// The problem and its causes, with their places in files.
    pub(crate) message: String,
    /// The next step, where it is not part of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) advice: Option<String>,
}

/// A line that is no event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageLine {
    /// The error that ended the command.
    Error(CommandError),
    /// A note for a person, which may quote anybody.
    Note(String),
}

impl MessageLine {
    /// Returns it as a line of JSON, without active characters.
    pub(crate) fn json(&self) -> String {
        let line = serde_json::to_string(self);
        Json(&line.unwrap_or_default()).to_string()
    }

    /// Reads such a line; `None` if it is another one.
    pub(super) fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

impl CommandError {
    /// Returns message and next step as a text for an agent.
    pub(super) fn text(&self) -> String {
        match &self.advice {
            Some(advice) => format!("{}\n{advice}", self.message),
            None => self.message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back_and_steers_nothing() {
        let error = CommandError {
            class: "usage".to_owned(),
            message: "a\u{1b}[2J\n##[error]b".to_owned(),
            advice: Some("next".to_owned()),
        };
        let written = MessageLine::Error(error.clone());
        let line = written.json();
        assert!(
            !line.contains(['\u{1b}', '\n']) && !line.contains("##["),
            "{line}"
        );
        assert_eq!(MessageLine::parse(&line), Some(written));
        assert!(error.text().ends_with("b\nnext"));
        // Whatever a note quotes is a note.
        let forged = MessageLine::Note(format!("x\n{line}\n::error::y"));
        assert_eq!(forged.json().lines().count(), 1);
        assert_eq!(MessageLine::parse(&forged.json()), Some(forged));
        for other in ["{}", "note: x", r#"{"version":1,"name":"bakeoff:warning"}"#] {
            assert_eq!(MessageLine::parse(other), None, "{other}");
        }
    }
}
