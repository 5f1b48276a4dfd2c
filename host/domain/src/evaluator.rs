//! Evaluators: components of the user that give readings of variants.

use crate::code::Code;
use crate::direction::Direction;
use serde::{Deserialize, Serialize};

/// The start of the name of every reading that an evaluator gives.
pub const EVALUATOR_PREFIX: &str = "evaluator:";

/// An evaluator that the user brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluator {
    /// Its name: `a-z`, `0-9` and `-`.
    pub name: String,
    /// Its code.
    pub code: Code,
    /// The criteria that it says it gives readings of; empty until it was asked.
    #[serde(default)]
    pub criteria: Vec<EvaluatedCriterion>,
}

/// A criterion as an evaluator describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedCriterion {
    /// Its name: `a-z`, `0-9` and `-`.
    pub name: String,
    /// What it says, in a sentence. It comes from the evaluator.
    pub summary: String,
    /// The unit of its readings.
    pub unit: String,
    /// Which readings are better.
    pub direction: Direction,
    /// The lower and the upper end of what readings may be; `None` if any finite number may be one.
    pub range: Option<(f64, f64)>,
    /// True if it is about each answer, and the reading is the mean.
    pub per_answer: bool,
    /// What it is worked out from.
    pub needs: Needs,
}

/// What a criterion is worked out from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// The text of the source.
    pub source: bool,
    /// Answers to many inputs.
    pub answers: bool,
    /// The times of calls.
    pub samples: bool,
}

impl EvaluatedCriterion {
    /// Returns true if its readings are known exactly, where answers are those to fixed inputs or not: a
    /// second run has the same readings.
    pub fn is_exact(&self, inputs_are_fixed: bool) -> bool {
        !self.needs.samples && (inputs_are_fixed || !(self.per_answer || self.needs.answers))
    }
}

impl Evaluator {
    /// Returns what all its criteria together need.
    pub fn needs(&self) -> Needs {
        let all = self.criteria.iter();
        all.fold(Needs::default(), |all, one| Needs {
            source: all.source || one.needs.source,
            answers: all.answers || one.needs.answers || one.per_answer,
            samples: all.samples || one.needs.samples,
        })
    }

    /// Returns the criterion of this name.
    pub fn criterion(&self, name: &str) -> Option<&EvaluatedCriterion> {
        self.criteria.iter().find(|one| one.name == name)
    }

    /// Returns the source of the readings of one of its criteria.
    pub fn source(
        &self,
        criterion: &EvaluatedCriterion,
        inputs_are_fixed: bool,
    ) -> EvaluatorSource {
        EvaluatorSource {
            evaluator: self.name.clone(),
            criterion: criterion.name.clone(),
            exact: criterion.is_exact(inputs_are_fixed),
        }
    }
}

/// A criterion of an evaluator, as the source of readings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EvaluatorSource {
    /// The name of the evaluator; empty where the experiment file leaves it out and it was not looked up
    /// yet.
    pub evaluator: String,
    /// The name of the criterion.
    pub criterion: String,
    /// True if its readings are known exactly.
    pub exact: bool,
}

impl EvaluatorSource {
    /// Returns the name of the readings: `evaluator:EVALUATOR.CRITERION`.
    pub fn name(&self) -> String {
        match self.evaluator.is_empty() {
            true => format!("{EVALUATOR_PREFIX}{}", self.criterion),
            false => format!("{EVALUATOR_PREFIX}{}.{}", self.evaluator, self.criterion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn what_a_second_run_would_find_otherwise_is_not_exact() {
        let criterion = |per_answer, source, answers, samples| EvaluatedCriterion {
            name: "quality".into(),
            summary: String::new(),
            unit: String::new(),
            direction: Direction::LowerIsBetter,
            range: None,
            per_answer,
            needs: Needs {
                source,
                answers,
                samples,
            },
        };
        assert!(criterion(false, true, false, false).is_exact(false));
        assert!(!criterion(true, false, true, false).is_exact(false));
        assert!(!criterion(false, false, true, false).is_exact(false));
        assert!(criterion(true, false, true, false).is_exact(true));
        assert!(!criterion(false, false, false, true).is_exact(true));
        let evaluator = Evaluator {
            name: "e".into(),
            code: Code::Source(PathBuf::from("e.rs")),
            criteria: vec![
                criterion(true, false, false, false),
                criterion(false, true, false, false),
            ],
        };
        let needs = evaluator.needs();
        assert!(needs.source && needs.answers && !needs.samples);
        let source = evaluator.source(&evaluator.criteria[1], false);
        assert_eq!(
            (source.name().as_str(), source.exact),
            ("evaluator:e.quality", true)
        );
    }
}
