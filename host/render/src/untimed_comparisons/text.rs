//! A comparison that timed nothing, as text for a terminal.

use super::{
    ANSWER_CHARS_MAX, AS_A_TEST, CALL_CHARS_MAX, CALL_CUT, FileAnswer, NO_TEST, TEST_BYTES_MAX,
    TEST_TOO_LONG, UntimedComparison,
};
use crate::clipped;
use crate::escape::{Lines, Plain};
use std::fmt::Write as _;

/// The most characters of an answer, and of a call, in one line with others.
const LINE_CHARS_MAX: usize = 60;

impl UntimedComparison {
    /// Returns the reason as text of several lines. A file's answer cannot look like a line of ours.
    pub fn text(&self) -> String {
        let mut text = Lines(&self.reason).to_string();
        if let Some(call) = &self.call {
            let _ = write!(
                text,
                " {}:",
                clipped(&Plain(call).to_string(), CALL_CHARS_MAX)
            );
        }
        text.push('\n');
        for FileAnswer { file, answer } in &self.answers {
            let answer = clipped(answer, ANSWER_CHARS_MAX);
            let answer = Lines(answer.trim_end()).to_string();
            let mut lines = answer.lines();
            let first = lines.next().unwrap_or_default();
            let _ = writeln!(text, "  {}: {first}", Plain(file));
            for line in lines {
                let _ = writeln!(text, "    │ {line}");
            }
        }
        if !self.parting.is_empty() {
            let _ = writeln!(text, "{}", self.parting);
        }
        if self.is_cut() {
            let _ = writeln!(text, "{CALL_CUT}");
        }
        match self.test() {
            Some(test) if test.len() <= TEST_BYTES_MAX => {
                let _ = write!(text, "{AS_A_TEST}\n{}", indented(test));
            }
            Some(_) => {
                let _ = writeln!(text, "{TEST_TOO_LONG}");
            }
            None if self.reproduction.is_some() => {
                let _ = writeln!(text, "{NO_TEST}");
            }
            None => {}
        }
        text + &self.advice + "\n"
    }

    /// Returns the reason in one line.
    pub fn line(&self) -> String {
        let brief = |text: &str| {
            let first = text.lines().next().unwrap_or_default();
            clipped(&Plain(first).to_string(), LINE_CHARS_MAX)
        };
        let mut line = Plain(self.reason.trim_end_matches('.')).to_string();
        if let Some(call) = &self.call {
            let _ = write!(line, ": {}", brief(call));
        }
        let answers = self.answers.iter();
        let answers = answers.map(|one| format!("{}: {}", Plain(&one.file), brief(&one.answer)));
        let answers: Vec<String> = answers.collect();
        if !answers.is_empty() {
            let _ = write!(line, ": {}", answers.join("; "));
        }
        line + ".\n"
    }
}

/// Returns code with four spaces before each line: nothing in it means anything in Markdown.
fn indented(code: &str) -> String {
    let lines = code.lines().map(|line| {
        let line = Plain(line).to_string();
        format!("{}\n", format!("    {line}").trim_end())
    });
    lines.collect()
}
