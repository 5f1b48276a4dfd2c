//! The ends of an interval.

/// Bounds of an effect: the ends of its interval. An unknown end is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Lower end: this and everything below is rejected.
    pub low: Option<f64>,
    /// Upper end: this and everything above is rejected.
    pub high: Option<f64>,
}

impl Bounds {
    /// Returns true if every value up to and including `value` is rejected.
    pub fn above(&self, value: f64) -> bool {
        self.low.is_some_and(|low| low >= value)
    }

    /// Returns true if every value from `value` on is rejected.
    pub fn below(&self, value: f64) -> bool {
        self.high.is_some_and(|high| high <= value)
    }

    /// Returns true if the lower end lies above the upper one.
    pub(crate) fn are_crossed(&self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > high)
    }

    /// The bounds with their ends in order.
    pub(crate) fn in_order(self) -> Self {
        if self.are_crossed() {
            return Self {
                low: self.high,
                high: self.low,
            };
        }
        self
    }
}
