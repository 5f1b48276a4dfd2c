//! Calls that are made again, inside a runner.

use super::announcement::Doing;
use super::call::{Replies, RunnerCall};
use super::gate::{CALLING, digest};
use super::guest_failure::Call;
use super::protocol::Guest;
use super::repeated_call::{CallTexts, RepeatedCall};
use super::runner::Runner;
use super::stop::Halt;
use super::workload::{Judgement, Workload};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::invoke::{self, Value};
use bakeoff_sandbox::{GuestError, Imports};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Units of fuel that calls which break a limit may take together, each of them counted with the limit: with a small
/// limit other calls follow, with a large one the first is the last.
const STOPPED_FUEL_MAX: u64 = 2_000_000_000;

/// Makes calls of a prototype, each on a fresh instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatCall {
    /// The prototype, in the checked profile.
    pub prototype: Guest,
    /// True for a diagnostic build, which reports its panics.
    pub diagnostic: bool,
    /// The calls. Those that break a limit end the work early.
    pub calls: Vec<Call>,
    /// True if an input that is too much work for the workload ends the work as well, even as the first.
    pub as_many_as_possible: bool,
    /// Length of arguments and answers in the replies: shortened or whole.
    pub texts: CallTexts,
}

impl RunnerCall for RepeatCall {
    /// The outcome of one call. There is a reply for each.
    type Reply = RepeatedCall;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let mut made = None;
        repeat(self, runner, &mut replies, &mut made)
            .or_else(|halt| replies.halt(halt, made.into_iter().collect()))
    }
}

/// Makes the calls, and sends the outcome of each. `made` is the last one.
fn repeat(
    task: &RepeatCall,
    runner: &Runner<'_>,
    replies: &mut Replies<'_, RepeatedCall>,
    made: &mut Option<Call>,
) -> Result<(), Halt> {
    let imports = if task.diagnostic {
        Imports::Diagnostic
    } else {
        Imports::Wasi
    };
    let first = task.calls.first().map_or(0, |(case, _)| *case);
    // The start functions may hang too.
    replies.announce(CALLING, first);
    let prepared = runner.prepare_as(task.prototype, imports)?;
    let mut instance = prepared.instantiate()?;
    let callee = instance.callee(runner.path())?;
    replies.announce(Doing::Workload, first);
    let mut workload = Workload::open(runner, Some(callee.ty()))?;
    let mut stopped_fuel = 0_u64;
    for (number, (case, seed)) in task.calls.iter().copied().enumerate() {
        *made = Some((case, seed));
        replies.announce(Doing::Workload, case);
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
        replies.announce(CALLING, case);
        if number > 0 {
            instance = prepared.instantiate()?;
        }
        let callee = instance.callee(runner.path())?;
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
                replies.announce(Doing::Workload, case);
                let answer = answered.value.as_ref();
                repeated.error = judged(&mut workload, case, &arguments, answer)?;
            }
        }
        let limit = repeated
            .error
            .as_ref()
            .is_some_and(|error| error.limit.is_some());
        replies.send(repeated).map_err(Halt::Channel)?;
        if limit {
            stopped_fuel = stopped_fuel.saturating_add(runner.opened.request.limits.fuel);
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
