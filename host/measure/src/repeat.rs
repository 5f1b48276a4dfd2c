//! Calls that are made again, inside a runner.

use super::announcement::Doing;
use super::gate::{CALLING, Call, Halt, digest};
use super::protocol::{Opened, RepeatTask, Reply};
use super::repeated_call::{CallTexts, RepeatedCall};
use super::workload::{Judgement, Workload};
use bakeoff_confine::Frames;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::invoke::{self, Value};
use bakeoff_sandbox::{GuestError, Imports, Sandbox};
use std::sync::Arc;

/// Units of fuel that calls which break a limit may take together, each of them counted with the limit: with a small
/// limit other calls follow, with a large one the first is the last.
const STOPPED_FUEL_MAX: u64 = 2_000_000_000;

/// Makes the calls, inside a runner, and sends the outcome of each.
pub(super) fn run(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    frames: &mut Frames,
) -> Result<(), String> {
    let mut made = Vec::new();
    match attempt(opened, sandbox, workload_sandbox, task, frames, &mut made) {
        Ok(()) => Ok(()),
        Err(Halt::Channel(error)) => Err(error),
        Err(Halt::GuestError(error)) => {
            let is_workload = error.class == FailureClass::WorkloadFailed;
            let failed = Reply::Failed {
                variant: (!is_workload).then_some(0),
                calls: made.pop().into_iter().collect(),
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
    made: &mut Vec<Call>,
) -> Result<(), Halt> {
    let bytes = opened.blob(task.component).map_err(Halt::Channel)?;
    let imports = match task.diagnostic {
        true => Imports::Diagnostic(opened.granted(task.files).map_err(Halt::Channel)?),
        false => opened.imports(task.files).map_err(Halt::Channel)?,
    };
    let first = task.calls.first().map_or(0, |(case, _)| *case);
    // The start functions may hang too.
    CALLING.announce(first, frames);
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared = unsafe { sandbox.prepare(bytes, imports) }?;
    let mut instance = prepared.instantiate()?;
    let callee = instance.callee(&opened.request.call)?;
    Doing::Workload.announce(first, frames);
    let mut workload = Workload::open(opened, workload_sandbox, Some(callee.ty()))?;
    let mut stopped_fuel = 0_u64;
    for (number, (case, seed)) in task.calls.iter().copied().enumerate() {
        made.push((case, seed));
        Doing::Workload.announce(case, frames);
        let arguments = match workload.arguments(case, seed) {
            // An input that is too much work for the workload ends the calls as well.
            Err(error) if error.limit.is_some() && (number > 0 || task.as_many_as_possible) => {
                break;
            }
            made => made?,
        };
        let most = ARGUMENT_BYTES_MAX / arguments.len().max(1);
        let shown = arguments.iter().map(|value| text(value, task.texts, most));
        let shown: Vec<String> = shown.collect();
        let mut repeated = RepeatedCall {
            arguments: shown.join(", "),
            ..RepeatedCall::default()
        };
        CALLING.announce(case, frames);
        if number > 0 {
            instance = prepared.instantiate()?;
        }
        let callee = instance.callee(&opened.request.call)?;
        match instance.call(&callee, &arguments) {
            Err(error) => {
                repeated.reports = instance.reports().to_vec();
                repeated.error = Some(error);
            }
            Ok(answered) => {
                repeated.answer = answered
                    .value
                    .as_ref()
                    .map(|value| text(value, task.texts, ANSWER_BYTES_MAX));
                repeated.digest = Some(digest(answered.value.as_ref()));
                repeated.fuel = Some(answered.fuel);
                Doing::Workload.announce(case, frames);
                let answer = answered.value.as_ref();
                repeated.error = judged(&mut workload, case, &arguments, answer)?;
            }
        }
        let limit = repeated
            .error
            .as_ref()
            .is_some_and(|error| error.limit.is_some());
        let sent = Reply::RepeatedCall(repeated).send(frames);
        sent.map_err(Halt::Channel)?;
        if limit {
            stopped_fuel = stopped_fuel.saturating_add(opened.request.limits.fuel);
        }
        if stopped_fuel > STOPPED_FUEL_MAX {
            break;
        }
    }
    Ok(())
}

/// The most bytes of an argument and of an answer that are sent whole: both fit into a frame.
const ARGUMENT_BYTES_MAX: usize = 3 << 20;
const ANSWER_BYTES_MAX: usize = 768 << 10;

/// Returns a value as text.
fn text(value: &Value, texts: CallTexts, bytes_max: usize) -> String {
    let whole = match texts {
        CallTexts::Whole => invoke::whole(value).filter(|text| text.len() <= bytes_max),
        CallTexts::Shortened => None,
    };
    whole.unwrap_or_else(|| invoke::render(value))
}

/// Returns the error of an answer that the workload refuses, or fails on; `None` for a right one.
///
/// # Errors
/// The workload fails whatever the answer is.
fn judged(
    workload: &mut Workload,
    case: CaseIndex,
    arguments: &Arc<[Value]>,
    answer: Option<&Value>,
) -> Result<Option<GuestError>, GuestError> {
    let judged = match workload.judge(case, arguments, answer) {
        Ok(Judgement::Accepted) => workload.assess(case, arguments, answer).map(drop),
        Ok(Judgement::Refused(why)) => Err(GuestError::new(FailureClass::WrongAnswer, why)),
        Err(error) => Err(error),
    };
    match judged {
        Ok(()) => Ok(None),
        Err(error) if error.class == FailureClass::WorkloadFailed => Err(error),
        Err(error) => Ok(Some(error)),
    }
}
