//! The source of a criterion that nobody can measure, or that nobody measured: a model's opinion.

use crate::is_active;
use serde::{Deserialize, Serialize};

/// Beginning of the names of sources whose readings are opinions: `judge:NAME`.
pub const JUDGE_PREFIX: &str = "judge:";

/// The most characters that say what would be measured.
pub(crate) const WAY_CHARS_MAX: usize = 600;

/// A question to a model, which gives each source a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JudgeSource {
    /// The name of the criterion, by which the questions of an experiment are told apart.
    pub criterion: String,
    /// The question, in the user's words.
    pub question: String,
    /// The way in which it could be measured instead, if there is one; for questions in words only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurable: Option<WayToMeasure>,
}

impl JudgeSource {
    /// Returns the name of the source: `judge:NAME`.
    pub fn name(&self) -> String {
        format!("{JUDGE_PREFIX}{}", self.criterion)
    }
}

/// A way to measure what a question in words has only opinions of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WayToMeasure {
    /// The command that would measure it.
    pub by: MeasuredBy,
    /// Subject of the measurement, in a line: for `explore` the narrower problem that a typed function solves.
    pub what: String,
}

/// The command that would measure a criterion. No file says more of a command than which one of these it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasuredBy {
    /// `bakeoff explore`, with a narrower problem.
    Explore,
    /// `bakeoff time`, with a command for each approach.
    Time,
    /// `bakeoff judge`, with values that were measured elsewhere.
    Judge,
}

impl MeasuredBy {
    /// Every command, in the order in which they are documented.
    pub const ALL: [Self; 3] = [Self::Explore, Self::Time, Self::Judge];

    /// Returns the name of the command, which files use as well.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explore => "explore",
            Self::Time => "time",
            Self::Judge => "judge",
        }
    }
}

impl WayToMeasure {
    /// Returns the command, ready for a shell. The text in it is quoted whole, whatever it contains.
    pub fn command(&self) -> String {
        match self.by {
            MeasuredBy::Explore => format!("bakeoff explore {} --out DIR", shell_word(&self.what)),
            MeasuredBy::Time => "bakeoff time COMMAND COMMAND".to_owned(),
            MeasuredBy::Judge => "bakeoff judge VALUES.csv".to_owned(),
        }
    }

    /// Returns true if it is one line of a bounded length, without characters that change how others are shown.
    pub fn is_sound(&self) -> bool {
        let is_line = !self
            .what
            .chars()
            .any(|one| one.is_control() || is_active(one));
        let chars = self.what.chars().take(WAY_CHARS_MAX + 1).count();
        is_line && (1..=WAY_CHARS_MAX).contains(&chars)
    }
}

/// Returns a line as one word of a shell.
fn shell_word(line: &str) -> String {
    format!("'{}'", line.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(what: &str) -> WayToMeasure {
        WayToMeasure {
            by: MeasuredBy::Explore,
            what: what.to_owned(),
        }
    }

    #[test]
    fn case_223_what_would_be_measured_stays_one_word_of_the_command() {
        let command = way("Sort. '; rm -rf ~; echo '$(id)").command();
        assert_eq!(
            command,
            "bakeoff explore 'Sort. '\\''; rm -rf ~; echo '\\''$(id)' --out DIR"
        );
        assert!(way("Sort a list.").is_sound());
        for wrong in ["", "two\nlines", "\u{1b}[2J", "\u{202e}x", &"x".repeat(601)] {
            assert!(!way(wrong).is_sound(), "{wrong:?}");
        }
    }
}
