//! The quantity whose values are compared.

use crate::numbers;
use crate::spec::Direction;
use serde::{Deserialize, Serialize};

/// The name of CPU time.
const CPU_TIME: &str = "CPU time";

/// The quantity whose values are compared: its name, its unit, and which values are better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// Name: `wall time`, or what the user calls it.
    pub name: String,
    /// Unit: `ns` and `bytes` are shown in the unit that fits, any other as it is. May be empty.
    pub unit: String,
    /// The direction in which values are better.
    pub direction: Direction,
    /// The claim about two variants.
    pub scale: ValueScale,
}

/// The claim about two variants, and with it the values that there may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ValueScale {
    /// A ratio: all values are above 0.
    Ratio,
    /// The difference of means: all values lie in a range that was declared beforehand.
    Range {
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
    },
}

impl Quantity {
    /// A time in nanoseconds.
    pub fn time(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            unit: "ns".to_owned(),
            direction: Direction::LowerIsBetter,
            scale: ValueScale::Ratio,
        }
    }

    /// CPU time in nanoseconds.
    pub fn cpu_time() -> Self {
        Self::time(CPU_TIME)
    }

    /// Returns true for a time of which less is `faster`: CPU time is not, of which a program that waits takes none.
    pub fn is_time(&self) -> bool {
        self.unit == "ns" && self.lower_is_better() && self.name != CPU_TIME
    }

    /// A value with its unit.
    pub fn shown(&self, value: f64) -> String {
        numbers::reading(value, &self.unit)
    }

    /// Returns true if means of a declared range are compared.
    pub fn compares_means(&self) -> bool {
        matches!(self.scale, ValueScale::Range { .. })
    }

    /// Returns true if a smaller value is the better one.
    pub fn lower_is_better(&self) -> bool {
        self.direction == Direction::LowerIsBetter
    }
}

/// A value that cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// It is not a number.
    #[error(
        "{0} is not a finite number: give a run that failed a number that says how bad that is, or leave out the variant"
    )]
    NotFinite(f64),
    /// It has no ratio to others.
    #[error(
        "{} is not above 0, so there is no ratio to it: give the range of the values (--range LOW..HIGH), and means are compared",
        short(*.0)
    )]
    NotPositive(f64),
    /// It lies outside of the declared range.
    #[error("{} lies outside of {low}..{high}, the range that was declared", short(*value))]
    OutOfRange {
        /// The value.
        value: f64,
        /// The smallest that was declared.
        low: f64,
        /// The largest that was declared.
        high: f64,
    },
    /// It is too large or too small beside the first one.
    #[error(
        "{} is more than ten million times as large or as small as the first value, {}: see that all have one unit",
        short(*value),
        short(*first)
    )]
    TooFar {
        /// The value.
        value: f64,
        /// The first value.
        first: f64,
    },
}

/// A number as it was given, of which the longest ones are written with an exponent.
fn short(number: f64) -> String {
    if number == 0.0 || (1e-6..1e15).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

impl ValueScale {
    /// Checks that a value can be compared with others.
    ///
    /// # Errors
    /// It is not finite, has no ratio to others or is out of the declared range.
    pub fn check(self, value: f64) -> Result<(), ValueError> {
        if !value.is_finite() {
            return Err(ValueError::NotFinite(value));
        }
        match self {
            Self::Range { low, high } if !(low..=high).contains(&value) => {
                Err(ValueError::OutOfRange { value, low, high })
            }
            Self::Ratio if value <= 0.0 => Err(ValueError::NotPositive(value)),
            Self::Range { .. } | Self::Ratio => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_no_number_of_three_hundred_digits() {
        let (value, first) = (1e300, 1.236_571);
        let text = ValueError::TooFar { value, first }.to_string();
        assert!(text.starts_with("1e300 is more than ten million"), "{text}");
        assert!(text.contains("the first value, 1.236571: "), "{text}");
        let text = ValueError::NotPositive(-0.25).to_string();
        assert!(text.starts_with("-0.25 is not above 0"), "{text}");
        assert_eq!([0.0, 2.0, -1e-300].map(short), ["0", "2", "-1e-300"]);
    }
}
