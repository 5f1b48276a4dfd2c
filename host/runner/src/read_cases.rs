//! Reading of a file's cases against the types of the called function.

use super::call::{Replies, RunnerCall};
use super::protocol::{GuestCode, RunnerInputs};
use super::runner::Runner;
use super::wave_case::WrongCase;
use super::workload;
use bakeoff_sandbox::{GuestError, Imports};
use serde::{Deserialize, Serialize};

/// Parses the cases against a component's types.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadCasesCall {
    /// A component of the problem's signature, in the checked profile.
    pub component: GuestCode,
}

impl RunnerCall for ReadCasesCall {
    /// The result of parsing each case.
    type Reply = Vec<Result<(), WrongCase>>;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let RunnerInputs::Cases(cases) = &runner.opened.request.inputs else {
            return Err("no cases to read".to_owned());
        };
        let text = |error: GuestError| error.message;
        let bytes = runner.opened.code(self.component)?;
        // SAFETY: the parent authenticated the bytes it sent.
        let prepared = unsafe { runner.checked.prepare(bytes, Imports::None) };
        let mut instance = prepared
            .and_then(|prepared| prepared.instantiate())
            .map_err(text)?;
        let callee = instance.callee(runner.path()).map_err(text)?;
        let function = runner.path().last().map_or("", String::as_str);
        let read = cases
            .iter()
            .map(|case| workload::read_case(case, function, callee.ty()).map(drop));
        replies.send(read.collect())
    }
}
