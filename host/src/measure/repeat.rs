//! One call, made again, inside a runner.

use super::announcement::Doing;
use super::gate::Halt;
use super::protocol::{Opened, RepeatTask, Reply};
use super::repeated_call::RepeatedCall;
use super::workload::{Judgement, Workload};
use crate::confine::Frames;
use crate::invoke;
use crate::sandbox::{GuestError, Imports, Sandbox};
use bakeoff_domain::failure::FailureClass;

/// Makes the call, inside a runner, and tells what came of it.
pub(super) fn run(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    frames: &mut Frames,
) -> Result<(), String> {
    match attempt(opened, sandbox, workload_sandbox, task, frames) {
        Ok(repeated) => Reply::RepeatedCall(repeated).send(frames),
        Err(Halt::Channel(error)) => Err(error),
        Err(Halt::GuestError(error)) => {
            let is_workload = error.class == FailureClass::WorkloadFailed;
            let failed = Reply::Failed {
                variant: (!is_workload).then_some(0),
                calls: vec![task.call],
                error,
            };
            failed.send(frames)
        }
    }
}

fn attempt(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    frames: &mut Frames,
) -> Result<RepeatedCall, Halt> {
    let (case, seed) = task.call;
    let announce = |doing: Doing| doing.announce(case, frames);
    let calling = Doing::Calling {
        variant: 0,
        calls: 1,
    };
    let bytes = opened.blob(task.component).map_err(Halt::Channel)?;
    let imports = match task.diagnostic {
        true => Imports::Diagnostic,
        false => opened.imports(task.files).map_err(Halt::Channel)?,
    };
    // The start functions may hang too.
    announce(calling);
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared = unsafe { sandbox.prepare(bytes, imports) }?;
    let mut instance = prepared.instantiate()?;
    let callee = instance.callee(&opened.request.call)?;
    announce(Doing::Workload);
    let mut workload = Workload::open(opened, workload_sandbox, Some(callee.ty()))?;
    let arguments = workload.arguments(case, seed)?;
    let shown: Vec<String> = arguments.iter().map(invoke::render).collect();
    let mut repeated = RepeatedCall {
        arguments: shown.join(", "),
        ..RepeatedCall::default()
    };
    announce(calling);
    match instance.call(&callee, &arguments) {
        Err(error) => {
            repeated.reports = instance.reports().to_vec();
            repeated.error = Some(error);
        }
        Ok(answered) => {
            repeated.answer = answered.value.as_ref().map(invoke::render);
            announce(Doing::Workload);
            let judgement = workload.judge(case, &arguments, answered.value.as_ref())?;
            if let Judgement::Refused(why) = judgement {
                repeated.error = Some(GuestError::new(FailureClass::WrongAnswer, why));
            }
        }
    }
    Ok(repeated)
}
