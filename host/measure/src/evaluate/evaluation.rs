//! Readings that an evaluator gave of a variant, checked against the evaluator's own description.

use crate::EvaluatorAnswer;
use bakeoff_config::{EVALUATOR_NAME_CHARS_MAX, is_evaluator_name};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::report::Reading;
use bakeoff_domain::spec::{EvaluatedCriterion, Evaluator};
use bakeoff_runner::AssessedAnswer;
use bakeoff_sandbox::GivenReading;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most criteria of an evaluator.
const CRITERIA_MAX: usize = 32;
/// The most characters of a unit.
const UNIT_CHARS_MAX: usize = 20;
/// The longest summary of a criterion, in characters.
const SUMMARY_CHARS_MAX: usize = 1_000;
/// The longest quotation of an evaluator's text in a message, in characters.
const QUOTED_CHARS_MAX: usize = 80;
/// The largest end of a range. Beyond it, sums lose precision.
const MAGNITUDE_MAX: f64 = 1e15;

/// The readings of one variant by one evaluator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The name of the evaluator.
    pub evaluator: String,
    /// The answers that the evaluator got, by their digests, in rounds of one input on each case.
    pub answers: Vec<AssessedAnswer>,
    /// Results of the criteria, in the order of the evaluator's description.
    pub results: Vec<EvaluationResult>,
    /// The reason why the variant has no result, if it failed on one of the inputs.
    pub failure: Option<Failure>,
    /// The calls that reproduce the failure.
    pub calls: Vec<(usize, u64)>,
}

/// Result of one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationResult {
    /// The name of the criterion.
    pub criterion: String,
    /// The readings, or the reason why there is none.
    pub outcome: EvaluationOutcome,
}

/// The readings of one criterion, or the reason why there is none. All numbers are finite and within the criterion's
/// range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvaluationOutcome {
    /// One reading for the variant.
    Variant {
        /// The number.
        value: f64,
        /// Lower and upper end, by the evaluator's own account.
        interval: Option<(f64, f64)>,
        /// The evaluator's remark on the reading.
        note: Option<String>,
    },
    /// One reading for each answer, in the order of the answers.
    Answers {
        /// The numbers.
        values: Vec<f64>,
        /// The evaluator's first remark on one of the readings.
        note: Option<String>,
    },
    /// No reading.
    Missing {
        /// The reason, for people.
        reason: String,
    },
}

/// The evidence that an evaluator had of a variant.
#[derive(Clone, Copy, Debug)]
pub struct GivenEvidence {
    /// True if there is a source.
    pub source: bool,
    /// The number of inputs, if they are a fixed set.
    pub fixed_inputs: Option<usize>,
    /// True if the variant was timed.
    pub samples: bool,
}

/// Checks the description of an evaluator against the rules for names, units, texts and ranges.
///
/// # Errors
/// The description breaks a rule; the text says which, and follows the words "the evaluator".
pub fn check_description(criteria: &[EvaluatedCriterion]) -> Result<(), String> {
    if criteria.is_empty() || criteria.len() > CRITERIA_MAX {
        let count = criteria.len();
        return Err(format!(
            "describes {count} criteria, and 1 to {CRITERIA_MAX} are possible"
        ));
    }
    for (place, criterion) in criteria.iter().enumerate() {
        let name = &criterion.name;
        if !is_evaluator_name(name) {
            let name = quoted(name);
            return Err(format!(
                "describes a criterion {name:?}: a name has 1 to {EVALUATOR_NAME_CHARS_MAX} of a-z, 0-9 and `-`"
            ));
        }
        if criteria[..place].iter().any(|other| other.name == *name) {
            return Err(format!("describes two criteria of the name `{name}`"));
        }
        let unit = &criterion.unit;
        if unit.chars().count() > UNIT_CHARS_MAX || unit.chars().any(char::is_control) {
            let unit = quoted(unit);
            return Err(format!(
                "describes `{name}` in {unit:?}: a unit has at most {UNIT_CHARS_MAX} characters"
            ));
        }
        if criterion.summary.chars().nth(SUMMARY_CHARS_MAX).is_some() {
            return Err(format!(
                "describes `{name}` in more than {SUMMARY_CHARS_MAX} characters"
            ));
        }
        if let Some((low, high)) = criterion.range
            && !(low < high && low.abs() <= MAGNITUDE_MAX && high.abs() <= MAGNITUDE_MAX)
        {
            return Err(format!(
                "describes `{name}` with a range from {low} to {high}, which is none"
            ));
        }
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_CHARS_MAX).collect()
}

