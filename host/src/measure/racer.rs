//! A component in a replica, with its instance: how its calls are made, and what of them is timed.

use super::gate::{Call, Slot, call};
use super::instances::Instances;
use crate::invoke::Value;
use crate::sandbox::{CallResult, CpuWallTime, GuestError, Lowering, PreparedComponent};
use std::sync::Arc;

/// A component in the replica, with its instance.
pub(super) struct Racer<'a> {
    pub(super) prepared: PreparedComponent,
    pub(super) path: &'a [String],
    pub(super) instances: Instances,
    pub(super) slot: Slot,
    /// The calls on the current instance, in order, to reproduce a failure.
    pub(super) made: Vec<Call>,
}

/// The input of a call.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) call: Call,
    pub(super) arguments: Arc<[Value]>,
    /// The calls of the allocator while they are lowered.
    pub(super) lowering: Lowering,
}

impl Racer<'_> {
    /// Makes one call. On a fresh instance the start functions are timed too, since a prototype
    /// could move work into them.
    pub(super) fn call(
        &mut self,
        input: &Input,
    ) -> Result<(CpuWallTime, Option<Value>), GuestError> {
        let mut time = CpuWallTime::default();
        if self.instances == Instances::Fresh {
            self.made.clear();
            // Its memory is reset here, outside what is timed, and the next instance gets it again.
            self.slot = None;
        }
        self.made.push(input.call);
        if self.instances == Instances::Fresh {
            // What start functions do is timed as the call is.
            let mut instance = match input.lowering {
                Lowering::ThenCheaply(_) => {
                    self.prepared.instantiate_timed(Lowering::ThenCheaply(0))?
                }
                _ => self.prepared.instantiate()?,
            };
            time = instance.started().time;
            let callee = instance.callee(self.path)?;
            self.slot = Some((instance, callee));
        }
        let answered = self.answer(&input.arguments, input.lowering)?;
        time.cpu_ns += answered.time.time.cpu_ns;
        time.wall_ns += answered.time.time.wall_ns;
        Ok((time, answered.value))
    }

    /// Makes one call on the present instance. `lowering` is that of
    /// [`Instance::call_lowering`](crate::sandbox::Instance::call_lowering).
    pub(super) fn answer(
        &mut self,
        arguments: &Arc<[Value]>,
        lowering: Lowering,
    ) -> Result<CallResult, GuestError> {
        call(
            &self.prepared,
            self.path,
            &mut self.slot,
            arguments,
            lowering,
        )
    }

    /// Makes the calls of a sample, and returns their time and answers.
    pub(super) fn sample(
        &mut self,
        inputs: &[Input],
    ) -> Result<(CpuWallTime, Vec<Option<Value>>), GuestError> {
        let mut total = CpuWallTime::default();
        let mut answers = Vec::with_capacity(inputs.len());
        for input in inputs {
            let (time, answer) = self.call(input)?;
            total.cpu_ns += time.cpu_ns;
            total.wall_ns += time.wall_ns;
            answers.push(answer);
        }
        Ok((total, answers))
    }
}
