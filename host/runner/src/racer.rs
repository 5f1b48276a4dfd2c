//! A component in a replica, with its instance: its calls, and the part of them that is timed.

use super::gate::{Slot, call};
use super::guest_failure::Call;
use super::instances::Instances;
use bakeoff_sandbox::invoke::Value;
use bakeoff_sandbox::{CallResult, CpuWallTime, GuestError, Lowering, PreparedComponent};
use std::sync::Arc;

/// A component in the replica, with its instance.
pub(super) struct Racer<'a> {
    pub(super) prepared: PreparedComponent,
    pub(super) path: &'a [String],
    pub(super) instances: Instances,
    pub(super) slot: Slot,
    /// The calls on the current instance, in order, to reproduce a failure.
    pub(super) made: Vec<Call>,
    /// True if a later call on an instance takes less work than the first, so that one is made to measure the
    /// difference.
    pub(super) calls_again: bool,
}

/// CPU times of the parts of calls, added up, in nanoseconds.
#[derive(Clone, Copy, Default)]
pub(super) struct CallParts {
    pub(super) total_ns: u64,
    pub(super) start_ns: u64,
    pub(super) session_ns: Option<[u64; 3]>,
}

impl CallParts {
    fn add(&mut self, other: &Self) {
        self.total_ns += other.total_ns;
        self.start_ns += other.start_ns;
        if let Some(more) = other.session_ns {
            let known = self.session_ns.get_or_insert_default();
            for (known, more) in known.iter_mut().zip(more) {
                *known += more;
            }
        }
    }
}

/// A call that was made.
pub(super) struct MadeCall {
    pub(super) time: CpuWallTime,
    pub(super) answer: Option<Value>,
    pub(super) parts: CallParts,
}

/// The calls of a sample.
pub(super) struct MadeSample {
    pub(super) answers: Vec<Option<Value>>,
    pub(super) parts: CallParts,
}

/// The input of a call.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) call: Call,
    pub(super) arguments: Arc<[Value]>,
    /// Entries into the allocator while the arguments are lowered.
    pub(super) lowering: Lowering,
}

impl Racer<'_> {
    /// Makes one call. On a fresh instance the start functions are timed too, since a prototype
    /// could move work into them.
    pub(super) fn call(&mut self, input: &Input) -> Result<MadeCall, GuestError> {
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
        let start_ns = time.cpu_ns;
        let answered = self.answer(&input.arguments, input.lowering)?;
        time.cpu_ns += answered.time.time.cpu_ns;
        time.wall_ns += answered.time.time.wall_ns;
        Ok(MadeCall {
            time,
            answer: answered.value,
            parts: CallParts {
                total_ns: time.cpu_ns,
                start_ns,
                session_ns: answered.time.parts_ns,
            },
        })
    }

    /// Makes a call on the instance of the last one, with its input, and returns its time; `None` if it fails. No call
    /// that counts is made on such an instance.
    pub(super) fn call_again(&mut self, input: &Input) -> Option<CpuWallTime> {
        let answered = self.answer(&input.arguments, input.lowering);
        answered.ok().map(|answered| answered.time.time)
    }

    /// Makes one call on the present instance. `lowering` is that of
    /// [`Instance::call_lowering`](bakeoff_sandbox::Instance::call_lowering).
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
    ) -> Result<(CpuWallTime, MadeSample), GuestError> {
        let mut total = CpuWallTime::default();
        let mut made = MadeSample {
            answers: Vec::with_capacity(inputs.len()),
            parts: CallParts::default(),
        };
        for input in inputs {
            let call = self.call(input)?;
            total.cpu_ns += call.time.cpu_ns;
            total.wall_ns += call.time.wall_ns;
            made.parts.add(&call.parts);
            made.answers.push(call.answer);
        }
        Ok((total, made))
    }
}
