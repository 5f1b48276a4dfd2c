//! The budget of one variant's checks: fuel and CPU time of all its calls together.

use bakeoff_config::units;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::{CallResult, GuestError};
use std::time::Duration;

/// Budget of all calls of a variant's checks together, in calls at their limits.
const CALLS_AT_LIMIT: u32 = 4;
/// Least fuel that counts as the limit of a call in this budget.
const FUEL_MIN: u64 = 10_000_000_000;
/// Least wall time that counts as the limit of a call in this budget.
const WALL_MIN: Duration = Duration::from_secs(10);
/// Least fuel budget of all checks of a set of instances, of which there may be thousands.
const SET_FUEL_MIN: u64 = 400_000_000_000;
/// Least CPU-time budget of all checks of a set of instances. No instance is begun after half of either budget: half of
/// the fuel is a minute or two, and only calls that wait take so much more time that the CPU time decides.
const SET_CPU_MIN: Duration = Duration::from_secs(480);
/// Divisor of a budget: a call is repeated only if all calls so far and its repetitions fit into one part of this many.
const REPEATS_SHARE: u64 = 2;

/// Fuel and CPU time of the calls of one variant's checks so far, with their limits.
pub(super) struct CheckBudget {
    fuel: u64,
    cpu: Duration,
    fuel_max: u64,
    cpu_max: Duration,
    /// The most fuel of the calls beyond the first on each case.
    repeats_max: u64,
}

