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

/// Returns two texts that differ, each as long as an answer in a sentence may be at most.
pub fn shortened_pair(one: &str, other: &str) -> (String, String) {
    around_difference(one, other, ANSWER_CHARS_MAX)
}

/// Returns the parts of two texts around their first difference, with an ellipsis where something is left out: so many
/// characters of each at most. Texts that are short enough are whole.
pub fn around_difference(one: &str, other: &str, chars_max: usize) -> (String, String) {
    let alike = one.chars().zip(other.chars());
    let alike = alike.take_while(|(a, b)| a == b).count();
    let start = if alike <= chars_max * 2 / 3 {
        0
    } else {
        alike - chars_max / 3
    };
    let part = |text: &str| {
        let mut chars = text.chars().skip(start);
        let shown: String = chars.by_ref().take(chars_max).collect();
        let before = if start > 0 { "…" } else { "" };
        let after = if chars.next().is_some() { "…" } else { "" };
        format!("{before}{shown}{after}")
    };
    let is_short = |text: &str| text.chars().nth(chars_max).is_none();
    if is_short(one) && is_short(other) {
        return (one.to_owned(), other.to_owned());
    }
    (part(one), part(other))
}

/// Returns the beginning of a text, with an ellipsis if it is longer than an answer in a sentence may be.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(ANSWER_CHARS_MAX) {
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches('…')),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_long_texts_the_parts_that_differ_are_shown() {
        let text = |number: usize| {
            let numbers = (0..100).map(|at| if at == 70 { number } else { at });
            let numbers: Vec<String> = numbers.map(|at| at.to_string()).collect();
            format!("[{}]", numbers.join(", "))
        };
        let (one, other) = around_difference(&text(70), &text(5), 30);
        assert!(one.contains(", 69, 70, 71"), "{one}");
        assert!(one.starts_with('…') && one.ends_with('…'), "{one}");
        assert!(other.contains(", 69, 5, 71"), "{other}");
        assert!(one.chars().count() <= 32 && other.chars().count() <= 32);
        // The difference is near the beginning.
        let (one, _) = around_difference(&text(70).replacen("[0", "[9", 1), &text(70), 30);
        assert!(one.starts_with("[9, 1, 2") && one.ends_with('…'), "{one}");
        // What is short stays whole, and what ends earlier is shown to its end.
        assert_eq!(
            around_difference("[1, 2]", "[1]", 30),
            ("[1, 2]".to_owned(), "[1]".to_owned())
        );
        let long = "x".repeat(100);
        let (one, other) = around_difference(&long, &long[..90], 30);
        assert_eq!(other, format!("…{}", "x".repeat(10)));
        assert_eq!(one, format!("…{}", "x".repeat(20)));
    }
}