impl Evaluation {
    /// Checks an evaluator's answer against its description. An error in one criterion leaves the others as they are.
    pub fn of(evaluator: &Evaluator, given: GivenEvidence, answer: EvaluatorAnswer) -> Self {
        let result = |criterion: &EvaluatedCriterion| {
            let outcome = match outcome(criterion, given, &answer) {
                Ok(outcome) => outcome,
                Err(reason) => EvaluationOutcome::Missing { reason },
            };
            EvaluationResult {
                criterion: criterion.name.clone(),
                outcome,
            }
        };
        Self {
            evaluator: evaluator.name.clone(),
            results: evaluator.criteria.iter().map(result).collect(),
            answers: answer.answers,
            failure: answer.failure,
            calls: answer.calls,
        }
    }

    /// Returns the outcome of a criterion.
    pub fn outcome(&self, criterion: &str) -> Option<&EvaluationOutcome> {
        let found = self.results.iter().find(|one| one.criterion == criterion);
        found.map(|one| &one.outcome)
    }

    /// Returns true if the evaluation fits the evaluator's description: its criteria in order, with a number within the
    /// range for each answer.
    pub fn fits(&self, evaluator: &Evaluator, cases: usize) -> bool {
        let within =
            |criterion: &EvaluatedCriterion, value: f64| is_valid(criterion, value).is_ok();
        let described = evaluator.criteria.iter().zip(&self.results);
        evaluator.criteria.len() == self.results.len()
            && self.evaluator == evaluator.name
            && self.answers.iter().all(|answer| answer.case < cases)
            && described.into_iter().all(|(criterion, result)| {
                criterion.name == result.criterion
                    && match &result.outcome {
                        EvaluationOutcome::Missing { .. } => true,
                        EvaluationOutcome::Variant { value, .. } => {
                            !criterion.per_answer && within(criterion, *value)
                        }
                        EvaluationOutcome::Answers { values, .. } => {
                            criterion.per_answer
                                && values.len() == self.answers.len()
                                && values.iter().all(|value| within(criterion, *value))
                        }
                    }
            })
    }

    /// Returns the values of a criterion by round: the mean over the cases. `None` if the criterion does not have one
    /// for each answer.
    pub fn rounds(&self, criterion: &str, cases: usize) -> Option<Vec<f64>> {
        let Some(EvaluationOutcome::Answers { values, .. }) = self.outcome(criterion) else {
            return None;
        };
        let mean = |round: &[f64]| round.iter().sum::<f64>() / round.len() as f64;
        Some(values.chunks(cases.max(1)).map(mean).collect())
    }

    /// Returns the reading of a criterion. With a fixed set of inputs, only the first `set` count; otherwise the
    /// reading is the mean over the inputs of each of the `cases`, and then over the cases.
    ///
    /// # Errors
    /// There is no reading; the error is the reason.
    pub fn reading(
        &self,
        criterion: &EvaluatedCriterion,
        cases: usize,
        set: Option<usize>,
    ) -> Result<Reading, String> {
        let exact = |value: f64, note: &Option<String>| Reading {
            value,
            low: None,
            high: None,
            unit: criterion.unit.clone(),
            by_case: Vec::new(),
            note: note.clone(),
        };
        match self.outcome(&criterion.name) {
            None => Err("it was not asked for".to_owned()),
            Some(EvaluationOutcome::Missing { reason }) => Err(reason.clone()),
            Some(EvaluationOutcome::Variant {
                value,
                interval,
                note,
            }) => Ok(Reading {
                low: interval.map(|(low, _)| low),
                high: interval.map(|(_, high)| high),
                ..exact(*value, note)
            }),
            Some(EvaluationOutcome::Answers { values, note }) => match set {
                Some(count) => {
                    let counted = values.get(..count).filter(|values| !values.is_empty());
                    let mut counted = counted.map(<[f64]>::to_vec).ok_or_else(|| {
                        format!(
                            "{} of the {count} instances that count were answered",
                            values.len()
                        )
                    })?;
                    // The same numbers in another order have the same mean.
                    counted.sort_by(f64::total_cmp);
                    Ok(exact(counted.iter().sum::<f64>() / count as f64, note))
                }
                None => {
                    let of_case = |case: usize| {
                        let answers = self.answers.iter().zip(values);
                        let own = answers.filter(|(answer, _)| answer.case == case);
                        let own: Vec<f64> = own.map(|(_, value)| *value).collect();
                        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
                    };
                    let by_case: Option<Vec<f64>> = (0..cases).map(of_case).collect();
                    let by_case = by_case.filter(|means| !means.is_empty());
                    let by_case = by_case.ok_or("a case has no answer")?;
                    let mean = by_case.iter().sum::<f64>() / by_case.len() as f64;
                    Ok(Reading {
                        by_case: by_case.into_iter().map(Some).collect(),
                        ..exact(mean, note)
                    })
                }
            },
        }
    }
}

