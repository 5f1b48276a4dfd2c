//! The `gate` of a criterion: bounds on its score or its reading.

use super::error::Finding;
use super::fields::criterion::{
    GATE, READING, READING_MAX, READING_MIN, SCORE, SCORE_MAX, SCORE_MIN,
};
use super::fields::field::Field;
use super::fields::kinds::MAGNITUDE_MAX;
use super::section::{Amount, Number, Section};
use super::units;
use bakeoff_domain::spec::{Gate, GateOn};

/// The error that a declared gate is invalid; the findings say why.
pub(super) struct InvalidGate;

/// Reads `gate = { score = { min = 4.0 } }` or `gate = { reading = { max = 64 } }`.
pub(super) fn gate(
    section: &mut Section<'_>,
    unit: Option<&str>,
    found: &mut Vec<Finding>,
) -> Result<Option<Gate>, InvalidGate> {
    let declared = section.key(&GATE).is_some();
    let Some(mut gate) = section.section(&GATE, found) else {
        return if declared { Err(InvalidGate) } else { Ok(None) };
    };
    let before = found.len();
    let score = gate.section(&SCORE, found);
    let reading = gate.section(&READING, found);
    let place = gate.span.clone();
    gate.close(found);
    let (on, mut bounds, unit) = match (score, reading) {
        (Some(score), None) => (GateOn::Score, score, None),
        (None, Some(reading)) => (GateOn::Reading, reading, unit),
        (both, _) => {
            if found.len() == before {
                let how = if both.is_some() {
                    "two things"
                } else {
                    "nothing"
                };
                found.push(Finding::new(
                    place,
                    format!("this gate looks at {how}"),
                    "impossible value",
                    "write `gate = { score = { min = 4.0 } }` or `gate = { reading = { max = 64 } }`",
                ));
            }
            return Err(InvalidGate);
        }
    };
    let (min, max) = match on {
        GateOn::Score => (
            bound(&mut bounds, &SCORE_MIN, unit, found),
            bound(&mut bounds, &SCORE_MAX, unit, found),
        ),
        GateOn::Reading => (
            bound(&mut bounds, &READING_MIN, unit, found),
            bound(&mut bounds, &READING_MAX, unit, found),
        ),
    };
    bounds.close(found);
    let impossible = match (min, max) {
        (None, None) => Some("has neither `min` nor `max`"),
        (Some(min), Some(max)) if min > max => Some("has a `min` above its `max`"),
        (Some(min), _) if on == GateOn::Score && min > 10.0 => {
            Some("asks for more than 10, the best score there is")
        }
        _ => None,
    };
    if let (Some(why), true) = (impossible, found.len() == before) {
        found.push(Finding::new(
            place,
            format!("this gate {why}"),
            "impossible value",
            "write bounds that something can pass: `{ min = 4.0 }`",
        ));
    }
    if found.len() > before {
        return Err(InvalidGate);
    }
    Ok(Some(Gate { on, min, max }))
}

/// Reads a bound of a gate; for readings in bytes or nanoseconds also with a unit: `"64 MiB"`, `"2 ms"`.
fn bound<K>(
    section: &mut Section<'_>,
    field: &Field<K>,
    unit: Option<&str>,
    found: &mut Vec<Finding>,
) -> Option<f64> {
    let at = section.amount(field, "a number", found)?;
    let read = match (at.value, unit) {
        (Amount::Number(number), _) => Ok(number),
        (Amount::Text(text), Some("bytes")) => {
            units::bytes(text).map(|bytes| Number::Float(bytes as f64))
        }
        (Amount::Text(text), Some("ns")) => {
            units::duration(text).map(|time| Number::Float(time.as_nanos() as f64))
        }
        (Amount::Text(_), _) => Ok(Number::Float(f64::NAN)),
    };
    let help = match read.map(Number::to_f64) {
        Ok(value) if value.abs() <= MAGNITUDE_MAX => return Some(value),
        Ok(_) => "it is a finite number".to_owned(),
        Err(error) => error.to_string(),
    };
    found.push(Finding::new(
        at.span,
        format!("`{}` of this gate is no bound", field.key),
        "impossible value",
        help,
    ));
    None
}
