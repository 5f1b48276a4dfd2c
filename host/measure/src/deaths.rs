//! Runners that die without an error: each is started once more, and the failure belongs to a variant that was running
//! both times.

use super::runner_end::{Death, RunnerError};
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_runner::GuestFailure;
use bakeoff_sandbox::GuestError;
use std::collections::BTreeMap;

/// The most deaths in a row that no variant explains, before the machine is at fault.
const UNEXPLAINED_MAX: u32 = 8;

/// Consequence of the death of a runner.
#[derive(Debug, PartialEq)]
pub(super) enum AfterDeath {
    /// The runner's work is repeated once.
    Again,
    /// Different steps were running at the two deaths: no variant fails, and the work is repeated from the start.
    Nobody,
    /// The same variant was running at both deaths: it fails.
    Failed(VariantIndex, GuestError),
}

/// The deaths of runners with several variants, by replica.
#[derive(Debug, Default)]
pub(super) struct Deaths {
    waiting: BTreeMap<u32, Death>,
    unexplained: u32,
}

impl Deaths {
    /// Records the death of the runner of a replica.
    ///
    /// # Errors
    /// Runners die again and again, and no variant explains it.
    pub(super) fn add(&mut self, replica: u32, death: Death) -> Result<AfterDeath, RunnerError> {
        let before = self.waiting.remove(&replica);
        if let (Some(before), Some(variant)) = (&before, death.running())
            && before.running() == Some(variant)
        {
            self.unexplained = 0;
            return Ok(AfterDeath::Failed(variant, twice(death.error)));
        }
        self.unexplained += 1;
        if self.unexplained > UNEXPLAINED_MAX {
            return Err(RunnerError::Silent(death.error.message));
        }
        Ok(match before {
            Some(_) => AfterDeath::Nobody,
            None => {
                self.waiting.insert(replica, death);
                AfterDeath::Again
            }
        })
    }

    /// Records a replica that ended in order.
    pub(super) fn survived(&mut self, replica: u32) {
        self.waiting.remove(&replica);
        self.unexplained = 0;
    }
}

/// Returns the failures that follow from the death of a runner with a single variant, or with one beside an evaluator,
/// where `before` is an earlier death in the same work, if there was one. `None` if the work is to be repeated.
///
/// # Errors
/// Both runners died before a guest ran: the machine is at fault.
pub(super) fn of_single_variant(
    before: &mut Option<Death>,
    death: Death,
) -> Result<Option<Vec<GuestFailure>>, RunnerError> {
    let Some(before) = before.replace(death.clone()) else {
        return Ok(None);
    };
    if before.doing.is_none() && death.doing.is_none() {
        return Err(RunnerError::Silent(death.error.message));
    }
    Ok(Some(vec![GuestFailure {
        variant: Some(death.running().unwrap_or(0)),
        calls: Vec::new(),
        error: twice(death.error),
    }]))
}

fn twice(error: GuestError) -> GuestError {
    GuestError {
        message: format!("{}, twice in a row", error.message),
        ..error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::FailureClass;
    use bakeoff_runner::announcement::Doing;

    fn death(doing: Option<Doing>) -> Death {
        Death {
            doing,
            error: GuestError::new(FailureClass::RunnerCrashed, "it died"),
        }
    }

    fn running(variant: VariantIndex) -> Death {
        death(Some(Doing::Calling { variant, calls: 4 }))
    }

    #[test]
    fn who_was_running_both_times_fails() {
        let mut deaths = Deaths::default();
        assert_eq!(deaths.add(5, running(2)).unwrap(), AfterDeath::Again);
        // Another replica is another matter.
        assert_eq!(deaths.add(6, running(1)).unwrap(), AfterDeath::Again);
        match deaths.add(5, running(2)).unwrap() {
            AfterDeath::Failed(2, error) => assert_eq!(error.message, "it died, twice in a row"),
            other => panic!("{other:?}"),
        }
        assert_eq!(deaths.add(5, running(2)).unwrap(), AfterDeath::Again);
    }

    #[test]
    fn nobody_fails_if_others_were_running_the_second_time() {
        let mut deaths = Deaths::default();
        for first_and_second in [
            [running(2), running(1)],
            [running(2), death(Some(Doing::Workload))],
            [death(None), death(None)],
        ] {
            let [first, second] = first_and_second;
            assert_eq!(deaths.add(5, first).unwrap(), AfterDeath::Again);
            assert_eq!(deaths.add(5, second).unwrap(), AfterDeath::Nobody);
        }
        // One that ended in order between two deaths shows that the first was none of the variant's.
        assert_eq!(deaths.add(5, running(2)).unwrap(), AfterDeath::Again);
        deaths.survived(5);
        assert_eq!(deaths.add(5, running(2)).unwrap(), AfterDeath::Again);
    }

    #[test]
    fn repetitions_have_a_bound() {
        let mut deaths = Deaths::default();
        for count in 0..UNEXPLAINED_MAX {
            assert!(deaths.add(0, running(count as usize % 2)).is_ok());
        }
        match deaths.add(0, running(7)) {
            Err(RunnerError::Silent(message)) => assert_eq!(message, "it died"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_variant_whose_checks_die_twice_fails_and_a_machine_that_starts_nothing_is_at_fault() {
        let mut before = None;
        assert_eq!(of_single_variant(&mut before, running(0)).unwrap(), None);
        let failed = of_single_variant(&mut before, death(Some(Doing::Workload)));
        assert_eq!(failed.unwrap().unwrap()[0].variant, Some(0));
        let mut before = None;
        assert_eq!(of_single_variant(&mut before, death(None)).unwrap(), None);
        assert!(of_single_variant(&mut before, death(None)).is_err());
    }
}
