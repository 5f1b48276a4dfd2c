//! Options on the effort for an answer: `--quick`, `--careful` or a budget, and the part of it that the search for
//! differing inputs may take.

use bakeoff_compare::SearchBounds;
use bakeoff_domain::spec::Measure;
use clap::Args;
use std::time::Duration;

/// The budget of `--quick`.
const QUICK: Duration = Duration::from_secs(5);

/// Factor of `--careful` on the usual budget and on the number of inputs that are tried.
const CAREFUL: u32 = 3;

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

/// Parses a budget.
pub(super) fn parse_budget(text: &str) -> Result<Duration, String> {
    bakeoff_config::budget(text).map_err(|error| error.to_string())
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
            inputs_factor: if self.careful { CAREFUL } else { 1 },
            ..SearchBounds::within(budget)
        }
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
    fn a_careful_search_tries_three_times_as_many_inputs() {
        let of = |careful| {
            let effort = Effort {
                quick: false,
                careful,
            };
            effort.search(Duration::from_secs(60)).inputs_factor
        };
        assert_eq!((of(false), of(true)), (1, 3));
    }
}