impl CheckBudget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            fuel: 0,
            cpu: Duration::ZERO,
            fuel_max: limits
                .fuel
                .max(FUEL_MIN)
                .saturating_mul(u64::from(CALLS_AT_LIMIT)),
            cpu_max: limits.wall.max(WALL_MIN).saturating_mul(CALLS_AT_LIMIT),
            repeats_max: u64::MAX,
        }
    }

    /// Limits the fuel of the calls beyond the first on each case to `repeats_max`; `None` removes that limit.
    pub(super) fn bound_repeats(&mut self, repeats_max: Option<u64>) {
        self.repeats_max = repeats_max.unwrap_or(u64::MAX);
    }

    /// Returns the fuel that a group of repeated calls may take: `usual`, or one part in [`REPEATS_SHARE`] of the fuel
    /// of all of them, if that is less.
    pub(super) fn repeats(&self, usual: u64) -> u64 {
        usual.min(self.repeats_max / REPEATS_SHARE)
    }

    /// Makes the budget of a set of instances. An instance that does not fit into it is left out, and no variant fails.
    pub(super) fn of_set(limits: &Limits) -> Self {
        let each = Self::new(limits);
        Self {
            fuel_max: each.fuel_max.max(SET_FUEL_MIN),
            cpu_max: each.cpu_max.max(SET_CPU_MIN),
            ..each
        }
    }

    /// Counts a call.
    pub(super) fn add(&mut self, call: &CallResult) {
        self.fuel = self.fuel.saturating_add(call.fuel);
        self.cpu = self
            .cpu
            .saturating_add(Duration::from_nanos(call.time.time.cpu_ns));
    }

    /// Returns true if calls that take `fuel`, after `judging` units for the workload so far, leave enough for the
    /// cases that were not called yet.
    pub(super) fn has_room_for(&self, fuel: u64, judging: u64) -> bool {
        let used = self.fuel.saturating_add(judging).saturating_add(fuel);
        used <= self.fuel_max / REPEATS_SHARE
            && fuel <= self.repeats_max
            && u128::from(REPEATS_SHARE) * self.cpu.as_nanos() <= self.cpu_max.as_nanos()
    }

    /// Returns true if calls that take `fuel` fit into the rest of the budget.
    pub(super) fn has_left(&self, fuel: u64) -> bool {
        self.fuel.saturating_add(fuel) <= self.fuel_max && self.cpu <= self.cpu_max
    }

    /// Returns an error if nothing is left for another case, after `checked` of `cases`.
    pub(super) fn check(&self, checked: usize, cases: usize) -> Result<(), GuestError> {
        let (class, limit) = if self.fuel >= self.fuel_max {
            let limit = format!("fuel = {} for all checks", self.fuel_max);
            (FailureClass::FuelLimit, limit)
        } else if self.cpu >= self.cpu_max {
            let limit = format!(
                "wall = {} for all checks",
                units::show_duration(self.cpu_max)
            );
            (FailureClass::WallLimit, limit)
        } else {
            return Ok(());
        };
        let message = format!(
            "took all that its checks may take on {checked} of {cases} cases, so the others were not \
             checked"
        );
        Err(GuestError {
            class,
            message,
            limit: Some(limit),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_sandbox::{CpuWallTime, GuestTime};

    fn call(fuel: u64, seconds: u64) -> CallResult {
        let time = CpuWallTime {
            cpu_ns: seconds * 1_000_000_000,
            wall_ns: 0,
        };
        CallResult {
            value: None,
            time: GuestTime {
                time,
                ..GuestTime::default()
            },
            fuel,
        }
    }

    /// Returns the room that checks with the default limits have after `calls`: whether a small call can be repeated,
    /// and the limit that was met, if another case cannot be checked.
    fn after(calls: &[CallResult]) -> (bool, Result<(), String>) {
        let mut budget = CheckBudget::new(&Limits::default());
        calls.iter().for_each(|call| budget.add(call));
        let next = budget.check(3, 7);
        let next = next.map_err(|error| format!("{}: {}", error.class, error.limit.unwrap()));
        (budget.has_room_for(1_000, 1_000), next)
    }

    #[test]
    fn checks_have_a_bound_in_all_of_fuel_and_of_time() {
        assert_eq!(after(&[]), (true, Ok(())));
        let large = || call(9_000_000_000, 3);
        assert_eq!(after(&[large(), large()]), (true, Ok(())));
        assert_eq!(after(&[large(), large(), large()]), (false, Ok(())));
        let all: Vec<CallResult> = (0..5).map(|_| large()).collect();
        let met = "fuel-limit: fuel = 40000000000 for all checks";
        assert_eq!(after(&all), (false, Err(met.to_owned())));
        // A call may wait for memory far longer than its fuel tells.
        assert_eq!(after(&[call(1, 21)]), (false, Ok(())));
        let met = "wall-limit: wall = 40 s for all checks";
        assert_eq!(after(&[call(1, 40)]), (false, Err(met.to_owned())));
    }

    #[test]
    fn a_workload_that_takes_long_is_not_asked_again_and_blames_nobody() {
        let budget = CheckBudget::new(&Limits::default());
        assert!(!budget.has_room_for(1, 30_000_000_000));
        assert!(budget.check(0, 1).is_ok());
    }

    #[test]
    fn repeated_calls_may_be_bounded_further_and_first_ones_are_made() {
        let mut budget = CheckBudget::new(&Limits::default());
        assert_eq!(budget.repeats(5_000), 5_000);
        budget.bound_repeats(Some(4_000));
        assert_eq!((budget.repeats(5_000), budget.repeats(7)), (2_000, 7));
        assert!(budget.has_room_for(4_000, 1) && !budget.has_room_for(4_001, 1));
        assert!(budget.check(0, 1).is_ok());
    }

    #[test]
    fn a_set_has_room_for_more_and_keeps_half_for_the_rehearsal() {
        let mut budget = CheckBudget::of_set(&Limits::default());
        for _ in 0..20 {
            assert!(budget.has_room_for(1_000, 1_000));
            budget.add(&call(10_000_000_000, 2));
        }
        assert!(!budget.has_room_for(1_000, 1_000));
        assert!(budget.has_left(200_000_000_000) && !budget.has_left(200_000_000_001));
        let mut budget = CheckBudget::of_set(&Limits::default());
        budget.add(&call(1, 241));
        assert!(!budget.has_room_for(1, 1) && budget.has_left(1));
        budget.add(&call(1, 240));
        assert!(!budget.has_left(1));
    }

    #[test]
    fn low_limits_of_a_call_do_not_shorten_the_checks_and_high_ones_lengthen_them() {
        let limits = |fuel| Limits {
            fuel,
            ..Limits::default()
        };
        assert_eq!(CheckBudget::new(&limits(1_000)).fuel_max, 40_000_000_000);
        assert_eq!(CheckBudget::new(&limits(1 << 40)).fuel_max, 4 << 40);
        assert_eq!(CheckBudget::new(&limits(u64::MAX)).fuel_max, u64::MAX);
    }
}
