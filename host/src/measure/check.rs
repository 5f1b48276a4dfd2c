//! The parent's side of the gate: one variant is checked in a runner.

use super::bounds::{GATE_PATIENCE, WORKLOAD_PATIENCE, room_for};
use super::protocol::{CheckedCase, Rehearsal, RepeatTask, Reply, Task, WrongCase};
use super::repeated_call::RepeatedCall;
use super::runner_config::RunnerConfig;
use super::watch::{Ended, Failed, RunnerError, Watch};
use crate::config::units;
use crate::source::PackedFolders;
use bakeoff_domain::attempt::{Attempt, EXAMPLE_CHARS_MAX};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use serde::{Deserialize, Serialize};

/// The share by which the fuel of a call may differ between a fresh instance and one that has been
/// called before, while the variant still counts as pure.
const STATE_SHARE: f64 = 0.05;

/// Units of fuel that a first call may take beyond that, because an allocator initialises itself.
const FIRST_CALL_FUEL: u64 = 4_000;

/// How many times a runner on a stalled machine is started again.
const STALLS_MAX: u32 = 3;

/// Returns the units of fuel by which a call may differ between a fresh instance and one that has
/// been called before.
fn tolerated(fuel: u64) -> u64 {
    (STATE_SHARE * fuel as f64) as u64 + FIRST_CALL_FUEL
}

/// A place where a prototype does work that timing on a kept instance would miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Between calls: a call leaves state to the calls after it.
    BetweenCalls,
    /// Before the first call: the start functions leave state to all calls.
    BeforeTheFirst,
}

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
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// The seed of the rehearsal's inputs and order: that of the run that made it. `None` in
    /// records that are older than this field.
    #[serde(default)]
    pub rehearsal_seed: Option<u64>,
}

impl GateRecord {
    /// Returns true if the cost of a call depends neither on the calls before it nor on work that
    /// was done before the first one.
    pub fn is_pure(&self) -> bool {
        self.state().is_none()
    }

    /// Returns the place of work that timing on a kept instance would miss, if there is any.
    pub fn state(&self) -> Option<Hidden> {
        let checked = self.cases.iter().map(|case| (case.fuel, case.fuel_later));
        let rehearsal = self.rehearsal.as_ref();
        let rehearsed = rehearsal.iter().flat_map(|rehearsal| &rehearsal.repeated);
        let rehearsed = rehearsed.map(|call| (call.fuel, call.fuel_later));
        let mut pairs = checked.chain(rehearsed);
        if pairs.any(|(fresh, later)| fresh.abs_diff(later) > tolerated(fresh)) {
            return Some(Hidden::BetweenCalls);
        }
        let least = self.cases.iter().map(|case| case.fuel).min().unwrap_or(0);
        let started = rehearsal.map_or(0, |rehearsal| rehearsal.start_fuel);
        (started > tolerated(least)).then_some(Hidden::BeforeTheFirst)
    }

