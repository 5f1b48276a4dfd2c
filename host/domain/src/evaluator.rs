//! Evaluators: components of the user that give readings of variants.

use crate::code::Code;
use crate::direction::Direction;
use serde::{Deserialize, Serialize};

/// The start of the name of every reading that an evaluator gives.
pub const EVALUATOR_PREFIX: &str = "evaluator:";

/// An evaluator that the user brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluator {
    /// Name of the evaluator: `a-z`, `0-9` and `-`.
    pub name: String,
    /// File with the code of the evaluator.
    pub code: Code,
    /// Criteria of which the evaluator gives readings, by its own description; empty until it was asked.
    #[serde(default)]
    pub criteria: Vec<EvaluatedCriterion>,
}

/// A criterion as an evaluator describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedCriterion {
    /// Name of the criterion: `a-z`, `0-9` and `-`.
    pub name: String,
    /// Meaning of the readings in a sentence, which comes from the evaluator.
    pub summary: String,
    /// Unit of the readings.
    pub unit: String,
    /// Direction in which readings are better.
    pub direction: Direction,
    /// The lower and the upper end of what readings may be; `None` if any finite number may be one.
    pub range: Option<(f64, f64)>,
    /// True if the evaluator values each answer by itself; the reading is the mean of these values.
    pub per_answer: bool,
    /// Evidence that the criterion is worked out from.
    pub needs: Needs,
}

/// Evidence that a criterion of an evaluator is worked out from: true for each part that it uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// The text of the source.
    pub source: bool,
    /// Answers to many inputs.
    pub answers: bool,
    /// The times of calls.
    pub samples: bool,
}

impl Evaluator {
    /// Returns the evidence that all criteria of the evaluator together need.
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

    /// Returns true if the readings of a criterion are known exactly, so that a second run has the same ones.
    /// `inputs_are_fixed` is true if every run makes the same inputs, such as a set of instances.
    ///
    /// An evaluator gives all its readings in one call, and works each out from whatever evidence one of them asks for.
    fn is_exact(&self, inputs_are_fixed: bool) -> bool {
        let needs = self.needs();
        !needs.samples && (inputs_are_fixed || !needs.answers)
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
            exact: self.is_exact(inputs_are_fixed),
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
        if self.evaluator.is_empty() {
            format!("{EVALUATOR_PREFIX}{}", self.criterion)
        } else {
            format!("{EVALUATOR_PREFIX}{}.{}", self.evaluator, self.criterion)
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
        let evaluator = |criteria: &[EvaluatedCriterion]| Evaluator {
            name: "e".into(),
            code: Code::Source(PathBuf::from("e.rs")),
            criteria: criteria.to_vec(),
        };
        let of_source = criterion(false, true, false, false);
        let per_answer = criterion(true, false, false, false);
        let is_exact = |criteria: &[EvaluatedCriterion], inputs_are_fixed| {
            evaluator(criteria).is_exact(inputs_are_fixed)
        };
        assert!(is_exact(std::slice::from_ref(&of_source), false));
        assert!(!is_exact(&[criterion(true, false, true, false)], false));
        assert!(!is_exact(&[criterion(false, false, true, false)], false));
        assert!(is_exact(&[criterion(true, false, true, false)], true));
        assert!(!is_exact(&[criterion(false, false, false, true)], true));
        // What one criterion asks for, all are worked out from.
        assert!(!is_exact(&[of_source.clone(), per_answer.clone()], false));
        assert!(is_exact(&[of_source.clone(), per_answer.clone()], true));
        assert!(!is_exact(
            &[of_source.clone(), criterion(false, false, false, true)],
            true
        ));
        let both = evaluator(&[per_answer, of_source.clone()]);
        assert!(both.needs().source && both.needs().answers && !both.needs().samples);
        let alone = evaluator(&[of_source]);
        let source = alone.source(&alone.criteria[0], false);
        assert_eq!(
            (source.name().as_str(), source.exact),
            ("evaluator:e.quality", true)
        );
    }
}
