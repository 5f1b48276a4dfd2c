//! The test of an oracle in words.

use super::inputs::InputNote;
use super::tested::{Belief, OracleTest};
use crate::report::CaseLabel;

/// The most characters of an answer in a sentence.
const ANSWER_CHARS_MAX: usize = 60;

impl OracleTest {
    /// Returns whether the oracle can be believed, in a sentence.
    pub fn sentence(&self) -> String {
        let changed = self.changes.changed;
        match self.belief {
        Belief::Absent => "There is no oracle: the answers of approaches are held against each other.".to_owned(),
        Belief::Untested => "The oracle could not be tested: it accepts no answer of the approaches.".to_owned(),
        Belief::Contradictory => {
            "The oracle contradicts itself: it says two things of one answer to one input.".to_owned()
        }
        Belief::AcceptsAll => format!(
            "The oracle accepts everything: all {changed} answers that were changed, so it tells no wrong answer."
        ),
        Belief::Doubtful => {
            "Doubtful oracle: approaches agree with each other, and it accepts their answer from nobody.".to_owned()
        }
        Belief::Tested if self.changes.accepted == 0 => {
            format!("The oracle refuses all {changed} answers that were changed.")
        }
        Belief::Tested => format!(
            "The oracle accepts {} of {changed} answers that were changed ({:.0} %).{}",
            self.changes.accepted,
            100.0 * self.accepted_share().unwrap_or(0.0),
            self.holes_sentence()
        ),
    }
    }

    /// Returns a sentence on the kinds of change that are always accepted, with a blank before it; empty without them.
    fn holes_sentence(&self) -> String {
        let holes = self.holes().into_iter();
        let holes: Vec<String> = holes
            .map(|(change, count)| format!("{change} ({count} of {count})"))
            .collect();
        if holes.is_empty() {
            String::new()
        } else {
            format!(" It accepts every answer with {}.", holes.join(", or "))
        }
    }
}

impl InputNote {
    /// Returns the weakness of the inputs in a sentence, with the labels of the cases.
    pub fn sentence(&self, cases: &[CaseLabel]) -> String {
        match self {
            InputNote::NeverVaries {
                argument,
                cases: same,
            } => {
                let labels = same.iter().filter_map(|case| cases.get(*case));
                let labels: Vec<String> =
                    labels.map(|label| shortened(&label.to_string())).collect();
                format!(
                    "argument {argument} is the same from every seed: case {}",
                    labels.join(", ")
                )
            }
            InputNote::AlwaysEmpty { argument } => format!("argument {argument} is always empty"),
            InputNote::AlwaysEqual { argument } => {
                format!("argument {argument} is always a list of equal elements")
            }
            InputNote::OneAnswer { answer, inputs } => format!(
                "all {inputs} inputs have the same answer, {}: whoever always gives it passes",
                shortened(answer)
            ),
        }
    }
}

/// Returns the beginning of a text, with an ellipsis if it is longer than an answer in a sentence may be.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(ANSWER_CHARS_MAX) {
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches('…')),
        None => text.to_owned(),
    }
}
