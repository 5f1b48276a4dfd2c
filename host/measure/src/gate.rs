//! The parent's side of the gate: one variant is checked in a runner.

use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::attempt::{Attempt, EXAMPLE_CHARS_MAX};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::plan::RunSeed;
use bakeoff_runner::{
    Call, CheckedCase, GateCall, GateReply, GuestFailure, ReadCasesCall, Rehearsal, WrongCase,
};
use bakeoff_source::PackedFolders;
use serde::{Deserialize, Serialize};

/// The share of a call's fuel that a variant saves on an instance that has been called before, beyond
/// which it counts as gaining by state.
const GAIN_SHARE: f64 = 0.05;

/// Units of fuel that a first call takes beyond that, because an allocator initialises itself.
const FIRST_CALL_FUEL: u64 = 4_000;

/// The record of a variant's gate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// The checked cases in order, up to the failing one.
    pub cases: Vec<CheckedCase>,
    /// The result of the rehearsal; `None` if a case failed before it.
    pub rehearsal: Option<Rehearsal>,
    /// The reason why the variant did not pass, if it did not.
    pub failure: Option<Failure>,
    /// The calls that reproduce the failure in one instance: case and seed of each.
    pub calls: Vec<(usize, u64)>,
    /// The operations that the component tried and was refused, over all these calls.
    pub attempts: Vec<Attempt>,
    /// The seed that the rehearsal's inputs and order follow from: that of the run that made it.
    /// `None` if there was no rehearsal.
    pub rehearsal_seed: Option<RunSeed>,
    /// Units of fuel that calls beyond one on each case could take; `None`: as much as checks ever may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_fuel: Option<u64>,
}

impl GateRecord {
    /// Returns true if calls would take less work on an instance that has been called before: tables
    /// that the first call builds, answers that are remembered. Nothing follows from it but a note,
    /// since every timed call has the same kind of instance.
    pub fn gains_by_state(&self) -> bool {
        self.cases.iter().any(|case| {
            let usual = (GAIN_SHARE * case.fuel as f64) as u64 + FIRST_CALL_FUEL;
            case.fuel.saturating_sub(case.fuel_later) > usual
        })
    }

    /// Returns the share of a first call's fuel that later calls on the same instance do not need, on the case where it
    /// is largest, from 0 to 1: a language's start before it runs a program, or tables.
    pub fn first_call_share(&self) -> f64 {
        let once = self
            .cases
            .iter()
            .map(|case| case.fuel.saturating_sub(case.fuel_later) as f64 / case.fuel.max(1) as f64);
        once.fold(0.0, f64::max)
    }

    /// Returns the rough CPU time of the first call on each case, in nanoseconds; 0 where it is not known.
    pub fn cpu_ns(&self) -> Vec<u64> {
        self.cases.iter().map(|case| case.cpu_ns).collect()
    }

    /// Returns the number of cases that were called once only, since another call would have taken more
    /// than all checks of a variant may.
    pub fn cases_called_once(&self) -> usize {
        self.cases.iter().filter(|case| case.calls == 1).count()
    }

    /// Returns true if the record covers the rehearsal and every case; of a set of instances, as many
    /// of the first as could be checked.
    fn is_whole(&self, cases: usize, are_instances: bool) -> bool {
        let numbers = self.cases.iter().map(|case| case.case);
        let checked = if are_instances {
            self.cases.len().clamp(1, cases)
        } else {
            cases
        };
        numbers.eq(0..checked) && self.rehearsal.is_some()
    }

    /// Returns the number of calls that the gate made.
    pub fn trials(&self) -> u64 {
        let rehearsed = self.rehearsal.iter().map(|rehearsal| rehearsal.calls);
        let checked = self.cases.iter().map(|case| case.calls);
        checked.chain(rehearsed).map(u64::from).sum()
    }

    /// Returns the largest size of memories and tables, in bytes, over all cases on fresh instances
    /// and over the rehearsal.
    pub fn peak_bytes(&self) -> u64 {
        let rehearsed = self.rehearsal.iter().map(|rehearsal| rehearsal.peak.bytes);
        let checked = self.cases.iter().map(|case| case.peak.bytes);
        checked.chain(rehearsed).max().unwrap_or(0)
    }

    /// Returns the units of fuel of one call, by checked case.
    pub fn fuel(&self) -> Vec<u64> {
        self.cases.iter().map(|case| case.fuel).collect()
    }
}

