//! The calls of an evaluator.

use super::evidence::{GivenReading, KnownEvidence};
use super::evidence_desk::EvidenceDesk;
use super::evidence_desk::bindings::Evaluator;
use super::evidence_desk::bindings::bakeoff::evaluator::types;
use super::guest_error::GuestError;
use super::instance::Instance;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::{Direction, EvaluatedCriterion, Needs};
use bakeoff_domain::wording;
use wasmtime::component::Resource;

/// The longest text of an evaluator that reports show, in characters.
const EVALUATOR_TEXT_CHARS_MAX: usize = 300;

/// The number of the one handle that an evaluator gets.
const EVIDENCE: u32 = 0;

/// Returns a guest's text as one line of bounded length, for reports.
pub(super) fn shown(text: &str) -> String {
    wording::one_line_within(text, EVALUATOR_TEXT_CHARS_MAX)
}

fn described(criterion: types::Criterion) -> EvaluatedCriterion {
    EvaluatedCriterion {
        name: criterion.name,
        summary: shown(&criterion.summary),
        unit: criterion.unit,
        direction: match criterion.direction {
            types::Direction::LowerIsBetter => Direction::LowerIsBetter,
            types::Direction::HigherIsBetter => Direction::HigherIsBetter,
        },
        range: criterion.range.map(|range| (range.low, range.high)),
        per_answer: criterion.per_answer,
        needs: Needs {
            source: criterion.needs.contains(types::Needs::SOURCE),
            answers: criterion.needs.contains(types::Needs::ANSWERS) || criterion.per_answer,
            samples: criterion.needs.contains(types::Needs::SAMPLES),
        },
    }
}

fn given(reading: types::Reading) -> GivenReading {
    GivenReading {
        criterion: shown(&reading.criterion),
        value: reading.value,
        interval: reading.interval.map(|range| (range.low, range.high)),
        answer: reading.answer,
        note: reading.note.as_deref().map(shown),
    }
}

impl Instance {
    /// Asks an evaluator for its criteria. Nothing about them was checked.
    ///
    /// # Errors
    /// The guest trapped, exceeded a limit, or is no evaluator.
    pub fn describe(&mut self) -> Result<Vec<EvaluatedCriterion>, GuestError> {
        self.refuel();
        let evaluator = self.evaluator()?;
        let exported = evaluator.bakeoff_evaluator_evaluate();
        let criteria = exported.call_describe(&mut self.store);
        let criteria = criteria.map_err(|error| self.error(&error))?;
        Ok(criteria.into_iter().map(described).collect())
    }

    /// Asks an evaluator for its readings of a variant: `Err` within is the evaluator's own word.
    ///
    /// # Errors
    /// The same as those of [`describe`](Self::describe).
    pub fn evaluate(
        &mut self,
        evidence: KnownEvidence,
    ) -> Result<Result<Vec<GivenReading>, String>, GuestError> {
        self.refuel();
        let evaluator = self.evaluator()?;
        self.store.data_mut().desk = EvidenceDesk::of(evidence);
        let exported = evaluator.bakeoff_evaluator_evaluate();
        let handle = Resource::new_borrow(EVIDENCE);
        let readings = exported.call_evaluate(&mut self.store, handle);
        let readings = readings.map_err(|error| self.error(&error))?;
        Ok(match readings {
            Ok(readings) => Ok(readings.into_iter().map(given).collect()),
            Err(types::Error::Unavailable(why) | types::Error::Other(why)) => Err(shown(&why)),
        })
    }

    fn evaluator(&mut self) -> Result<Evaluator, GuestError> {
        Evaluator::new(&mut self.store, &self.instance)
            .map_err(|error| GuestError::new(FailureClass::WrongWorld, format!("{error:#}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_evaluator_says_is_one_line_of_bounded_length() {
        assert_eq!(shown(" a\n\tb\u{2028}c "), "a b c");
        let long = shown(&"é".repeat(10_000));
        assert_eq!(long.chars().count(), EVALUATOR_TEXT_CHARS_MAX + 1);
    }
}
