//! Budgets of a run: fuel for its checks, and the time left for the race where the budget bounds more than timing.

use super::error::RunError;
use super::session::Run;
use bakeoff_domain::numbers;
use bakeoff_domain::score::RACING_MAX;
use bakeoff_domain::spec::{BudgetScope, Measure};
use bakeoff_store::events::Event;
use std::time::Duration;

/// The share of a budget for the whole run that checks may take beyond one call on each case.
const CHECKS_SHARE: f64 = 0.25;

/// Divisor of a budget for the whole run: timing has this part of it, however long everything before it took. The usual
/// search and checks take less than the rest. Whoever takes more takes time of its own, up to its own limits, and
/// nothing of the time in which the others are measured.
const TIMING_DIVISOR: u32 = 2;

/// Rough number of units of fuel that a core executes in a second while fuel is counted.
const FUEL_PER_SECOND: f64 = 5e8;

/// Seconds of one core that the checks of a large sweep may take beyond one call on each case. A screening follows, and
/// the race judges every answer of the variants that it chooses.
const SWEEP_SECONDS: f64 = 20.0;

/// Returns the units of fuel that the checks of each of `variants` variants may take beyond one call on each case;
/// `None` leaves the usual limits. The bound is one of fuel, so that the same checks can be made again.
pub(super) fn repeats_fuel(measure: &Measure, variants: usize) -> Option<u64> {
    let of_budget = CHECKS_SHARE * measure.budget.as_secs_f64();
    let seconds = match measure.scope {
        BudgetScope::Everything if variants > RACING_MAX => of_budget.min(SWEEP_SECONDS),
        BudgetScope::Everything => of_budget,
        BudgetScope::Measuring if variants > RACING_MAX => SWEEP_SECONDS,
        BudgetScope::Measuring => return None,
    };
    Some((seconds * FUEL_PER_SECOND / variants.max(1) as f64) as u64)
}

/// Returns the time that is left for timing after everything before it took `spent`.
fn timing_budget(measure: &Measure, spent: Duration) -> Duration {
    match measure.scope {
        BudgetScope::Measuring => measure.budget,
        BudgetScope::Everything => {
            let left = measure.budget.saturating_sub(spent);
            left.max(measure.budget / TIMING_DIVISOR)
        }
    }
}

impl Run<'_> {
    /// Returns the declared options of the race, with the budget that is left before anything is timed.
    pub(super) fn measure_left(&self) -> Measure {
        let measure = self.loaded.experiment.measure;
        Measure {
            budget: timing_budget(&measure, self.spent),
            ..measure
        }
    }

    /// Warns if the search for differing inputs and the checks took so long that the run takes more than its budget.
    pub(super) fn warn_of_long_checks(&mut self) -> Result<(), RunError> {
        let measure = self.loaded.experiment.measure;
        let timing = timing_budget(&measure, self.spent);
        if measure.scope == BudgetScope::Measuring || self.spent + timing <= measure.budget {
            return Ok(());
        }
        let time = |time: Duration| numbers::reading(time.as_nanos() as f64, "ns");
        let message = format!(
            "to look for differing inputs and to check everyone took {}, and timing has half of the budget of {} all \
             the same: smaller inputs, or a larger --budget, keep to it",
            time(self.spent),
            time(measure.budget)
        );
        self.store.emit(Event::Warning { message })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_a_share_of_a_budget_for_all_and_a_large_sweep_brief_ones() {
        let of = |scope, seconds: u64, variants| {
            let measure = Measure {
                budget: Duration::from_secs(seconds),
                scope,
                ..Measure::default()
            };
            repeats_fuel(&measure, variants)
        };
        let (measuring, everything) = (BudgetScope::Measuring, BudgetScope::Everything);
        assert_eq!(of(measuring, 1, RACING_MAX), None);
        assert_eq!(of(everything, 20, 2), Some(1_250_000_000));
        assert_eq!(of(everything, 4, 2), Some(250_000_000));
        assert_eq!(of(measuring, 60, 1_000), Some(10_000_000));
        assert_eq!(of(everything, 4, 1_000), Some(500_000));
        assert_eq!(of(everything, 3_600, 1_000), Some(10_000_000));
    }

    #[test]
    fn what_is_done_before_timing_takes_at_most_half_of_a_budget_for_all() {
        let left = |scope, spent| {
            let measure = Measure {
                budget: Duration::from_secs(10),
                scope,
                ..Measure::default()
            };
            timing_budget(&measure, Duration::from_secs(spent)).as_secs()
        };
        for (spent, expected) in [(0, 10), (3, 7), (5, 5), (9, 5), (60, 5)] {
            assert_eq!(left(BudgetScope::Everything, spent), expected);
        }
        assert_eq!(left(BudgetScope::Measuring, 60), 10);
    }
}