/// Returns an error if a number cannot be a reading of a criterion.
fn is_valid(criterion: &EvaluatedCriterion, value: f64) -> Result<(), String> {
    if !value.is_finite() {
        return Err(format!(
            "the evaluator gave {value}, which is no finite number"
        ));
    }
    match criterion.range {
        Some((low, high)) if !(low..=high).contains(&value) => Err(format!(
            "the evaluator gave {value}, and says itself that it is from {low} to {high}"
        )),
        _ => Ok(()),
    }
}

/// Returns the readings of one criterion, or the reason why there is none.
fn outcome(
    criterion: &EvaluatedCriterion,
    given: GivenEvidence,
    answer: &EvaluatorAnswer,
) -> Result<EvaluationOutcome, String> {
    if criterion.needs.source && !given.source {
        return Err("it reads the source, and a component has none".to_owned());
    }
    if criterion.needs.samples && !given.samples {
        return Err("it reads times, and the variant was not timed".to_owned());
    }
    if let Some(why) = &answer.missing {
        return Err(why.clone());
    }
    let wants_answers = criterion.needs.answers || criterion.per_answer;
    if wants_answers && answer.cut {
        let count = answer.answers.len();
        let of = given
            .fixed_inputs
            .map_or_else(String::new, |all| format!(" of {all}"));
        return Err(format!(
            "as text, inputs and answers are larger than an evaluator gets, after {count}{of}: take smaller ones"
        ));
    }
    let own: Vec<&GivenReading> = answer
        .readings
        .iter()
        .filter(|reading| reading.criterion == criterion.name)
        .collect();
    for reading in &own {
        is_valid(criterion, reading.value)?;
        if let Some((low, high)) = reading.interval
            && !(low.is_finite()
                && high.is_finite()
                && low <= reading.value
                && reading.value <= high)
        {
            let value = reading.value;
            return Err(format!(
                "the evaluator gave {value} with an interval from {low} to {high}"
            ));
        }
    }
    if own.is_empty() {
        let mut others = answer.readings.iter();
        return Err(match others.next() {
            Some(other) => format!(
                "the evaluator gave no reading of it, but one of {:?}",
                other.criterion
            ),
            None => "the evaluator gave no reading of it".to_owned(),
        });
    }
    if criterion.per_answer {
        of_answers(&own, answer.answers.len())
    } else {
        of_variant(&own)
    }
}

fn of_variant(own: &[&GivenReading]) -> Result<EvaluationOutcome, String> {
    let [reading] = own else {
        let count = own.len();
        return Err(format!(
            "the evaluator gave {count} readings of it, and one is possible"
        ));
    };
    if reading.answer.is_some() {
        return Err(
            "the evaluator gave a reading of one answer, and it is about the variant".into(),
        );
    }
    Ok(EvaluationOutcome::Variant {
        value: reading.value,
        interval: reading.interval,
        note: reading.note.clone(),
    })
}

fn of_answers(own: &[&GivenReading], count: usize) -> Result<EvaluationOutcome, String> {
    let mut values: BTreeMap<usize, f64> = BTreeMap::new();
    for reading in own {
        let number = reading.answer.map(|number| number as usize);
        let number = number.filter(|number| *number < count).ok_or_else(|| {
            format!("the evaluator gave a reading that is about none of the {count} answers")
        })?;
        if values.insert(number, reading.value).is_some() {
            return Err(format!(
                "the evaluator gave two readings of answer {number}"
            ));
        }
    }
    if values.len() < count {
        let given = values.len();
        return Err(format!(
            "the evaluator gave readings of {given} of {count} answers"
        ));
    }
    Ok(EvaluationOutcome::Answers {
        values: values.into_values().collect(),
        note: own.iter().find_map(|reading| reading.note.clone()),
    })
}

#[cfg(test)]
mod tests;
