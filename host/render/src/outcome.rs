//! The outcome of a comparison: one word for programs, and the words with which its answer begins.

use bakeoff_domain::report::{RankingOutcome, Report};
use serde::Serialize;
use std::fmt;

/// Outcome of a comparison. The list is closed: `docs/comparing.md` has it, with the exit status of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonOutcome {
    /// One file is to be taken.
    Winner,
    /// The first place is shared, and that is known.
    Tie,
    /// Measuring ended before the first place was settled.
    NoCall,
    /// No file was ranked.
    Nothing,
    /// A later file is surely slower by more than `--fail-if-slower` allows.
    Slower,
    /// No later file is slower by more than `--fail-if-slower` allows.
    NotSlower,
    /// No later file is surely slower by more than `--fail-if-slower` allows, but one of them may be.
    NotKnown,
    /// Two files do not do the same.
    Disagreement,
    /// A file does not compile, or is no component that could be called.
    BuildFailed,
    /// All files fail on an input.
    AllFail,
    /// No size of input can be timed.
    NotTimed,
}

impl ComparisonOutcome {
    /// All outcomes.
    pub const ALL: [Self; 11] = [
        Self::Winner,
        Self::Tie,
        Self::NoCall,
        Self::Nothing,
        Self::Slower,
        Self::NotSlower,
        Self::NotKnown,
        Self::Disagreement,
        Self::BuildFailed,
        Self::AllFail,
        Self::NotTimed,
    ];

    /// Returns the outcome of a report, where nothing but its first place was asked for.
    pub fn of(report: &Report) -> Self {
        match report.recommendation.outcome {
            RankingOutcome::Winner => Self::Winner,
            RankingOutcome::Tie => Self::Tie,
            RankingOutcome::NoCall => Self::NoCall,
            RankingOutcome::Nothing => Self::Nothing,
        }
    }

    /// Returns the word for programs: `not-slower`.
    pub fn name(self) -> &'static str {
        self.texts().0
    }

    /// Returns the words with which the line that answers begins: `Not slower`.
    pub fn words(self) -> &'static str {
        self.texts().1
    }

    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Winner => ("winner", "Take"),
            Self::Tie => ("tie", "Tie"),
            Self::NoCall => ("no-call", "No call"),
            Self::Nothing => ("nothing", "Nothing"),
            Self::Slower => ("slower", "Slower"),
            Self::NotSlower => ("not-slower", "Not slower"),
            Self::NotKnown => ("not-known", "Not known"),
            Self::Disagreement => ("disagreement", "Disagreement"),
            Self::BuildFailed => ("build-failed", "Build failed"),
            Self::AllFail => ("all-fail", "All fail"),
            Self::NotTimed => ("not-timed", "Not timed"),
        }
    }
}

impl fmt::Display for ComparisonOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_and_a_person_read_the_same_word() {
        for outcome in ComparisonOutcome::ALL {
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(json, format!("\"{outcome}\""));
            let said = outcome.words().to_lowercase().replace(' ', "-");
            // What a person is told to do is no word for a state.
            assert_eq!(said, outcome.name().replace("winner", "take"));
        }
    }

    #[test]
    fn the_page_about_comparing_has_each_outcome_and_no_other() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/comparing.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, page) = page.split_once("## How it ends").unwrap();
        let (section, _) = page.split_once("\n## ").unwrap();
        let rows: Vec<&str> = (section.lines())
            .filter(|line| line.starts_with("| `") && !line.starts_with("| `outcome`"))
            .collect();
        assert_eq!(rows.len(), ComparisonOutcome::ALL.len());
        for outcome in ComparisonOutcome::ALL {
            let begins = format!("| `{outcome}` | {} |", outcome.words());
            let found = rows.iter().filter(|row| row.starts_with(&begins));
            assert_eq!(found.count(), 1, "{begins}");
        }
    }
}
