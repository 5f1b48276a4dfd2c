//! The parent's side of the gate: one variant is checked in a runner.

use super::bounds::{EXIT_PATIENCE, GATE_PATIENCE, WORKLOAD_PATIENCE, room_for};
use super::checked_case::{CheckedCase, Rehearsal};
use super::deaths;
use super::gate::Call;
use super::protocol::{RepeatTask, Reply, Task};
use super::repeated_call::{CallTexts, RepeatedCall};
use super::runner_config::RunnerConfig;
use super::runner_end::{Ended, Failed, RunnerBounds, RunnerError};
use super::runner_job::RunnerJob;
use super::wave_case::WrongCase;
use bakeoff_config::units;
use bakeoff_domain::attempt::{Attempt, EXAMPLE_CHARS_MAX};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::plan::RunSeed;
use bakeoff_source::PackedFolders;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The share of a call's fuel that a variant saves on an instance that has been called before, beyond
/// which it counts as gaining by state.
const GAIN_SHARE: f64 = 0.05;

/// Units of fuel that a first call takes beyond that, because an allocator initialises itself.
const FIRST_CALL_FUEL: u64 = 4_000;

/// The most times that a runner on a stalled machine is started again.
pub(super) const STALLS_MAX: u32 = 3;

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
        let checked = match are_instances {
            true => self.cases.len().clamp(1, cases),
            false => cases,
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

    fn failed(mut self, failed: Vec<Failed>, config: &RunnerConfig) -> Result<Self, RunnerError> {
        if let Some((failure, calls)) = first_failure(failed, config)? {
            (self.failure, self.calls) = (Some(failure), calls);
        }
        Ok(self)
    }
}

