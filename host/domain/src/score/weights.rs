//! Weights that come from outside: checked before anything is scored with them.

use super::CriterionSummary;
use std::collections::BTreeMap;

/// The largest weight that is accepted: far above sense, far below what sums lose.
const WEIGHT_MAX: f64 = 1e9;

/// An invalid weight. Names are quoted with everything unprintable escaped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightError {
    /// The text is not of the form `NAME=X`.
    #[error("a weight is written NAME=X, as in performance=2, not {0:?}")]
    Shape(String),
    /// The text after `=` is not a number.
    #[error("the weight of {name:?} is not a number: {text:?}; write {name:?}=1.5")]
    NotANumber {
        /// The criterion.
        name: String,
        /// The text in its place.
        text: String,
    },
    /// NaN, infinite or absurdly large.
    #[error("the weight of {0:?} must be a finite number, at most 1e9")]
    NotFinite(String),
    /// Below zero.
    #[error("the weight of {name:?} is {weight}; a weight is 0 or more, and 0 leaves it out")]
    Negative {
        /// The criterion.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// There is no criterion of this name.
    #[error("there is no criterion {name:?}; the criteria are {known}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names of the criteria.
        known: String,
    },

    /// All weights are 0.
    #[error("all weights are 0, so nothing would count; give one criterion a weight above 0")]
    AllZero,
}

/// Reads `NAME=X`. The name may contain signs of equality; the number may not.
///
/// # Errors
/// The text has another form, or the number is not a weight.
///
/// ```
/// use bakeoff_domain::score::parse_weight;
/// assert_eq!(parse_weight("memory=0.5").unwrap(), ("memory".to_owned(), 0.5));
/// assert!(parse_weight("memory=NaN").is_err());
/// ```
pub fn parse_weight(text: &str) -> Result<(String, f64), WeightError> {
    let shape = || WeightError::Shape(text.to_owned());
    let (name, number) = text.rsplit_once('=').ok_or_else(shape)?;
    let name = name.trim();
    if name.is_empty() {
        return Err(shape());
    }
    let weight = number.trim().parse().map_err(|_| WeightError::NotANumber {
        name: name.to_owned(),
        text: number.to_owned(),
    })?;
    check(name, weight)?;
    Ok((name.to_owned(), weight))
}

/// Checks that the number can be a weight.
fn check(name: &str, weight: f64) -> Result<(), WeightError> {
    if weight.is_finite() && weight < 0.0 {
        let name = name.to_owned();
        return Err(WeightError::Negative { name, weight });
    }
    if !weight.is_finite() || weight > WEIGHT_MAX {
        return Err(WeightError::NotFinite(name.to_owned()));
    }
    Ok(())
}

/// The criteria with some weights replaced; all others stay.
///
/// # Errors
/// A weight is negative, not finite or for a criterion that does not exist, or all are zero.
pub fn reweighted(
    criteria: &[CriterionSummary],
    weights: &BTreeMap<String, f64>,
) -> Result<Vec<CriterionSummary>, WeightError> {
    let mut changed = criteria.to_vec();
    for (name, weight) in weights {
        check(name, *weight)?;
        let criterion = changed.iter_mut().find(|criterion| criterion.name == *name);
        let criterion = criterion.ok_or_else(|| WeightError::Unknown {
            name: name.clone(),
            known: known(criteria),
        })?;
        criterion.weight = *weight;
    }
    for criterion in &changed {
        check(&criterion.name, criterion.weight)?;
    }
    if changed.iter().all(|criterion| criterion.weight == 0.0) {
        return Err(WeightError::AllZero);
    }
    Ok(changed)
}

fn known(criteria: &[CriterionSummary]) -> String {
    let names = criteria
        .iter()
        .map(|criterion| format!("{:?}", criterion.name));
    names.collect::<Vec<_>>().join(", ")
}
