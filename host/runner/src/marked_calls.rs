//! Calls of a prototype whose code leaves marks, inside a runner.

use super::announcement::Doing;
use super::call::Replies;
use super::gate::CALLING;
use super::guest_failure::Call;
use super::protocol::Guest;
use super::runner::Runner;
use super::stop::Halt;
use super::workload::Workload;
use bakeoff_compile::MARKED_INSTANCES_MAX;
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{GuestError, Instance};
use serde::Serialize;
use std::sync::Arc;

/// A multiple of the fuel that a call may take: marks take some, and the code that leaves them may be less optimised.
const FUEL_FACTOR: u64 = 32;

/// Units of fuel that all calls may take together: those that follow are not made.
const ALL_FUEL_MAX: u64 = 40_000_000_000;

/// Bytes of memory that an instance has beside its marks and its own.
const MORE_BYTES: u64 = 64 << 10;

/// Calls of a prototype whose code leaves marks, each on a fresh instance.
pub(super) struct MarkedCalls<'a> {
    /// The prototype, in the checked profile.
    pub(super) prototype: Guest,
    /// The calls.
    pub(super) calls: &'a [Call],
    /// The beginning of the names of its exports that return marks.
    pub(super) export: &'static str,
    /// The most bytes of marks of an instance.
    pub(super) mark_bytes_max: u32,
}

/// The bytes of all marks of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks<'a> {
    /// The marks when an instance was made.
    pub(super) before: &'a [u8],
    /// The marks after its call.
    pub(super) after: &'a [u8],
}

impl MarkedCalls<'_> {
    /// Makes the calls. `reply` makes a reply of the marks of each, or none.
    ///
    /// # Errors
    /// The runner itself is at fault.
    pub(super) fn serve<R: Serialize>(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, R>,
        mut reply: impl FnMut(Marks<'_>) -> Option<R>,
    ) -> Result<(), String> {
        let mut made = None;
        self.make(runner, &mut replies, &mut made, &mut reply)
            .or_else(|halt| replies.halt(halt, made.into_iter().collect()))
    }

    /// Makes the calls. `made` is the last one.
    fn make<R: Serialize>(
        &self,
        runner: &Runner<'_>,
        replies: &mut Replies<'_, R>,
        made: &mut Option<Call>,
        reply: &mut impl FnMut(Marks<'_>) -> Option<R>,
    ) -> Result<(), Halt> {
        let mark_bytes =
            (u64::from(self.mark_bytes_max) + MORE_BYTES) * MARKED_INSTANCES_MAX as u64;
        let limits = runner.opened.request.limits;
        let limits = Limits {
            fuel: limits.fuel.saturating_mul(FUEL_FACTOR),
            memory_bytes: limits.memory_bytes.saturating_add(mark_bytes),
            output_bytes: limits.output_bytes.saturating_add(mark_bytes),
            ..limits
        };
        let first = self.calls.first().map_or(0, |(case, _)| *case);
        replies.announce(CALLING, first);
        let prepared = runner.prepare_with(self.prototype, limits)?;
        let ty = runner.called_types(&prepared)?;
        let mut workload = Workload::open(runner, Some(&ty))?;
        // Every instance is made in the same way, and one that was called for its marks might answer otherwise.
        let before = self.marks(&mut prepared.instantiate()?)?;
        let mut fuel = 0_u64;
        for (case, seed) in self.calls.iter().copied() {
            *made = Some((case, seed));
            replies.announce(Doing::Workload, case);
            let arguments = workload.arguments(case, seed)?;
            replies.announce(CALLING, case);
            let mut instance = prepared.instantiate()?;
            let callee = instance.callee(runner.path())?;
            fuel = fuel.saturating_add(instance.call(&callee, &arguments)?.fuel);
            let after = self.marks(&mut instance)?;
            if let Some(reply) = reply(Marks {
                before: &before,
                after: &after,
            }) {
                replies.send(reply).map_err(Halt::Channel)?;
            }
            if fuel > ALL_FUEL_MAX {
                break;
            }
        }
        Ok(())
    }

    /// Returns the marks of an instance.
    fn marks(&self, instance: &mut Instance) -> Result<Vec<u8>, GuestError> {
        let mut all = Vec::new();
        for number in 0..MARKED_INSTANCES_MAX {
            let name = [format!("{}{number}", self.export)];
            let Ok(callee) = instance.callee(&name) else {
                break;
            };
            let none: Arc<[Value]> = Arc::new([]);
            if let Some(Value::U8List(marks)) = instance.call(&callee, &none)?.value {
                all.extend(marks);
            }
        }
        Ok(all)
    }
}
