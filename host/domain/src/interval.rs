//! Numbers with intervals.

use serde::{Deserialize, Serialize};

/// A number with its interval. An unknown end is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Interval {
    /// An exactly known number.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            low: Some(value),
            high: Some(value),
        }
    }

    /// The number itself at both ends if neither is known: a reading without an interval is exact.
    pub(crate) fn or_exact(self) -> Self {
        match (self.low, self.high) {
            (None, None) => Self::exact(self.value),
            _ => self,
        }
    }

    /// The image under a decreasing function: the ends change places.
    pub(crate) fn falling(self, map: impl Fn(f64) -> f64) -> Self {
        Self {
            value: map(self.value),
            low: self.high.map(&map),
            high: self.low.map(&map),
        }
    }

    /// The image under an increasing function.
    pub(crate) fn rising(self, map: impl Fn(f64) -> f64) -> Self {
        Self {
            value: map(self.value),
            low: self.low.map(&map),
            high: self.high.map(&map),
        }
    }

    /// The sum of two intervals, end by end; an end that either lacks is unknown.
    pub(crate) fn plus(self, other: Self) -> Self {
        let ends = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        Self {
            value: self.value + other.value,
            low: ends(self.low, other.low),
            high: ends(self.high, other.high),
        }
    }

    /// The interval without ends that are not positive: they have no logarithm.
    pub(crate) fn positive(self) -> Self {
        Self {
            low: self.low.filter(|low| *low > 0.0),
            ..self
        }
    }
}
