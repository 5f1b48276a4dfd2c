//! In the parent: one variant through the gate.

use super::bounds::{GATE_PATIENCE, WORKLOAD_PATIENCE, room_for};
use super::protocol::{CheckedCase, Reply, Task};
use super::rehearsal::Rehearsal;
use super::setting::Setting;
use super::watch::{Ended, Failed, RunnerError, Watch};
use crate::artifact::PackedFolders;
use crate::config::units;
use bakeoff_domain::attempt::{Attempt, EXAMPLE_CHARS_MAX};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use serde::{Deserialize, Serialize};

/// Fuel of a call may differ by this share between a fresh instance and one that has been called
/// before, and the variant still counts as a function.
const STATE_SHARE: f64 = 0.05;

/// Units of fuel that a first call may take beyond that: an allocator setting itself up.
const FIRST_CALL_FUEL: u64 = 4_000;

/// How often a runner on a stalled machine is started anew.
const STALLS_MAX: u32 = 3;

/// By how much the fuel of a call may differ between a fresh instance and one that has been called
/// before.
fn tolerated(fuel: u64) -> u64 {
    (STATE_SHARE * fuel as f64) as u64 + FIRST_CALL_FUEL
}

/// Where a prototype puts work that a kept instance would not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// A call leaves something to the calls after it.
    BetweenCalls,
    /// The start functions leave something to all calls.
    BeforeTheFirst,
}

/// What the gate found out about a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// By case, in order; up to the failing one.
    pub cases: Vec<CheckedCase>,
    /// The calls of a whole replica; `None` if a case failed before.
    pub rehearsal: Option<Rehearsal>,
    /// Why it did not pass.
    pub failure: Option<Failure>,
    /// The calls that repeat the failure, in one instance: case and seed of each.
    pub calls: Vec<(usize, u64)>,
    /// What it tried and was refused, in all these calls.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// What inputs and order of the rehearsal follow from: the seed of the run that made it. `None` in
    /// records that are older than this field.
    #[serde(default)]
    pub rehearsal_seed: Option<u64>,
}

impl GateRecord {
    /// Whether what a call costs does not depend on the calls before it, nor on work that was done
    /// before the first one.
    pub fn is_pure(&self) -> bool {
        self.state().is_none()
    }

    /// What a kept instance would hide of the cost of a call, if anything.
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

    /// Whether a variant without a failure went through all of it.
    fn is_whole(&self, cases: usize) -> bool {
        let numbers = self.cases.iter().map(|case| case.case);
        numbers.eq(0..cases) && self.rehearsal.is_some()
    }

    /// Calls made.
    pub fn trials(&self) -> u64 {
        let rehearsed = self.rehearsal.iter().map(|rehearsal| rehearsal.calls);
        let checked = self.cases.iter().map(|case| case.calls);
        checked.chain(rehearsed).map(u64::from).sum()
    }

    /// Memories and tables at their largest, in bytes: over all cases on fresh instances, and over
    /// the calls of a whole replica on one.
    pub fn peak_bytes(&self) -> u64 {
        let rehearsed = self.rehearsal.iter().map(|rehearsal| rehearsal.peak.bytes);
        let checked = self.cases.iter().map(|case| case.peak.bytes);
        checked.chain(rehearsed).max().unwrap_or(0)
    }

    fn failed(mut self, failed: Vec<Failed>) -> Result<Self, RunnerError> {
        let Some(first) = failed.into_iter().next() else {
            return Ok(self);
        };
        if first.variant.is_none() || first.breach.class == FailureClass::WorkloadFailed {
            return Err(RunnerError::Workload(first.breach.message));
        }
        self.failure = Some(Failure {
            class: first.breach.class,
            message: first.breach.message,
            phase: Phase::Check,
            limit: first.breach.limit,
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
    setting: &Setting,
    checked: &[u8],
    files: Option<&PackedFolders>,
    core: Option<usize>,
) -> Result<GateRecord, RunnerError> {
    let seeds = setting.gate_seeds();
    let message = setting.request(|bundle| Task::Gate {
        component: bundle.add(checked),
        files: files.map(|files| bundle.add_files(files)),
        seeds,
    })?;
    let mut watch = setting.watch(&message, core, 1, GATE_PATIENCE);
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
            Ended::Done if !record.is_whole(setting.source.cases()) => {
                return Err(RunnerError::Silent("it left out cases of the gate".into()));
            }
            Ended::Done => return Ok(record),
            Ended::Failed(failed) => return record.failed(failed),
            Ended::Stalled | Ended::OutOfBudget => {}
        }
    }
    Err(RunnerError::Stalled)
}

/// What a runner says of attempts, cut to what an honest one says: each kind once, in short.
fn bounded(mut attempts: Vec<Attempt>) -> Vec<Attempt> {
    attempts.sort_by_key(|attempt| attempt.what);
    attempts.dedup_by_key(|attempt| attempt.what);
    for attempt in &mut attempts {
        let example = attempt.example.take();
        attempt.example = example.map(|text| text.chars().take(EXAMPLE_CHARS_MAX).collect());
    }
    attempts
}

/// Repeats a failure on a diagnostic build. The reports of a panic, or nothing where the failure
/// leaves none: an endless loop, a wrong answer.
///
/// # Errors
/// The runner could not be started.
pub async fn diagnose(
    setting: &Setting,
    diagnostic: &[u8],
    calls: &[(usize, u64)],
) -> Result<Vec<String>, RunnerError> {
    let calls = calls.to_vec();
    let message = setting.request(|bundle| Task::Diagnose {
        component: bundle.add(diagnostic),
        calls,
    })?;
    let mut reports = Vec::new();
    let watch = setting.watch(&message, None, 1, GATE_PATIENCE);
    watch
        .run(&mut |reply| {
            if let Reply::Diagnosis(found) = reply {
                reports = found;
            }
        })
        .await?;
    Ok(reports)
}

/// Reads the cases of a file against the types of a component of the problem's signature: by case,
/// what is wrong with it.
///
/// # Errors
/// The runner could not be started.
pub async fn read_cases(
    setting: &Setting,
    checked: &[u8],
) -> Result<Vec<Result<(), String>>, RunnerError> {
    let message = setting.request(|bundle| Task::ReadCases {
        component: bundle.add(checked),
    })?;
    let mut results = None;
    let watch = setting.watch(&message, None, 1, GATE_PATIENCE);
    watch
        .run(&mut |reply| {
            if let Reply::Cases(read) = reply {
                results = Some(read);
            }
        })
        .await?;
    results.ok_or_else(|| RunnerError::Silent("it did not read the cases".into()))
}

impl Setting {
    /// A runner of so many guests, each call of which may take so many times the wall limit.
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
