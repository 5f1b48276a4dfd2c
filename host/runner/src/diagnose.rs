//! Repetition of a failure in a diagnostic build, which reports its panics.

use super::call::{Replies, RunnerCall};
use super::guest_failure::Call;
use super::protocol::Guest;
use super::runner::Runner;
use super::stop::Halt;
use super::workload::Workload;
use bakeoff_sandbox::{GuestError, Imports};
use serde::{Deserialize, Serialize};

/// Repeats the calls of a failure in a variant's diagnostic build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiagnoseCall {
    /// The diagnostic build, in the checked profile.
    pub build: Guest,
    /// The calls to make in one instance, in order.
    pub calls: Vec<Call>,
}

impl RunnerCall for DiagnoseCall {
    /// The reports of the build before it trapped, if it made any.
    type Reply = Vec<String>;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let text = |error: GuestError| error.message;
        let prepared = runner
            .prepare_as(self.build, Imports::Diagnostic)
            .map_err(Halt::into_message)?;
        let mut instance = prepared.instantiate().map_err(text)?;
        let callee = instance.callee(runner.path()).map_err(text)?;
        let mut workload = Workload::open(runner, Some(callee.ty())).map_err(text)?;
        for (case, seed) in &self.calls {
            let arguments = workload.arguments(*case, *seed).map_err(text)?;
            if instance.call(&callee, &arguments).is_err() {
                break;
            }
        }
        replies.send(instance.reports().to_vec())
    }
}
