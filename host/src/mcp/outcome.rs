//! Outcome of a run, read from the output of its command.

use super::child::FinishedCommand;
use super::error::ToolError;
use super::limits::ANSWER_BYTES_MAX;
use super::message_line::CommandError;
use bakeoff_domain::report::Report;
use bakeoff_files::parse_json;
use bakeoff_render::ComparisonOutcome;
use bakeoff_render::escape::Lines;
use serde_json::Value;
use std::collections::VecDeque;

/// The most bytes that are kept of a command's stderr: the last ones.
const MESSAGES_BYTES_MAX: usize = ANSWER_BYTES_MAX;

/// Kind of a run, which decides how its output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunKind {
    Compare,
    Run,
    Check,
    Generate,
    Explore,
    Develop,
}

impl RunKind {
    /// Returns the name of the tool.
    pub(super) fn tool(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Run => "run",
            Self::Check => "check",
            Self::Generate => "generate",
            Self::Explore => "explore",
            Self::Develop => "develop",
        }
    }
}

/// Outcome of a run.
#[derive(Debug)]
pub(super) enum RunOutcome {
    /// The report of the run, which was measured.
    Report(Box<Report>),
    /// The sources do not do the same, or all fail: the explanation for the reader, with an input.
    Disagreement(String),
    /// The answer of `bakeoff check`.
    Checked(Value),
    /// The approaches that were written, and the tasks that wait; with what the command said, if it did not come to its
    /// end.
    Generated(Value, Option<String>),
    /// The reason why the run has no result.
    Failed(ToolError),
    /// The run was called off.
    Cancelled,
}

impl RunOutcome {
    /// Reads the output of a command. `has_report` is true if the command wrote a report beside its results.
    pub(super) fn read(
        kind: RunKind,
        finished: &FinishedCommand,
        has_report: bool,
        messages: &Messages,
    ) -> Self {
        let stdout = finished.stdout.trim();
        // Statuses 1 (no answer) and 3 (some variants failed) come with an output, too, and 4 (no more replies) where
        // a model is asked.
        let with_output: &[i32] = match kind {
            RunKind::Compare | RunKind::Run | RunKind::Check => &[0, 1, 3],
            RunKind::Generate | RunKind::Explore | RunKind::Develop => &[0, 1, 3, 4],
        };
        let ended_well = finished
            .status
            .is_some_and(|status| with_output.contains(&status));
        if !ended_well || stdout.is_empty() {
            return Self::Failed(messages.error(finished.status));
        }
        let unreadable = |error| {
            Self::Failed(ToolError::machine(
                "the command's answer cannot be read",
                error,
            ))
        };
        match kind {
            RunKind::Compare if !has_report => {
                match parse_json::<Value>(stdout.as_bytes()) {
                    // An error of the compiler, which stderr has.
                    Ok(untimed) if untimed["outcome"] == ComparisonOutcome::BuildFailed.name() => {
                        Self::Failed(messages.error(finished.status))
                    }
                    Ok(untimed) => {
                        let text = untimed["text"].as_str().unwrap_or_default();
                        Self::Disagreement(Lines(text.trim_end()).to_string())
                    }
                    Err(error) => unreadable(error),
                }
            }
            RunKind::Compare | RunKind::Run => {
                let report = parse_json(stdout.as_bytes());
                report.map_or_else(unreadable, |report| Self::Report(Box::new(report)))
            }
            RunKind::Check => parse_json(stdout.as_bytes()).map_or_else(unreadable, Self::Checked),
            RunKind::Generate | RunKind::Explore | RunKind::Develop => {
                let said = (finished.status == Some(4)).then(|| messages.text());
                let read = parse_json(stdout.as_bytes());
                read.map_or_else(unreadable, |made| Self::Generated(made, said.flatten()))
            }
        }
    }
}

/// Messages of a command on stderr: the error that ended it, and the last lines of text.
#[derive(Debug, Default)]
pub(super) struct Messages {
    error: Option<CommandError>,
    lines: VecDeque<String>,
    bytes: usize,
}

impl Messages {
    /// Takes the error that ended the command.
    pub(super) fn end_with(&mut self, error: CommandError) {
        self.error = Some(error);
    }

    pub(super) fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.bytes > MESSAGES_BYTES_MAX {
            let Some(oldest) = self.lines.pop_front() else {
                return;
            };
            self.bytes -= oldest.len();
        }
    }

    /// Returns the notes, and the error if there is one; `None` if there is neither.
    pub(super) fn text(&self) -> Option<String> {
        let lines = self.lines.iter().cloned();
        let said = lines.chain(self.error.iter().map(CommandError::text));
        let text = said.collect::<Vec<String>>().join("\n");
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the error of a command that ended with this status. One that was killed has said notes at most.
    pub(super) fn error(&self, status: Option<i32>) -> ToolError {
        let said = match &self.error {
            Some(error) => Some(error.text()),
            None => self.text(),
        };
        match (said, status) {
            (Some(text), _) => ToolError::new(text),
            (None, Some(status)) => ToolError::new(format!("it ended with status {status}")),
            (None, None) => ToolError::new("it was killed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(status: i32, stdout: &str) -> FinishedCommand {
        FinishedCommand {
            status: Some(status),
            stdout: stdout.to_owned(),
        }
    }

    #[test]
    fn what_is_no_report_is_told_apart_by_what_the_command_did() {
        let mut messages = Messages::default();
        messages.push("building".to_owned());
        messages.end_with(CommandError {
            class: "no-answer".to_owned(),
            message: "build-failed: no `;`\n   = note: here".to_owned(),
            advice: None,
        });
        let read = |kind, finished: &FinishedCommand, has_report| {
            RunOutcome::read(kind, finished, has_report, &messages)
        };
        let said = r#"{"outcome": "disagreement", "text": "They differ.\n"}"#;
        let differ = read(RunKind::Compare, &finished(1, said), false);
        assert!(matches!(differ, RunOutcome::Disagreement(text) if text == "They differ."));
        for failed in [
            read(RunKind::Compare, &finished(1, ""), false),
            read(
                RunKind::Compare,
                &finished(1, r#"{"outcome": "build-failed"}"#),
                false,
            ),
            read(RunKind::Run, &finished(2, "{}"), false),
            read(RunKind::Run, &finished(5, ""), false),
        ] {
            let RunOutcome::Failed(error) = failed else {
                panic!("{failed:?}");
            };
            assert_eq!(error.text(), "build-failed: no `;`\n   = note: here");
        }
        let garbled = read(RunKind::Run, &finished(0, "{}"), true);
        assert!(matches!(garbled, RunOutcome::Failed(_)));
        let checked = read(RunKind::Check, &finished(1, "{\"accepted\": false}"), false);
        assert!(matches!(checked, RunOutcome::Checked(value) if value["accepted"] == false));
    }

    #[test]
    fn only_the_last_messages_are_kept() {
        let mut messages = Messages::default();
        for number in 0..10_000 {
            messages.push(format!("line {number:010}"));
        }
        let text = messages.error(None);
        assert!(text.text().len() <= 2 * MESSAGES_BYTES_MAX);
        assert!(text.text().ends_with("0000009999") && !text.text().contains("0000000000"));
        assert_eq!(
            Messages::default().error(Some(7)).text(),
            "it ended with status 7"
        );
    }
}
