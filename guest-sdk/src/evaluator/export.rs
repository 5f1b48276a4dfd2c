//! Glue between an evaluator and its bindings.

use super::bindings::bakeoff::evaluator::types as wit;
use super::bindings::exports::bakeoff::evaluator::evaluate::Guest;
use super::evaluation::{Answer, Criterion, Error, Evaluator, Evidence, Reading, Sample};

/// The evidence that the host holds.
struct OfHost<'a>(&'a wit::Evidence);

fn error(error: wit::Error) -> Error {
    match error {
        wit::Error::Unavailable(why) => Error::Unavailable(why),
        wit::Error::Other(why) => Error::Other(why),
    }
}

impl Evidence for OfHost<'_> {
    fn variant_name(&self) -> String {
        self.0.variant_name()
    }

    fn cases(&self) -> Vec<String> {
        self.0.cases()
    }

    fn sources(&self) -> Vec<String> {
        self.0.sources()
    }

    fn read_source(&self, name: &str) -> Result<String, Error> {
        self.0.read_source(name).map_err(error)
    }

    fn component_size(&self) -> u64 {
        self.0.component_size()
    }

    fn answer_count(&self) -> u32 {
        self.0.answer_count()
    }

    fn read_answer(&self, number: u32) -> Result<Answer, Error> {
        let answer = self.0.read_answer(number).map_err(error)?;
        Ok(Answer {
            case: answer.case,
            arguments: answer.arguments,
            answer: answer.answer,
        })
    }

    fn samples(&self, case: u32) -> Vec<Sample> {
        let samples = self.0.samples(case).into_iter();
        let sample = |sample: wit::Sample| Sample {
            duration: sample.duration,
            calls: sample.calls,
            replica: sample.replica,
        };
        samples.map(sample).collect()
    }
}

fn range((low, high): (f64, f64)) -> wit::Range {
    wit::Range { low, high }
}

fn criterion(criterion: Criterion) -> wit::Criterion {
    let mut needs = wit::Needs::empty();
    for (needed, flag) in [
        (criterion.needs_source, wit::Needs::SOURCE),
        (criterion.needs_answers, wit::Needs::ANSWERS),
        (criterion.needs_samples, wit::Needs::SAMPLES),
    ] {
        if needed {
            needs |= flag;
        }
    }
    wit::Criterion {
        name: criterion.name,
        summary: criterion.summary,
        unit: criterion.unit,
        direction: if criterion.higher_is_better {
            wit::Direction::HigherIsBetter
        } else {
            wit::Direction::LowerIsBetter
        },
        range: criterion.range.map(range),
        per_answer: criterion.per_answer,
        needs,
    }
}

fn reading(reading: Reading) -> wit::Reading {
    wit::Reading {
        criterion: reading.criterion,
        value: reading.value,
        interval: reading.interval.map(range),
        answer: reading.answer,
        note: reading.note,
    }
}

impl<E: Evaluator> Guest for E {
    fn describe() -> Vec<wit::Criterion> {
        let criteria = E::describe().into_iter();
        criteria.map(criterion).collect()
    }

    fn evaluate(evidence: &wit::Evidence) -> Result<Vec<wit::Reading>, wit::Error> {
        match E::evaluate(&OfHost(evidence)) {
            Ok(readings) => Ok(readings.into_iter().map(reading).collect()),
            Err(Error::Unavailable(why)) => Err(wit::Error::Unavailable(why)),
            Err(Error::Other(why)) => Err(wit::Error::Other(why)),
        }
    }
}