    /// Returns true if the record covers every case and the rehearsal.
    fn is_whole(&self, cases: usize) -> bool {
        let numbers = self.cases.iter().map(|case| case.case);
        numbers.eq(0..cases) && self.rehearsal.is_some()
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

    fn failed(mut self, failed: Vec<Failed>) -> Result<Self, RunnerError> {
        let Some(first) = failed.into_iter().next() else {
            return Ok(self);
        };
        if first.variant.is_none() || first.error.class == FailureClass::WorkloadFailed {
            return Err(RunnerError::Workload(first.error.message));
        }
        self.failure = Some(Failure {
            class: first.error.class,
            message: first.error.message,
            phase: Phase::Check,
            limit: first.error.limit,
        });
        self.calls = first.calls;
        Ok(self)
    }
}

/// Runs one variant through the gate, with the files that it is granted.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn check(
    config: &RunnerConfig,
    checked: &[u8],
    files: Option<&PackedFolders>,
    core: Option<usize>,
) -> Result<GateRecord, RunnerError> {
    let seeds = config.gate_seeds();
    let message = config.request(|bundle| Task::Gate {
        component: bundle.add(checked),
        files: files.map(|files| bundle.add_files(files)),
        seeds,
    })?;
    let mut watch = config.watch(&message, core, 1, GATE_PATIENCE);
    watch.guests_bytes += room_for(files);
    for _ in 0..STALLS_MAX {
        let mut record = GateRecord {
            rehearsal_seed: Some(seeds.rehearsal),
            ..GateRecord::default()
        };
        let ended = watch
            .run(&mut |reply| match reply {
                Reply::Checked(case) => record.cases.push(case),
                Reply::Rehearsed(rehearsal) => record.rehearsal = Some(rehearsal),
                Reply::Attempted(attempts) => record.attempts = bounded(attempts),
                _ => {}
            })
            .await?;
        match ended {
            Ended::Done if !record.is_whole(config.inputs.cases()) => {
                return Err(RunnerError::Silent("it left out cases of the gate".into()));
            }
            Ended::Done => return Ok(record),
            Ended::Failed(failed) => return record.failed(failed),
            Ended::Stalled | Ended::OutOfBudget => {}
        }
    }
    Err(RunnerError::Stalled)
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

/// Repeats a failure on a diagnostic build. Returns the reports of a panic; nothing where the
/// failure leaves none, such as an endless loop or a wrong answer.
///
/// # Errors
/// The runner could not be started.
pub async fn diagnose(
    config: &RunnerConfig,
    diagnostic: &[u8],
    calls: &[(usize, u64)],
) -> Result<Vec<String>, RunnerError> {
    let calls = calls.to_vec();
    let message = config.request(|bundle| Task::Diagnose {
        component: bundle.add(diagnostic),
        calls,
    })?;
    let mut reports = Vec::new();
    let watch = config.watch(&message, None, 1, GATE_PATIENCE);
    watch
        .run(&mut |reply| {
            if let Reply::Diagnosis(found) = reply {
                reports = found;
            }
        })
        .await?;
    Ok(reports)
}

/// The prototype of a call that is made again.
#[derive(Clone, Copy, Debug)]
pub struct RepeatInput<'a> {
    /// Its code in the checked profile.
    pub checked: &'a [u8],
    /// True if it is a diagnostic build, which reports its panics; false for a brought component.
    pub diagnostic: bool,
    /// The files that it is granted, if any.
    pub files: Option<&'a PackedFolders>,
}

/// Makes one call on a fresh instance, and judges the answer.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn repeat(
    config: &RunnerConfig,
    input: RepeatInput<'_>,
    call: (usize, u64),
) -> Result<RepeatedCall, RunnerError> {
    let message = config.request(|bundle| {
        Task::Repeat(RepeatTask {
            component: bundle.add(input.checked),
            files: input.files.map(|files| bundle.add_files(files)),
            diagnostic: input.diagnostic,
            call,
        })
    })?;
    let mut watch = config.watch(&message, None, 1, GATE_PATIENCE);
    watch.guests_bytes += room_for(input.files);
    let mut repeated = None;
    let ended = watch
        .run(&mut |reply| {
            if let Reply::RepeatedCall(outcome) = reply {
                repeated = Some(outcome);
            }
        })
        .await?;
    match (ended, repeated) {
        (Ended::Done, Some(repeated)) => Ok(repeated),
        (Ended::Done, None) => Err(RunnerError::Silent("it told nothing of the call".into())),
        (Ended::Failed(failed), _) => match failed.into_iter().next() {
            Some(failed) if failed.variant.is_some() => Ok(RepeatedCall::failed(failed.error)),
            Some(failed) => Err(RunnerError::Workload(failed.error.message)),
            None => Err(RunnerError::Silent("it failed without an error".into())),
        },
        (Ended::Stalled | Ended::OutOfBudget, _) => Err(RunnerError::Stalled),
    }
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
    let message = config.request(|bundle| Task::ReadCases {
        component: bundle.add(checked),
    })?;
    let mut results = None;
    let watch = config.watch(&message, None, 1, GATE_PATIENCE);
    watch
        .run(&mut |reply| {
            if let Reply::Cases(read) = reply {
                results = Some(read);
            }
        })
        .await?;
    results.ok_or_else(|| RunnerError::Silent("it did not read the cases".into()))
}

impl RunnerConfig {
    /// Returns a watch for a runner of `guests` guests whose calls may each take a multiple of the
    /// wall limit.
    pub(super) fn watch<'a>(
        &'a self,
        message: &'a [u8],
        core: Option<usize>,
        guests: usize,
        patience: u32,
    ) -> Watch<'a> {
        // The workload has a store of its own, and so has the component that does nothing.
        let stores = guests as u64 + 2;
        Watch {
            confinement: &self.confinement,
            message,
            core,
            call_max: self.limits.wall.saturating_mul(patience),
            workload_max: WORKLOAD_PATIENCE,
            wall_limit: format!("wall = {}", units::show_duration(self.limits.wall)),
            guests_bytes: self.limits.memory_bytes.saturating_mul(stores),
            until: None,
        }
    }
}
