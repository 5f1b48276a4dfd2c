//! The error of a command as a program that started it reads it: a line of JSON on stderr.

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

/// The line, which no event is.
#[derive(Serialize, Deserialize)]
struct ErrorLine {
    error: CommandError,
}

impl CommandError {
    /// Returns the error as a line of JSON, without active characters.
    pub(crate) fn into_line(self) -> String {
        let line = serde_json::to_string(&ErrorLine { error: self });
        Json(&line.unwrap_or_default()).to_string()
    }

    /// Reads such a line; `None` if it is another one.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let read: Option<ErrorLine> = serde_json::from_str(line).ok();
        read.map(|line| line.error)
    }

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
        let line = error.clone().into_line();
        assert!(
            !line.contains(['\u{1b}', '\n']) && !line.contains("##["),
            "{line}"
        );
        assert_eq!(CommandError::parse(&line), Some(error.clone()));
        assert!(error.text().ends_with("b\nnext"));
        for other in ["{}", "note: x", r#"{"version":1,"name":"bakeoff:warning"}"#] {
            assert_eq!(CommandError::parse(other), None, "{other}");
        }
    }
}