/// Returns the first failure of a checked variant, with the calls that reproduce it.
///
/// # Errors
/// The workload failed, and not a variant.
pub(super) fn first_failure(
    failed: Vec<Failed>,
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
    let secrets = config.gate_secrets();
    let message = config.request(|bundle| Task::Gate {
        component: bundle.add(checked),
        files: files.map(|files| bundle.add_files(files)),
        secrets,
        repeats_fuel: config.repeats_fuel,
    })?;
    let mut runner = config.runner(message, core, 1, GATE_PATIENCE);
    runner.bounds.guests_bytes += room_for(files);
    let mut died = None;
    for _ in 0..STALLS_MAX {
        let mut record = GateRecord {
            rehearsal_seed: Some(config.seed),
            repeats_fuel: config.repeats_fuel,
            ..GateRecord::default()
        };
        let ended = runner
            .run(&mut |reply| match reply {
                Reply::Checked(case) => {
                    record.cases.push(case);
                    on_case(record.cases.len());
                }
                Reply::Rehearsed(rehearsal) => record.rehearsal = Some(rehearsal),
                Reply::Attempted(attempts) => record.attempts = bounded(attempts),
                _ => {}
            })
            .await?;
        match ended {
            Ended::Done
                if !record.is_whole(config.inputs.cases(), config.inputs.are_instances()) =>
            {
                return Err(RunnerError::Silent("it left out cases of the gate".into()));
            }
            Ended::Done => return Ok(record),
            Ended::Failed(failed) => return record.failed(failed, config),
            Ended::Died(death) => {
                if let Some(failed) = deaths::of_single_variant(&mut died, death)? {
                    return record.failed(failed, config);
                }
            }
            Ended::Stalled | Ended::OutOfBudget(_) | Ended::Overran(_) => {}
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
    files: Option<&PackedFolders>,
    calls: &[(usize, u64)],
) -> Result<Vec<String>, RunnerError> {
    let calls = calls.to_vec();
    let message = config.request(|bundle| Task::Diagnose {
        component: bundle.add(diagnostic),
        files: files.map(|files| bundle.add_files(files)),
        calls,
    })?;
    let mut reports = Vec::new();
    let mut runner = config.runner(message, None, 1, GATE_PATIENCE);
    runner
        .run(&mut |reply| {
            if let Reply::Diagnosis(found) = reply {
                reports = found;
            }
        })
        .await?;
    Ok(reports)
}

/// A prototype whose calls are made again.
#[derive(Clone, Copy, Debug)]
pub struct RepeatInput<'a> {
    /// The prototype's code in the checked profile.
    pub checked: &'a [u8],
    /// True if the code is a diagnostic build, which reports its panics; false for a brought component.
    pub diagnostic: bool,
    /// The files that the prototype is granted, if any.
    pub files: Option<&'a PackedFolders>,
    /// Length of arguments and answers in the results: shortened or whole.
    pub texts: CallTexts,
}

/// Makes calls, each on a fresh instance, and judges the answers. There are fewer results than calls if calls break a
/// limit, one a large or many a small one: the last result is such a call. There are fewer, too, if the time `left`
/// ends first.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn repeat(
    config: &RunnerConfig,
    input: RepeatInput<'_>,
    calls: &[(usize, u64)],
    core: Option<usize>,
    left: Option<Duration>,
) -> Result<Vec<RepeatedCall>, RunnerError> {
    let message = config.request(|bundle| {
        Task::Repeat(RepeatTask {
            component: bundle.add(input.checked),
            files: input.files.map(|files| bundle.add_files(files)),
            diagnostic: input.diagnostic,
            calls: calls.to_vec(),
            as_many_as_possible: left.is_some(),
            texts: input.texts,
        })
    })?;
    let mut runner = config.runner(message, core, 1, GATE_PATIENCE);
    runner.bounds.guests_bytes += room_for(input.files);
    runner.bounds.left = left;
    let mut repeated = Vec::new();
    let ended = runner
        .run(&mut |reply| {
            if let Reply::RepeatedCall(outcome) = reply
                && repeated.len() < calls.len()
            {
                repeated.push(outcome);
            }
        })
        .await?;
    match ended {
        Ended::Done if repeated.is_empty() && left.is_none() => {
            Err(RunnerError::Silent("it told nothing of the call".into()))
        }
        Ended::Done => Ok(repeated),
        Ended::Failed(failed) => match failed.into_iter().next() {
            Some(failed) if failed.variant.is_some() => {
                repeated.push(RepeatedCall::failed(failed.error));
                Ok(repeated)
            }
            Some(failed) => Err(RunnerError::Workload(failed.error.message)),
            None => Err(RunnerError::Silent("it failed without an error".into())),
        },
        Ended::Died(death) if death.running().is_some() => {
            repeated.push(RepeatedCall::failed(death.error));
            Ok(repeated)
        }
        Ended::Died(death) => Err(RunnerError::Silent(death.error.message)),
        Ended::OutOfBudget(_) => Ok(repeated),
        Ended::Stalled | Ended::Overran(_) => Err(RunnerError::Stalled),
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
    let mut runner = config.runner(message, None, 1, GATE_PATIENCE);
    runner
        .run(&mut |reply| {
            if let Reply::Cases(read) = reply {
                results = Some(read);
            }
        })
        .await?;
    results.ok_or_else(|| RunnerError::Silent("it did not read the cases".into()))
}

impl RunnerConfig {
    /// Returns a runner of the first `guests` variants, whose calls may each take a multiple of the wall limit,
    /// with this request.
    pub(super) fn runner(
        &self,
        message: Vec<u8>,
        core: Option<usize>,
        guests: usize,
        patience: u32,
    ) -> RunnerJob<'_> {
        // The workload has a store of its own, and so has the component that does nothing.
        let stores = guests as u64 + 2;
        RunnerJob {
            worker: &self.worker,
            message,
            core,
            bounds: RunnerBounds {
                call_max: self.limits.wall.saturating_mul(patience),
                workload_max: WORKLOAD_PATIENCE,
                exit_max: EXIT_PATIENCE,
                participants: (0..guests).collect(),
                cases: self.inputs.cases(),
                wall_limit: format!("wall = {}", units::show_duration(self.limits.wall)),
                guests_bytes: self.limits.memory_bytes.saturating_mul(stores),
                left: None,
                overrun: Vec::new(),
            },
        }
    }
}
