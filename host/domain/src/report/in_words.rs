//! The part of a report that only a question in words has: that nothing was run, what could be measured instead, and the
//! texts that were judged.

use crate::judge::WAY_CHARS_MAX;
use crate::spec::{Experiment, MeasuredBy};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The largest text of an approach, in bytes.
pub const APPROACH_TEXT_BYTES_MAX: usize = 16 << 10;

/// The longest name of a model and the longest command, in bytes.
const LINE_BYTES_MAX: usize = 16 << 10;

/// The part of a report that only questions in words have. All of its texts come from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InWords {
    /// Sentence with which every format begins: `Opinions of MODEL: nothing was run.`
    pub notice: String,
    /// The provider and the model that was asked; empty if none was.
    pub model: String,
    /// The criteria that could be measured instead, in their order.
    pub measurable: Vec<MeasurableCriterion>,
    /// The criteria that no command would measure.
    pub not_measurable: Vec<String>,
    /// The texts that were judged, by the id of the variant.
    pub texts: BTreeMap<String, String>,
}

/// A criterion that could be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasurableCriterion {
    /// Name of the criterion.
    pub criterion: String,
    /// The command that would measure it.
    pub by: MeasuredBy,
    /// Subject of the measurement.
    pub what: String,
    /// The command, ready for a shell.
    pub command: String,
}

impl InWords {
    /// Returns the part for a question in words, and the texts of its variants by their ids. `model` is whoever gave
    /// opinions, empty if nobody did; `calls` is the number of calls that were paid for.
    pub fn of(
        experiment: &Experiment,
        (model, calls): (&str, u64),
        texts: BTreeMap<String, String>,
    ) -> Self {
        let mut made = Self {
            notice: match (model, calls) {
                ("", 0) => "No model was asked for its opinions, and nothing was run.".to_owned(),
                ("", _) => "A model was asked for its opinions, and gave none that can be used. Nothing was run."
                    .to_owned(),
                _ => format!("Opinions of {model}: nothing was run."),
            },
            model: model.to_owned(),
            texts,
            ..Self::default()
        };
        for criterion in &experiment.criteria {
            let way = (criterion.source.judged()).and_then(|source| source.measurable.as_ref());
            match way {
                Some(way) => made.measurable.push(MeasurableCriterion {
                    criterion: criterion.name.clone(),
                    by: way.by,
                    what: way.what.clone(),
                    command: way.command(),
                }),
                None => made.not_measurable.push(criterion.name.clone()),
            }
        }
        made
    }

    /// Checks a part that may be forged, of a report with so many variants and criteria.
    ///
    /// # Errors
    /// There is more of something than any question has.
    pub fn check(&self, variants: usize, criteria: usize) -> Result<(), String> {
        let is_sound = |one: &MeasurableCriterion| {
            one.what.chars().nth(WAY_CHARS_MAX).is_none() && one.command.len() <= LINE_BYTES_MAX
        };
        let is_short = |text: &String| text.len() <= APPROACH_TEXT_BYTES_MAX;
        let holds = self.measurable.len() + self.not_measurable.len() <= criteria
            && self.measurable.iter().all(is_sound)
            && self.texts.len() <= variants
            && self.texts.values().all(is_short)
            && self.notice.len().max(self.model.len()) <= LINE_BYTES_MAX;
        if holds {
            Ok(())
        } else {
            Err("its report has more words than a question has".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_sent_are_bounded() {
        let mut words = InWords::default();
        words.check(0, 0).unwrap();
        words.texts.insert("a".to_owned(), "x".to_owned());
        assert!(words.check(0, 0).is_err());
        words.check(1, 0).unwrap();
        words.texts.insert("a".to_owned(), "x".repeat(1 << 20));
        assert!(words.check(1, 0).is_err());
        let words = InWords {
            not_measurable: vec!["ease".to_owned()],
            ..InWords::default()
        };
        assert!(words.check(0, 0).is_err() && words.check(0, 1).is_ok());
        let words = InWords {
            notice: "x".repeat(1 << 20),
            ..InWords::default()
        };
        assert!(words.check(0, 0).is_err());
    }
}
