//! The budget of a run, which bounds all but building: fuel for its checks, and the time that is left for the race.

use super::error::RunError;
use super::session::Run;
use bakeoff_domain::numbers;
use bakeoff_domain::score::RACING_MAX;
use bakeoff_domain::spec::Measure;
use bakeoff_measure::StoredRace;
use bakeoff_store::events::Event;
use std::time::Duration;

/// The share of the budget that checks may take beyond one call on each case.
const CHECKS_SHARE: f64 = 0.25;

/// Divisor of the budget: timing has this part of it, however long everything before it took. The usual
/// search and checks take less than the rest. Whoever takes more takes time of its own, up to its own limits, and
/// nothing of the time in which the others are measured.
const TIMING_DIVISOR: u32 = 2;

/// Rough number of units of fuel that a core executes in a second while fuel is counted.
const FUEL_PER_SECOND: f64 = 5e8;

/// The longest budget of which checks have a share. A longer one buys times, and none of what was checked is checked
/// again for it.
const CHECKED_SECONDS_MAX: f64 = 20.0;

/// Divisor of the share of the checks for one variant, whoever else is checked: one more costs nobody a check, and
/// nobody is checked less for company. Only a sweep that is too large to be raced divides it among all.
const SHARES: usize = 4;

/// Returns the units of fuel that the checks of each of `variants` variants may take beyond one call on each case. The
/// bound is one of fuel, so that the same checks can be made again.
pub(super) fn repeats_fuel(measure: &Measure, variants: usize) -> u64 {
    let budget = measure.budget.as_secs_f64().min(CHECKED_SECONDS_MAX);
    let shares = if variants > RACING_MAX {
        variants
    } else {
        SHARES
    };
    (CHECKS_SHARE * budget * FUEL_PER_SECOND / shares as f64) as u64
}

/// Returns the time that is left for timing after everything before it took `spent`.
fn timing_budget(measure: &Measure, spent: Duration) -> Duration {
    let left = measure.budget.saturating_sub(spent);
    left.max(measure.budget / TIMING_DIVISOR)
}

/// Returns the options for measuring time, with the budget that is left after everything before it took `spent`.
pub(super) fn timing_measure(measure: &Measure, spent: Duration) -> Measure {
    Measure {
        budget: timing_budget(measure, spent),
        ..*measure
    }
}

/// Returns the part of the budget that had been used when a stored race began; nothing of a race that has no pilot.
pub(super) fn used_before(stored: &StoredRace) -> Duration {
    // The number may be forged, and a duration of negative or infinite seconds panics.
    let seconds = stored.pilot.as_ref().map_or(0.0, |pilot| pilot.used_s);
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

impl Run<'_> {
    /// Returns the declared options of the race, with the budget that is left before anything is timed.
    pub(super) fn measure_left(&self) -> Measure {
        timing_measure(&self.loaded.experiment.measure, self.spent)
    }

    /// Warns if the search for differing inputs and the checks took so long that the run takes more than its budget.
    pub(super) fn warn_of_long_checks(&mut self) -> Result<(), RunError> {
        let measure = self.loaded.experiment.measure;
        let timing = timing_budget(&measure, self.spent);
        if self.spent + timing <= measure.budget {
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
    fn checks_have_a_share_of_a_budget_of_twenty_seconds_at_most() {
        let of = |seconds: u64, variants| {
            let measure = Measure {
                budget: Duration::from_secs(seconds),
                ..Measure::default()
            };
            repeats_fuel(&measure, variants)
        };
        assert_eq!(of(20, 2), 625_000_000);
        assert_eq!(of(20, RACING_MAX), 625_000_000);
        assert_eq!(of(3_600, 2), 625_000_000);
        assert_eq!(of(4, 2), 125_000_000);
        assert_eq!(of(20, 1_000), 2_500_000);
    }

    #[test]
    fn what_is_done_before_timing_takes_at_most_half_of_a_budget_for_all() {
        let left = |spent| {
            let measure = Measure {
                budget: Duration::from_secs(10),
                ..Measure::default()
            };
            timing_budget(&measure, Duration::from_secs(spent)).as_secs()
        };
        for (spent, expected) in [(0, 10), (3, 7), (5, 5), (9, 5), (60, 5)] {
            assert_eq!(left(spent), expected);
        }
    }
}
