//! Lines that a command of this binary writes to stderr with `--verbose` and `--format json`: events and an error, each as JSON on
//! a line of its own, and text.

use super::message_line::{CommandError, MessageLine};
use bakeoff_render::escape::{Lines, Plain};
use bakeoff_store::events::{Envelope, Event, Stage, checked_cases, line, standings, title};

/// A line of a command's stderr.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StderrLine {
    /// An event, with its text for the reader, if it is worth a line.
    Event(Option<String>),
    /// The error that ended the command.
    Error(CommandError),
    /// Text: progress of the command, or a note.
    Text(String),
}

impl StderrLine {
    pub(super) fn parse(text: &str) -> Self {
        match serde_json::from_str::<Envelope>(text) {
            Ok(envelope) => Self::Event(described(&envelope.event)),
            Err(_) => match MessageLine::parse(text) {
                Some(MessageLine::Error(error)) => Self::Error(error),
                Some(MessageLine::Note(note)) => Self::Text(Lines(&note).to_string()),
                None => Self::Text(Plain(text).to_string()),
            },
        }
    }
}

fn described(event: &Event) -> Option<String> {
    let text = match event {
        Event::StageStart { stage, steps } => match stage {
            Stage::Build | Stage::Check => format!("{} {steps} variants", title(*stage)),
            Stage::Measure | Stage::Score => title(*stage).to_owned(),
        },
        Event::ReplicaComplete { index, live, .. } => {
            format!("replica {} done, {live} variants left", index + 1)
        }
        event => checked_cases(event)
            .or_else(|| standings(event))
            .or_else(|| line(event))?,
    };
    Some(Plain(&text).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(name: &str, data: &str) -> StderrLine {
        StderrLine::parse(&format!(
            r#"{{"version":1,"sequence":1,"run":1,"at_ms":0,"time":"","name":"{name}","data":{data}}}"#
        ))
    }

    #[test]
    fn events_are_told_from_text_and_escaped() {
        let event = |text: &str| StderrLine::Event(Some(text.to_owned()));
        assert_eq!(
            parsed("bakeoff:stage:start", r#"{"stage":"build","steps":2}"#),
            event("building 2 variants")
        );
        assert_eq!(
            parsed("bakeoff:stage:complete", r#"{"stage":"build"}"#),
            StderrLine::Event(None)
        );
        assert_eq!(
            parsed("bakeoff:warning", r#"{"message":"a\u001b[2Jb"}"#),
            event("a\\u{1b}[2Jb")
        );
        let error = r#"{"error":{"class":"usage","message":"no"}}"#;
        assert!(
            matches!(StderrLine::parse(error), StderrLine::Error(error) if error.message == "no")
        );
        let note = r#"{"note":"a\u001b[2J\n{\"error\":{}}"}"#;
        let text = "a\\u{1b}[2J\n{\"error\":{}}".to_owned();
        assert_eq!(StderrLine::parse(note), StderrLine::Text(text));
        assert_eq!(
            StderrLine::parse("{\u{1b}[2J"),
            StderrLine::Text("{\\u{1b}[2J".to_owned())
        );
    }
}
