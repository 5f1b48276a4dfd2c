//! A runner at work: its request, and the engines of its guests.

use super::protocol::{Guest, RequestMessage};
use super::stop::Halt;
use bakeoff_compile::engine::Profile;
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::CallTypes;
use bakeoff_sandbox::{GuestError, Imports, PreparedComponent, Sandbox};
use bakeoff_source::Folders;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The most bytes of one input, as the host holds it.
const INPUT_BYTES_MAX: u64 = 256 << 20;

/// The most units of fuel of one call of the workload, even if a prototype's call may have more: an oracle that never
/// ends on an answer runs out of it before its runner runs out of time.
const WORKLOAD_FUEL_MAX: u64 = 20_000_000_000;

/// A runner that serves a call.
pub struct Runner<'a> {
    /// The request, with the guests' code.
    pub(super) opened: RequestMessage<'a>,
    /// The engine of guests that are checked, with the limits of a prototype.
    pub(super) checked: Sandbox,
    /// The same engine with the limits of the workload.
    pub(super) workload: Sandbox,
}

impl<'a> Runner<'a> {
    /// Reads a request, and returns its call beside the runner.
    pub(super) fn open<C: DeserializeOwned>(message: &'a [u8]) -> Result<(Self, C), String> {
        let (opened, call) = RequestMessage::read(message)?;
        let limits = opened.request.limits;
        let checked =
            Sandbox::new(Profile::Checked, limits).map_err(|error| format!("{error:#}"))?;
        let runner = Self {
            workload: checked.with_limits(workload_limits(limits)),
            checked,
            opened,
        };
        Ok((runner, call))
    }

    /// Returns the path of the function that is called.
    pub(super) fn path(&self) -> &[String] {
        &self.opened.request.path
    }

    /// Returns the types of the function that is called, as a guest has it.
    pub(super) fn called_types(&self, guest: &PreparedComponent) -> Result<CallTypes, GuestError> {
        Ok(guest.instantiate()?.callee(self.path())?.ty().clone())
    }

    /// Loads a guest in the checked profile.
    pub(super) fn prepare(&self, guest: Guest) -> Result<PreparedComponent, Halt> {
        self.prepare_as(guest, Imports::Wasi)
    }

    /// Loads a guest in the checked profile, with what `imports` makes of the files that it is granted.
    pub(super) fn prepare_as(
        &self,
        guest: Guest,
        imports: impl FnOnce(Arc<Folders>) -> Imports,
    ) -> Result<PreparedComponent, Halt> {
        self.prepare_in(&self.checked, guest, imports)
    }

    /// Loads a guest in the checked profile, with other limits than those of a prototype.
    pub(super) fn prepare_with(
        &self,
        guest: Guest,
        limits: Limits,
    ) -> Result<PreparedComponent, Halt> {
        self.prepare_in(&self.checked.with_limits(limits), guest, Imports::Wasi)
    }

    fn prepare_in(
        &self,
        sandbox: &Sandbox,
        guest: Guest,
        imports: impl FnOnce(Arc<Folders>) -> Imports,
    ) -> Result<PreparedComponent, Halt> {
        let bytes = self.opened.code(guest.code).map_err(Halt::Channel)?;
        let granted = self.opened.granted(guest.files).map_err(Halt::Channel)?;
        let imports = imports(granted);
        // SAFETY: the parent authenticated the bytes it sent.
        Ok(unsafe { sandbox.prepare(bytes, imports) }?)
    }
}

/// Returns the limits of a workload's call: those of a prototype's, except that it returns inputs,
/// which are larger than answers, and that its fuel has a bound of its own.
fn workload_limits(limits: Limits) -> Limits {
    Limits {
        fuel: limits.fuel.min(WORKLOAD_FUEL_MAX),
        output_bytes: limits.output_bytes.max(INPUT_BYTES_MAX),
        ..limits
    }
}
