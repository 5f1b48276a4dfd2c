//! The test of an oracle, inside a runner: right answers are changed a little, and judged.

use super::announcement::Doing;
use super::call::{Replies, RunnerCall};
use super::gate::{CALLING, digest};
use super::guest_failure::Call;
use super::protocol::Guest;
use super::runner::Runner;
use super::stop::Halt;
use super::workload::{Judgement, Workload};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::oracle::{ArgumentFacts, JudgedAs, JudgedChange, TestedAnswer};
use bakeoff_sandbox::GuestError;
use bakeoff_sandbox::invoke::{self, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wasmtime::component::Type;

/// Units of fuel, of prototype and oracle together, after which no other answer is judged: a few seconds.
const FUEL_MAX: u64 = 10_000_000_000;

/// Calls a prototype, and lets the oracle judge its answers as they are and changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OracleCall {
    /// The prototype, in the checked profile.
    pub prototype: Guest,
    /// The calls. Those that break a limit end the test early.
    pub calls: Vec<Call>,
}

impl RunnerCall for OracleCall {
    /// The oracle's judgements of one answer, and of the same answer changed. There is a reply for each call.
    type Reply = TestedAnswer;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        test(self, runner, &mut replies).or_else(|halt| replies.halt(halt, Vec::new()))
    }
}

type OracleReplies<'f> = Replies<'f, TestedAnswer>;

fn test(
    task: &OracleCall,
    runner: &Runner<'_>,
    replies: &mut OracleReplies<'_>,
) -> Result<(), Halt> {
    let first = task.calls.first().map_or(0, |(case, _)| *case);
    replies.announce(CALLING, first);
    let prepared = runner.prepare(task.prototype)?;
    let ty = runner.called_types(&prepared)?;
    let result = ty.result.clone();
    replies.announce(Doing::Workload, first);
    let mut test = OracleUnderTest {
        workload: Workload::open(runner, Some(&ty))?,
        ty: result,
        fuel: 0,
    };
    for (number, (case, seed)) in task.calls.iter().copied().enumerate() {
        if number > 0 && !test.has_fuel() {
            break;
        }
        replies.announce(Doing::Workload, case);
        let arguments = match test.workload.arguments(case, seed) {
            // An input that is too much work for the workload ends the test, and not the oracle.
            Err(error) if number > 0 && error.limit.is_some() => break,
            made => made?,
        };
        let mut tested = unanswered((case, seed), &arguments);
        replies.announce(CALLING, case);
        let mut instance = prepared.instantiate()?;
        let callee = instance.callee(runner.path())?;
        match instance.call(&callee, &arguments) {
            Err(error) => {
                tested.failure = Some(format!("{}: {}", error.class, error.message));
            }
            Ok(answered) => {
                test.fuel = test.fuel.saturating_add(answered.fuel);
                drop(instance);
                test.judge_all(&mut tested, &arguments, answered.value.as_ref(), replies)?;
            }
        }
        let is_failed = tested.failure.is_some();
        replies.send(tested).map_err(Halt::Channel)?;
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
        replies: &OracleReplies<'_>,
    ) -> Result<(), GuestError> {
        tested.answer = Some(answer.map_or_else(|| "nothing".to_owned(), invoke::render));
        tested.digest = Some(digest(answer));
        let case = tested.case;
        self.workload.restart();
        let first = self.judge(case, arguments, answer, replies)?;
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
                let judged = self.judge(case, arguments, Some(&value), replies)?;
                let (text, original) = match answer {
                    Some(answer) => invoke::render_both(&value, answer),
                    None => (invoke::render(&value), String::new()),
                };
                tested.changes.push(JudgedChange {
                    change,
                    answer: text,
                    original,
                    judged: judged.clone(),
                });
                if judged == JudgedAs::Accepted {
                    accepted.get_or_insert(value);
                }
            }
        }
        let again = self.judge(case, arguments, answer, replies)?;
        let others = tested.changes.len();
        if !first.is_like(&again) {
            tested.contradiction = Some(format!(
                "the answer is {} on a fresh instance, and {} after {others} other answers",
                first.name(),
                again.name()
            ));
        } else if let Some(value) = accepted {
            self.workload.restart();
            let fresh = self.judge(case, arguments, Some(&value), replies)?;
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
        replies: &OracleReplies<'_>,
    ) -> Result<JudgedAs, GuestError> {
        replies.announce(Doing::Workload, case);
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
