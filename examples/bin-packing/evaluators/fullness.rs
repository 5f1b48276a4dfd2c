//! How full the bins are, answer by answer: the share of all bins' room that is used.

#![forbid(unsafe_code)]

use crate::bakeoff::{Answer, Criterion, Error, Evidence, Reading, numbers};

/// The one criterion.
pub fn describe() -> Vec<Criterion> {
    vec![
        Criterion::higher_is_better("fullness", "Share of the room of all bins that is used.")
            .range(0.0, 1.0)
            .per_answer(),
    ]
}

/// The readings of one variant, one for each answer.
pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
    let of_answer = |number: u32| {
        let fullness = fullness(&evidence.read_answer(number)?)?;
        Ok(Reading::of_answer("fullness", number, fullness))
    };
    (0..evidence.answer_count()).map(of_answer).collect()
}

fn fullness(call: &Answer) -> Result<f64, Error> {
    let [capacity, weights] = &call.arguments[..] else {
        return Err("it takes a capacity and weights".into());
    };
    let capacity: f64 = numbers(capacity).iter().sum();
    let used: f64 = numbers(weights).iter().sum();
    let answer = call.answer.as_deref().ok_or("there is no answer")?;
    let last = numbers(answer).into_iter().fold(0.0, f64::max);
    Ok((used / (capacity * (last + 1.0))).clamp(0.0, 1.0))
}
