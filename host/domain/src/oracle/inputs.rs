//! Weaknesses of the inputs, from which little can be learnt about an oracle.

use super::argument::{ArgumentFacts, ArgumentForm};
use super::judged::{ApproachAnswers, JudgedAs, TestedAnswer};
use crate::measurement::CaseIndex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Size in bytes up to which an argument may be the same from every seed without a note: a number or two that say what
/// is asked for, such as a `k`.
const CONSTANT_BYTES_MAX: u64 = 16;

/// Number of different inputs from which on more than one right answer is expected.
const ONE_ANSWER_INPUTS_MIN: usize = 4;

/// A weakness of the inputs. Arguments are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "note")]
pub enum InputNote {
    /// An argument is the same from every seed.
    NeverVaries {
        /// Place of the argument.
        argument: usize,
        /// Cases in which the argument never varies.
        cases: Vec<CaseIndex>,
    },
    /// An argument is always an empty list or string.
    AlwaysEmpty {
        /// Place of the argument.
        argument: usize,
    },
    /// An argument is always a list of equal elements.
    AlwaysEqual {
        /// Place of the argument.
        argument: usize,
    },
    /// All inputs have the same right answer.
    OneAnswer {
        /// The answer as text, shortened.
        answer: String,
        /// Number of inputs.
        inputs: usize,
    },
}

/// Returns the weaknesses of the inputs that the approaches were called on; `drawn` is true if inputs follow from
/// seeds.
pub(super) fn notes(approaches: &[ApproachAnswers], drawn: bool) -> Vec<InputNote> {
    let mut inputs: BTreeMap<(CaseIndex, u64), &TestedAnswer> = BTreeMap::new();
    for answers in approaches
        .iter()
        .filter_map(|one| one.answers.as_ref().ok())
    {
        for answer in answers {
            inputs.entry((answer.case, answer.seed)).or_insert(answer);
        }
    }
    let mut notes = Vec::new();
    let arguments = inputs.values().map(|one| one.arguments.len()).max();
    for place in 0..arguments.unwrap_or(0) {
        let of = |one: &&TestedAnswer| one.arguments.get(place).cloned();
        let facts: Vec<ArgumentFacts> = inputs.values().filter_map(of).collect();
        let all = |form| !facts.is_empty() && facts.iter().all(|fact| fact.form == form);
        let argument = place + 1;
        if all(ArgumentForm::Empty) {
            notes.push(InputNote::AlwaysEmpty { argument });
            continue;
        }
        if all(ArgumentForm::AllEqual) {
            notes.push(InputNote::AlwaysEqual { argument });
        }
        let cases = constant(&inputs, place);
        if drawn && !cases.is_empty() {
            notes.push(InputNote::NeverVaries { argument, cases });
        }
    }
    notes.extend(one_answer(approaches));
    notes
}

/// Returns the cases in which this argument is the same from every seed.
fn constant(inputs: &BTreeMap<(CaseIndex, u64), &TestedAnswer>, place: usize) -> Vec<CaseIndex> {
    let mut by_case: BTreeMap<CaseIndex, Vec<&ArgumentFacts>> = BTreeMap::new();
    for ((case, _), answer) in inputs {
        by_case
            .entry(*case)
            .or_default()
            .extend(answer.arguments.get(place));
    }
    by_case.retain(|_, facts| {
        let digests: BTreeSet<&str> = facts.iter().map(|fact| fact.digest.as_str()).collect();
        let is_large = facts.iter().any(|fact| fact.bytes > CONSTANT_BYTES_MAX);
        facts.len() > 1 && digests.len() == 1 && is_large
    });
    by_case.into_keys().collect()
}

/// Returns a note with the only right answer, if all inputs have the same one.
fn one_answer(approaches: &[ApproachAnswers]) -> Option<InputNote> {
    let answers = approaches
        .iter()
        .filter_map(|one| one.answers.as_ref().ok());
    let right: Vec<&TestedAnswer> = answers
        .flatten()
        .filter(|answer| answer.judged == Some(JudgedAs::Accepted))
        .collect();
    let inputs: BTreeSet<Vec<&str>> = right
        .iter()
        .map(|one| one.arguments.iter().map(|fact| &*fact.digest).collect())
        .collect();
    let digests: BTreeSet<&Option<String>> = right.iter().map(|one| &one.digest).collect();
    let is_one = digests.len() == 1 && inputs.len() >= ONE_ANSWER_INPUTS_MIN;
    is_one.then(|| InputNote::OneAnswer {
        answer: right[0].answer.clone().unwrap_or_default(),
        inputs: inputs.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(case: CaseIndex, seed: u64, argument: &str, form: ArgumentForm) -> TestedAnswer {
        TestedAnswer {
            case,
            seed,
            arguments: vec![ArgumentFacts {
                digest: argument.to_owned(),
                bytes: 80,
                form,
            }],
            shown: argument.to_owned(),
            answer: Some(format!("answer to {argument}")),
            digest: Some(format!("of {argument}")),
            failure: None,
            judged: Some(JudgedAs::Accepted),
            contradiction: None,
            changes: Vec::new(),
        }
    }

    fn of(answers: Vec<TestedAnswer>) -> Vec<InputNote> {
        let approach = ApproachAnswers {
            name: "a".to_owned(),
            answers: Ok(answers),
        };
        notes(&[approach], true)
    }

    #[test]
    fn inputs_that_say_little_are_named() {
        use ArgumentForm::{AllEqual, Empty, Varied};
        assert_eq!(
            of(vec![answer(0, 1, "a", Varied), answer(0, 2, "b", Varied)]),
            []
        );
        let argument = 1;
        assert_eq!(
            of(vec![
                answer(0, 1, "a", Varied),
                answer(0, 2, "a", Varied),
                answer(1, 1, "b", Varied),
                answer(1, 2, "c", Varied)
            ]),
            [InputNote::NeverVaries {
                argument,
                cases: vec![0]
            }]
        );
        assert_eq!(
            of(vec![answer(0, 1, "a", Empty), answer(0, 2, "a", Empty)]),
            [InputNote::AlwaysEmpty { argument }]
        );
        assert_eq!(
            of(vec![
                answer(0, 1, "a", AllEqual),
                answer(0, 2, "b", AllEqual)
            ]),
            [InputNote::AlwaysEqual { argument }]
        );
    }

    #[test]
    fn that_all_inputs_have_one_answer_is_said() {
        let mut answers: Vec<TestedAnswer> = (0..4)
            .map(|seed| answer(0, seed, &seed.to_string(), ArgumentForm::Varied))
            .collect();
        assert_eq!(of(answers.clone()), []);
        for answer in &mut answers {
            answer.digest = Some("same".to_owned());
            answer.answer = Some("true".to_owned());
        }
        let note = InputNote::OneAnswer {
            answer: "true".to_owned(),
            inputs: 4,
        };
        assert_eq!(of(answers), [note]);
    }
}
