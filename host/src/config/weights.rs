//! Other weights than the experiment file's: `--weight NAME=X`.

use super::error::quoted;
use super::suggest;

/// A weight that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WeightError(String);

/// Sets weights by the names of their criteria, from texts like `memory=0.5`. A later text for the
/// same criterion wins.
///
/// ```
/// let mut weights = [("performance", 1.0), ("memory", 0.5)];
/// bakeoff::config::reweight(&mut weights, &["memory=2"]).unwrap();
/// assert_eq!(weights[1], ("memory", 2.0));
/// ```
///
/// # Errors
/// A text without `=`, a name that no criterion has, a weight that is negative or not finite, or
/// no weight above 0 in the end. Then `weights` is partly set, and of no use.
pub fn reweight(weights: &mut [(&str, f64)], texts: &[impl AsRef<str>]) -> Result<(), WeightError> {
    for text in texts.iter().map(AsRef::as_ref) {
        // A name may hold `=`, a number does not.
        let Some((name, number)) = text.rsplit_once('=') else {
            let shown = quoted(text);
            let message = format!("{shown} is no weight; write it like `memory=0.5`");
            return Err(WeightError(message));
        };
        let weight = number
            .trim()
            .parse()
            .ok()
            .filter(|weight| super::criteria::is_weight(*weight))
            .map(f64::abs)
            .ok_or_else(|| {
                let shown = quoted(number);
                WeightError(format!(
                    "the weight of {} cannot be {shown}; it is a finite number from 0 on",
                    quoted(name)
                ))
            })?;
        let known: Vec<_> = weights.iter().map(|(name, _)| *name).collect();
        match weights.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = weight,
            None => return Err(unknown(name, &known)),
        }
    }
    if weights.iter().all(|(_, weight)| *weight == 0.0) {
        let message = "every weight is 0: give at least one criterion a weight above 0";
        return Err(WeightError(message.into()));
    }
    Ok(())
}

fn unknown(name: &str, known: &[&str]) -> WeightError {
    let help = match suggest::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None => {
            let all: Vec<_> = known.iter().map(|name| quoted(name)).collect();
            format!("there are {}", all.join(", "))
        }
    };
    WeightError(format!("no criterion is called {}; {help}", quoted(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> Result<[f64; 2], String> {
        let mut weights = [("performance", 1.0), ("a=b", 0.5)];
        reweight(&mut weights, texts).map_err(|error| error.to_string())?;
        Ok(weights.map(|(_, weight)| weight))
    }

    #[test]
    fn weights_are_set_by_name() {
        assert_eq!(set(&[]), Ok([1.0, 0.5]));
        assert_eq!(set(&["performance=0", "a=b=2"]), Ok([0.0, 2.0]));
        assert_eq!(set(&["performance=3", "performance=4"]), Ok([4.0, 0.5]));
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for text in [
            "performance=-1",
            "performance=NaN",
            "performance=inf",
            "performance=",
        ] {
            assert!(
                set(&[text]).unwrap_err().contains("finite number"),
                "{text}"
            );
        }
        assert!(set(&["performance"]).unwrap_err().contains("is no weight"));
        assert!(
            set(&["perfomance=1"])
                .unwrap_err()
                .contains("did you mean `performance`?")
        );
        assert!(
            set(&["beauty=1"])
                .unwrap_err()
                .contains("there are `performance`, `a=b`")
        );
        assert!(
            set(&["performance=0", "a=b=0"])
                .unwrap_err()
                .contains("every weight is 0")
        );
    }
}
