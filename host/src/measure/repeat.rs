//! One call, made again: what the parent asks for, and what a runner does.

use super::bounds::{GATE_PATIENCE, room_for};
use super::gate::{Call, Halt};
use super::protocol::{Doing, Opened, RepeatTask, RepeatedCall, Reply, Task};
use super::runner_config::RunnerConfig;
use super::watch::{Ended, RunnerError};
use super::workload::{Judgement, Workload};
use crate::invoke;
use crate::sandbox::{GuestError, Imports, Sandbox};
use crate::source::PackedFolders;
use bakeoff_domain::failure::FailureClass;

/// The prototype of a call that is made again.
#[derive(Clone, Copy, Debug)]
pub struct RepeatInput<'a> {
    /// Its code in the checked profile.
    pub checked: &'a [u8],
    /// True if it is a diagnostic build, which reports its panics; false for a brought component.
    pub diagnostic: bool,
    /// The files that it is granted, if any.
    pub files: Option<&'a PackedFolders>,
}

/// Makes one call on a fresh instance, and judges the answer.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn repeat(
    config: &RunnerConfig,
    input: RepeatInput<'_>,
    call: Call,
) -> Result<RepeatedCall, RunnerError> {
    let message = config.request(|bundle| {
        Task::Repeat(RepeatTask {
            component: bundle.add(input.checked),
            files: input.files.map(|files| bundle.add_files(files)),
            diagnostic: input.diagnostic,
            call,
        })
    })?;
    let mut watch = config.watch(&message, None, 1, GATE_PATIENCE);
    watch.guests_bytes += room_for(input.files);
    let mut repeated = None;
    let ended = watch
        .run(&mut |reply| {
            if let Reply::RepeatedCall(outcome) = reply {
                repeated = Some(outcome);
            }
        })
        .await?;
    match (ended, repeated) {
        (Ended::Done, Some(repeated)) => Ok(repeated),
        (Ended::Done, None) => Err(RunnerError::Silent("it told nothing of the call".into())),
        (Ended::Failed(failed), _) => match failed.into_iter().next() {
            Some(failed) if failed.variant.is_some() => Ok(RepeatedCall::failed(failed.error)),
            Some(failed) => Err(RunnerError::Workload(failed.error.message)),
            None => Err(RunnerError::Silent("it failed without an error".into())),
        },
        (Ended::Stalled | Ended::OutOfBudget, _) => Err(RunnerError::Stalled),
    }
}

/// Makes the call, inside a runner, and tells what came of it.
pub(super) fn run(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    say: &mut dyn FnMut(&Reply) -> Result<(), String>,
) -> Result<(), String> {
    match attempt(opened, sandbox, workload_sandbox, task, say) {
        Ok(repeated) => say(&Reply::RepeatedCall(repeated)),
        Err(Halt::Channel(error)) => Err(error),
        Err(Halt::GuestError(error)) => {
            let is_workload = error.class == FailureClass::WorkloadFailed;
            say(&Reply::Failed {
                variant: (!is_workload).then_some(0),
                calls: vec![task.call],
                error,
            })
        }
    }
}

fn attempt(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    say: &mut dyn FnMut(&Reply) -> Result<(), String>,
) -> Result<RepeatedCall, Halt> {
    let (case, seed) = task.call;
    let mut doing = |doing| say(&Reply::About { case, doing }).map_err(Halt::Channel);
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
    doing(calling)?;
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared = unsafe { sandbox.prepare(bytes, imports) }?;
    let mut instance = prepared.instantiate()?;
    let callee = instance.callee(&opened.request.call)?;
    doing(Doing::Workload)?;
    let mut workload = Workload::open(opened, workload_sandbox, Some(callee.ty()))?;
    let arguments = workload.arguments(case, seed)?;
    let shown: Vec<String> = arguments.iter().map(invoke::render).collect();
    let mut repeated = RepeatedCall {
        arguments: shown.join(", "),
        ..RepeatedCall::default()
    };
    doing(calling)?;
    match instance.call(&callee, &arguments) {
        Err(error) => {
            repeated.reports = instance.reports().to_vec();
            repeated.error = Some(error);
        }
        Ok(answered) => {
            repeated.answer = answered.value.as_ref().map(invoke::render);
            doing(Doing::Workload)?;
            let judgement = workload.judge(case, &arguments, answered.value.as_ref())?;
            if let Judgement::Refused(why) = judgement {
                repeated.error = Some(GuestError::new(FailureClass::WrongAnswer, why));
            }
        }
    }
    Ok(repeated)
}
