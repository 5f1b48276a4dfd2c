//! Bounds of the search for differing inputs: its part of the budget for everything.

use std::time::Duration;

/// Divisor of the budget: the search for differing inputs may take a tenth of it.
const SEARCH_DIVISOR: u32 = 10;

/// Divisor of the budget for making simple an input on which files differ, and the most time for that.
const SHRINKING_DIVISOR: u32 = 2;
const SHRINKING_MAX: Duration = Duration::from_secs(10);

/// Least time of each part of the search, however small the budget is: a process has to start, and one input of each
/// size should be tried.
pub(crate) const SEARCH_MIN: Duration = Duration::from_millis(300);

/// Least budget with which timed calls have their full length; a smaller one shortens them in proportion.
const FULL_LENGTH: Duration = Duration::from_secs(20);

/// Bounds of a search for differing inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchBounds {
    /// The most time of the search, unless no input would be tried in it.
    pub time: Duration,
    /// The most time for making simple an input on which files differ: nothing is timed then.
    pub shrinking: Duration,
    /// Factor on the usual number of inputs that are tried.
    pub inputs_factor: u32,
    /// Length of the longest timed call, as a part of the usual one, from 0 to 1.
    pub length: f64,
    /// True if files are timed natively as well: sizes are looked for even where their components are the same.
    pub natively: bool,
}

impl SearchBounds {
    /// Returns the bounds of a search of the usual thoroughness, within a budget for everything.
    pub fn within(budget: Duration) -> Self {
        Self {
            time: budget / SEARCH_DIVISOR,
            shrinking: (budget / SHRINKING_DIVISOR).clamp(SEARCH_MIN, SHRINKING_MAX),
            inputs_factor: 1,
            length: budget.div_duration_f64(FULL_LENGTH).min(1.0),
            natively: false,
        }
    }
}

impl Default for SearchBounds {
    fn default() -> Self {
        Self::within(FULL_LENGTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_has_a_tenth_of_the_budget_and_shorter_calls_where_it_is_small() {
        let usual = SearchBounds::within(Duration::from_secs(20));
        assert_eq!((usual.time.as_secs(), usual.length), (2, 1.0));
        let small = SearchBounds::within(Duration::from_millis(500));
        assert_eq!((small.time.as_millis(), small.inputs_factor), (50, 1));
        assert_eq!(
            (usual.shrinking.as_secs(), small.shrinking.as_millis()),
            (10, 300)
        );
        let quick = SearchBounds::within(Duration::from_secs(5));
        assert_eq!(quick.shrinking.as_millis(), 2_500);
        assert!((small.length - 0.025).abs() < 1e-9, "{}", small.length);
    }
}
