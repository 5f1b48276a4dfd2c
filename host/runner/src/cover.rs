//! Calls of a prototype whose code leaves marks, inside a runner.

use super::announcement::Doing;
use super::call::{Replies, RunnerCall};
use super::failed::Call;
use super::gate::CALLING;
use super::protocol::Guest;
use super::runner::Runner;
use super::stop::Halt;
use super::workload::Workload;
use bakeoff_compile::{COVERAGE_EXPORT, COVERAGE_POINTS_MAX, COVERED_INSTANCES_MAX};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{GuestError, Instance};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A multiple of the fuel that a call may take: marks take some, and the code that leaves them is less optimised.
const FUEL_FACTOR: u64 = 32;

/// Units of fuel that all calls may take together: those that follow are not made.
const ALL_FUEL_MAX: u64 = 40_000_000_000;

/// Bytes of memory that the marks of an instance take.
const MARKS_BYTES: u64 = COVERAGE_POINTS_MAX as u64 + (64 << 10);

/// Makes calls of a prototype whose code leaves marks, each on a fresh instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverCall {
    /// The prototype, in the checked profile.
    pub prototype: Guest,
    /// The calls. One that fails leaves no marks and ends the work; and so do calls that take very long together.
    pub calls: Vec<Call>,
}

/// A reply to a [`CoverCall`]: calls were made that marked points which none before had marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// The points that were marked for the first time.
    pub points: Vec<u32>,
}

impl RunnerCall for CoverCall {
    type Reply = Covered;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let mut made = None;
        cover(self, runner, &mut replies, &mut made)
            .or_else(|halt| replies.halt(halt, made.into_iter().collect()))
    }
}

/// Makes the calls. `made` is the last one.
fn cover(
    task: &CoverCall,
    runner: &Runner<'_>,
    replies: &mut Replies<'_, Covered>,
    made: &mut Option<Call>,
) -> Result<(), Halt> {
    let limits = runner.opened.request.limits;
    let limits = Limits {
        fuel: limits.fuel.saturating_mul(FUEL_FACTOR),
        memory_bytes: limits
            .memory_bytes
            .saturating_add(MARKS_BYTES * COVERED_INSTANCES_MAX as u64),
        ..limits
    };
    let first = task.calls.first().map_or(0, |(case, _)| *case);
    replies.announce(CALLING, first);
    let prepared = runner.prepare_with(task.prototype, limits)?;
    let ty = runner.called_types(&prepared)?;
    let mut workload = Workload::open(runner, Some(&ty))?;
    let mut known = Vec::new();
    let mut fuel = 0_u64;
    for (case, seed) in task.calls.iter().copied() {
        *made = Some((case, seed));
        replies.announce(Doing::Workload, case);
        let arguments = workload.arguments(case, seed)?;
        replies.announce(CALLING, case);
        let mut instance = prepared.instantiate()?;
        let callee = instance.callee(runner.path())?;
        fuel = fuel.saturating_add(instance.call(&callee, &arguments)?.fuel);
        let marks = marks(&mut instance)?;
        known.resize(marks.len(), false);
        let mut points = Vec::new();
        for (point, is_marked) in marks.into_iter().enumerate() {
            if is_marked && !known[point] {
                known[point] = true;
                points.push(point as u32);
            }
        }
        if !points.is_empty() {
            let covered = Covered { points };
            replies.send(covered).map_err(Halt::Channel)?;
        }
        if fuel > ALL_FUEL_MAX {
            break;
        }
    }
    Ok(())
}

/// Returns the marks of an instance, by point.
fn marks(instance: &mut Instance) -> Result<Vec<bool>, GuestError> {
    let mut all = Vec::new();
    for number in 0..COVERED_INSTANCES_MAX {
        let name = [format!("{COVERAGE_EXPORT}{number}")];
        let Ok(callee) = instance.callee(&name) else {
            break;
        };
        let none: Arc<[Value]> = Arc::new([]);
        if let Some(Value::U8List(marks)) = instance.call(&callee, &none)?.value {
            all.extend(marks.into_iter().map(|mark| mark != 0));
        }
    }
    Ok(all)
}
