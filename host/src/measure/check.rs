//! In the parent: one variant through the gate.

use super::protocol::{CheckedCase, Reply, Task};
use super::setting::Setting;
use super::watch::{Ended, Failed, GATE_PATIENCE, RunnerError, Watch, room_for};
use crate::artifact::PackedFolders;
use bakeoff_domain::attempt::{Attempt, EXAMPLE_CHARS_MAX};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Fuel of a call may differ by this share between a fresh instance and one that has been called
/// before, and the variant still counts as a function.
const STATE_SHARE: f64 = 0.05;

/// Units of fuel that a first call may take beyond that: an allocator setting itself up.
const FIRST_CALL_FUEL: u64 = 4_000;

/// How often a runner on a stalled machine is started anew.
const STALLS_MAX: u32 = 3;

/// What the gate found out about a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// By case, in order; up to the failing one.
    pub cases: Vec<CheckedCase>,
    /// Why it did not pass.
    pub failure: Option<Failure>,
    /// The calls that repeat the failure, in one instance: case and seed of each.
    pub calls: Vec<(usize, u64)>,
    /// What it tried and was refused, in all these calls.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
}

impl GateRecord {
    /// Whether what a call costs does not depend on the calls before it.
    pub fn is_pure(&self) -> bool {
        self.cases.iter().all(|case| {
            let apart = case.fuel.abs_diff(case.fuel_later);
            apart as f64 <= STATE_SHARE * case.fuel as f64 + FIRST_CALL_FUEL as f64
        })
    }

    /// Calls made.
    pub fn trials(&self) -> u64 {
        self.cases.iter().map(|case| u64::from(case.calls)).sum()
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
    let seed = setting.seed;
    let message = setting.request(|bundle| Task::Gate {
        component: bundle.add(checked),
        files: files.map(|files| bundle.add_files(files)),
        seed,
    })?;
    let mut watch = setting.watch(&message, core, 1, GATE_PATIENCE);
    watch.guests_bytes += room_for(files);
    for _ in 0..STALLS_MAX {
        let mut record = GateRecord::default();
        let ended = watch
            .run(&mut |reply| match reply {
                Reply::Checked(case) => record.cases.push(case),
                Reply::Attempted(attempts) => record.attempts = bounded(attempts),
                _ => {}
            })
            .await?;
        match ended {
            Ended::Done => return Ok(record),
            Ended::Failed(failed) => return failed_gate(record, failed),
            Ended::Stalled | Ended::OutOfBudget => {}
        }
    }
    Err(RunnerError::Silent(
        "the machine stalls: nothing ran for seconds, several times over".into(),
    ))
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

fn failed_gate(mut record: GateRecord, failed: Vec<Failed>) -> Result<GateRecord, RunnerError> {
    let Some(first) = failed.into_iter().next() else {
        return Ok(record);
    };
    if first.variant.is_none() || first.breach.class == FailureClass::WorkloadFailed {
        return Err(RunnerError::Workload(first.breach.message));
    }
    record.failure = Some(Failure {
        class: first.breach.class,
        message: first.breach.message,
        phase: Phase::Check,
        limit: first.breach.limit,
    });
    record.calls = first.calls;
    Ok(record)
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
            wall_limit: format!("wall = {}", shown(self.limits.wall)),
            guests_bytes: self.limits.memory_bytes.saturating_mul(stores),
            until: None,
        }
    }
}

fn shown(duration: Duration) -> String {
    match duration.as_millis() {
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        millis => format!("{millis} ms"),
    }
}
