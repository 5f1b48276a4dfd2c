//! The test of an oracle, inside a runner: right answers are changed a little, and judged.

use super::announcement::Doing;
use super::gate::{CALLING, Halt, digest};
use super::protocol::{Opened, RepeatTask, Reply};
use super::workload::{Judgement, Workload};
use bakeoff_confine::Frames;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::oracle::{ArgumentFacts, JudgedAs, JudgedChange, TestedAnswer};
use bakeoff_sandbox::invoke::{self, Value};
use bakeoff_sandbox::{GuestError, Sandbox};
use std::sync::Arc;
use wasmtime::component::Type;

/// Units of fuel, of prototype and oracle together, after which no other answer is judged: a few seconds.
const FUEL_MAX: u64 = 10_000_000_000;

/// Calls a prototype, and has its answers judged, as they are and changed.
pub(super) fn run(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    frames: &mut Frames,
) -> Result<(), String> {
    match test(opened, sandbox, workload_sandbox, task, frames) {
        Ok(()) => Ok(()),
        Err(Halt::Channel(error)) => Err(error),
        Err(Halt::GuestError(error)) => {
            let is_workload = error.class == FailureClass::WorkloadFailed;
            let failed = Reply::Failed {
                variant: (!is_workload).then_some(0),
                calls: Vec::new(),
                error,
            };
            failed.send(frames)
        }
    }
}

fn test(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload_sandbox: &Sandbox,
    task: &RepeatTask,
    frames: &mut Frames,
) -> Result<(), Halt> {
    let bytes = opened.blob(task.component).map_err(Halt::Channel)?;
    let imports = opened.imports(task.files).map_err(Halt::Channel)?;
    let first = task.calls.first().map_or(0, |(case, _)| *case);
    CALLING.announce(first, frames);
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared = unsafe { sandbox.prepare(bytes, imports) }?;
    let ty = prepared
        .instantiate()?
        .callee(&opened.request.call)?
        .ty()
        .clone();
    let result = ty.result.clone();
    Doing::Workload.announce(first, frames);
    let mut test = OracleUnderTest {
        workload: Workload::open(opened, workload_sandbox, Some(&ty))?,
        ty: result,
        fuel: 0,
    };
    for (number, (case, seed)) in task.calls.iter().copied().enumerate() {
        if number > 0 && !test.has_fuel() {
            break;
        }
        Doing::Workload.announce(case, frames);
        let arguments = match test.workload.arguments(case, seed) {
            // An input that is too much work for the workload ends the test, and not the oracle.
            Err(error) if number > 0 && error.limit.is_some() => break,
            made => made?,
        };
        let mut tested = unanswered((case, seed), &arguments);
        CALLING.announce(case, frames);
        let mut instance = prepared.instantiate()?;
        let callee = instance.callee(&opened.request.call)?;
        match instance.call(&callee, &arguments) {
            Err(error) => {
                tested.failure = Some(format!("{}: {}", error.class, error.message));
            }
            Ok(answered) => {
                test.fuel = test.fuel.saturating_add(answered.fuel);
                drop(instance);
                test.judge_all(&mut tested, &arguments, answered.value.as_ref(), frames)?;
            }
        }
        let is_failed = tested.failure.is_some();
        let sent = Reply::OracleTested(Box::new(tested)).send(frames);
        sent.map_err(Halt::Channel)?;
        if is_failed {
            break;
        }
    }
    Ok(())
}

/// Returns the result of an input that has no answer yet.
fn unanswered((case, seed): (CaseIndex, u64), arguments: &[Value]) -> TestedAnswer {
    let facts = |argument: &Value| ArgumentFacts {
        digest: digest(Some(argument)),
        bytes: argument.bytes() as u64,
        form: invoke::form(argument),
    };
    let shown: Vec<String> = arguments.iter().map(invoke::render).collect();
    TestedAnswer {
        case,
        seed,
        arguments: arguments.iter().map(facts).collect(),
        shown: shown.join(", "),
        answer: None,
        digest: None,
        failure: None,
        judged: None,
        contradiction: None,
        changes: Vec::new(),
    }
}

/// A workload whose oracle is tested, with the type of answers and the fuel so far.
struct OracleUnderTest {
    workload: Workload,
    /// The type of answers; `None` if the function has no result.
    ty: Option<Type>,
    /// Units of fuel of all calls of the prototype.
    fuel: u64,
}

impl OracleUnderTest {
    /// Returns true if another answer may be judged. A call that exceeded a limit took more than all calls together
    /// may.
    fn has_fuel(&self) -> bool {
        self.workload.limits_passed() == 0
            && self.fuel.saturating_add(self.workload.fuel()) < FUEL_MAX
    }

    /// Has an answer judged on a fresh instance, then its changes on the same one, and then the answer once
    /// more; and one change that was accepted on a fresh one.
    fn judge_all(
        &mut self,
        tested: &mut TestedAnswer,
        arguments: &Arc<[Value]>,
        answer: Option<&Value>,
        frames: &Frames,
    ) -> Result<(), GuestError> {
        tested.answer = Some(answer.map_or_else(|| "nothing".to_owned(), invoke::render));
        tested.digest = Some(digest(answer));
        let case = tested.case;
        self.workload.restart();
        let first = self.judge(case, arguments, answer, frames)?;
        let mut accepted = None;
        if first == JudgedAs::Accepted && self.workload.has_oracle() {
            let changes = match (answer, &self.ty) {
                (Some(answer), Some(ty)) => invoke::changes(answer, ty),
                _ => Vec::new(),
            };
            for (change, value) in changes {
                if !self.has_fuel() {
                    break;
                }
                let judged = self.judge(case, arguments, Some(&value), frames)?;
                tested.changes.push(JudgedChange {
                    change,
                    answer: invoke::render(&value),
                    judged: judged.clone(),
                });
                if judged == JudgedAs::Accepted {
                    accepted.get_or_insert(value);
                }
            }
        }
        let again = self.judge(case, arguments, answer, frames)?;
        let others = tested.changes.len();
        if !first.is_like(&again) {
            tested.contradiction = Some(format!(
                "the answer is {} on a fresh instance, and {} after {others} other answers",
                first.name(),
                again.name()
            ));
        } else if let Some(value) = accepted {
            self.workload.restart();
            let fresh = self.judge(case, arguments, Some(&value), frames)?;
            if fresh != JudgedAs::Accepted {
                tested.contradiction = Some(format!(
                    "{} is accepted after other answers, and {} on a fresh instance",
                    invoke::render(&value),
                    fresh.name()
                ));
            }
        }
        tested.judged = Some(first);
        Ok(())
    }

    fn judge(
        &mut self,
        case: CaseIndex,
        arguments: &Arc<[Value]>,
        answer: Option<&Value>,
        frames: &Frames,
    ) -> Result<JudgedAs, GuestError> {
        Doing::Workload.announce(case, frames);
        match self.workload.judge(case, arguments, answer) {
            Ok(Judgement::Accepted) => Ok(JudgedAs::Accepted),
            Ok(Judgement::Refused(why)) => Ok(JudgedAs::Refused(why)),
            Err(error) if error.class == FailureClass::UnjudgedAnswer => {
                Ok(JudgedAs::Failed(error.message))
            }
            Err(error) => Err(error),
        }
    }
}
