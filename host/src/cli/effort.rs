//! Options on the effort for an answer: `--quick`, `--careful` or a budget, and the part of it that the search for
//! differing inputs may take.

use bakeoff_domain::spec::Measure;
use clap::Args;
use std::time::Duration;

/// The budget of `--quick`.
const QUICK: Duration = Duration::from_secs(5);

/// Factor of `--careful` on the usual budget and on the number of inputs that are tried.
const CAREFUL: u32 = 3;

/// Divisor of the budget: the search for differing inputs may take a tenth of it.
const SEARCH_DIVISOR: u32 = 10;

/// Divisor of the budget for making simple an input on which files differ, and the most time for that.
const SHRINKING_DIVISOR: u32 = 2;
const SHRINKING_MAX: Duration = Duration::from_secs(10);

/// Least time of each part of the search, however small the budget is: a process has to start, and one input of each
/// size should be tried.
pub(super) const SEARCH_MIN: Duration = Duration::from_millis(300);

/// Least budget with which timed calls have their full length; a smaller one shortens them in proportion.
const FULL_LENGTH: Duration = Duration::from_secs(20);

/// How much is done for an answer.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Effort {
    /// A budget of five seconds, building excluded: fewer checks, and an answer only where it is obvious
    #[arg(long, conflicts_with_all = ["careful", "budget"])]
    quick: bool,
    /// Three times the usual budget, and three times as many inputs in the search for differences
    #[arg(long, conflicts_with = "budget")]
    careful: bool,
}

impl Effort {
    /// Sets the budget of a measurement to the `given` one, or to what follows from the usual one and the options.
    pub(super) fn apply(self, measure: &mut Measure, given: Option<Duration>) {
        if let Some(given) = given {
            measure.budget = given;
        }
        if self.quick {
            measure.budget = QUICK;
        }
        if self.careful {
            measure.budget = measure.budget.saturating_mul(CAREFUL);
        }
    }

    /// Returns true if one of the options was given.
    pub(super) fn is_given(self) -> bool {
        self.quick || self.careful
    }

    /// Returns the bounds of the search for differing inputs, within a budget for everything.
    pub(super) fn search(self, budget: Duration) -> SearchBounds {
        SearchBounds {
            time: budget / SEARCH_DIVISOR,
            shrinking: (budget / SHRINKING_DIVISOR).clamp(SEARCH_MIN, SHRINKING_MAX),
            inputs_factor: if self.careful { CAREFUL } else { 1 },
            length: budget.div_duration_f64(FULL_LENGTH).min(1.0),
            natively: false,
        }
    }
}

/// Bounds of a search for differing inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SearchBounds {
    /// The most time of the search, unless no input would be tried in it.
    pub(super) time: Duration,
    /// The most time for making simple an input on which files differ: nothing is timed then.
    pub(super) shrinking: Duration,
    /// Factor on the usual number of inputs that are tried.
    pub(super) inputs_factor: u32,
    /// Length of the longest timed call, as a part of the usual one, from 0 to 1.
    pub(super) length: f64,
    /// True if files are timed natively as well: sizes are looked for even where their components are the same.
    pub(super) natively: bool,
}

impl SearchBounds {
    /// Returns the bounds of a search of the usual thoroughness, within a budget.
    pub(super) fn of(budget: Duration) -> Self {
        Effort::default().search(budget)
    }
}

impl Default for SearchBounds {
    fn default() -> Self {
        Self::of(FULL_LENGTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_what_is_given_or_follows_from_the_usual_one() {
        let of = |quick, careful, given: Option<u64>| {
            let mut measure = Measure::default();
            Effort { quick, careful }.apply(&mut measure, given.map(Duration::from_secs));
            measure.budget.as_secs()
        };
        assert_eq!(of(false, false, None), 20);
        assert_eq!(of(false, false, Some(7)), 7);
        assert_eq!(of(true, false, None), 5);
        assert_eq!(of(false, true, None), 60);
    }

    #[test]
    fn the_search_has_a_tenth_of_the_budget_and_shorter_calls_where_it_is_small() {
        let usual = Effort::default().search(Duration::from_secs(20));
        assert_eq!((usual.time.as_secs(), usual.length), (2, 1.0));
        let small = Effort::default().search(Duration::from_millis(500));
        assert_eq!((small.time.as_millis(), small.inputs_factor), (50, 1));
        assert_eq!(
            (usual.shrinking.as_secs(), small.shrinking.as_millis()),
            (10, 300)
        );
        let quick = Effort::default().search(Duration::from_secs(5));
        assert_eq!(quick.shrinking.as_millis(), 2_500);
        assert!((small.length - 0.025).abs() < 1e-9, "{}", small.length);
        let careful = Effort {
            quick: false,
            careful: true,
        };
        assert_eq!(careful.search(Duration::from_secs(60)).inputs_factor, 3);
    }
}