/// Returns the first failure of a checked variant, with the calls that reproduce it.
///
/// # Errors
/// The workload failed, and not a variant.
pub(super) fn first_failure(
    failed: Vec<GuestFailure>,
    config: &RunnerConfig,
) -> Result<Option<(Failure, Vec<Call>)>, RunnerError> {
    let Some(first) = failed.into_iter().next() else {
        return Ok(None);
    };
    if first.variant.is_none() || first.error.class == FailureClass::WorkloadFailed {
        return Err(config.workload_failed(&first));
    }
    let failure = Failure {
        class: first.error.class,
        message: first.error.message,
        phase: Phase::Check,
        limit: first.error.limit,
    };
    Ok(Some((failure, first.calls)))
}

/// Runs one variant through the gate, with the files that it is granted. `on_case` gets the number of
/// checked cases after each.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn check(
    config: &RunnerConfig,
    checked: &[u8],
    files: Option<&PackedFolders>,
    core: Option<usize>,
    mut on_case: impl FnMut(usize) + Send,
) -> Result<GateRecord, RunnerError> {
    let mut runner = config.runner_of_one(core, files, |bundle| GateCall {
        variant: bundle.add_guest(checked, files),
        cases: config.check_seed.check_secret(),
        rehearsal: config.seed.rehearsal_secret(),
        repeats_fuel: config.repeats_fuel,
    })?;
    let (record, failed) = runner
        .settle(|record: &mut GateRecord, reply| match reply {
            GateReply::Checked(case) => {
                record.cases.push(case);
                on_case(record.cases.len());
            }
            GateReply::Rehearsed(rehearsal) => record.rehearsal = Some(rehearsal),
            GateReply::Attempted(attempts) => record.attempts = bounded(attempts),
        })
        .await?;
    let mut record = GateRecord {
        rehearsal_seed: Some(config.seed),
        repeats_fuel: config.repeats_fuel,
        ..record
    };
    if let Some((failure, calls)) = first_failure(failed, config)? {
        (record.failure, record.calls) = (Some(failure), calls);
    } else if !record.is_whole(config.inputs.cases(), config.inputs.are_instances()) {
        return Err(RunnerError::Silent("it left out cases of the gate".into()));
    }
    Ok(record)
}

/// Returns attempts cut to what an honest runner reports: each kind once, with bounded text.
fn bounded(mut attempts: Vec<Attempt>) -> Vec<Attempt> {
    attempts.sort_by_key(|attempt| attempt.what);
    attempts.dedup_by_key(|attempt| attempt.what);
    for attempt in &mut attempts {
        let example = attempt.example.take();
        attempt.example = example.map(|text| text.chars().take(EXAMPLE_CHARS_MAX).collect());
    }
    attempts
}

/// Parses the cases of a file against the types of a component of the problem's signature. Returns
/// the error of each case, if it has one.
///
/// # Errors
/// The runner could not be started.
pub async fn read_cases(
    config: &RunnerConfig,
    checked: &[u8],
) -> Result<Vec<Result<(), WrongCase>>, RunnerError> {
    let mut results = None;
    let mut runner = config.runner(None, 1, |bundle| ReadCasesCall {
        component: bundle.add_code(checked),
    })?;
    runner.run(&mut |read| results = Some(read)).await?;
    results.ok_or_else(|| RunnerError::Silent("it did not read the cases".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_sandbox::PeakMemory;

    #[test]
    fn the_share_of_a_first_call_is_that_of_the_case_with_most_of_it() {
        let case = |fuel: u64, fuel_later: u64| CheckedCase {
            case: 0,
            fuel,
            fuel_later,
            cpu_ns: 1,
            peak: PeakMemory::default(),
            answer: String::new(),
            shown: String::new(),
            assessed: Vec::new(),
            calls: 3,
            constant_input: false,
            constant_arguments: Vec::new(),
        };
        let share = |cases: Vec<CheckedCase>| {
            let record = GateRecord {
                cases,
                rehearsal: None,
                failure: None,
                calls: Vec::new(),
                attempts: Vec::new(),
                rehearsal_seed: None,
                repeats_fuel: None,
            };
            record.first_call_share()
        };
        assert_eq!(share(vec![case(100, 100), case(200, 50)]), 0.75);
        // A later call may take more, and a call may take nothing.
        assert_eq!(share(vec![case(10, 20), case(0, 0)]), 0.0);
        assert_eq!(share(Vec::new()), 0.0);
    }
}
