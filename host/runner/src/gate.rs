//! The gate, inside a runner: every case of one variant is called with fuel counted, every answer
//! is judged, and the fuel of a call is compared before and after other calls.

use super::announcement::Doing;
use super::call::Replies;
use super::check_budget::CheckBudget;
use super::checked_case::{CheckedCase, Rehearsal};
use super::guest_failure::Call;
use super::protocol::Guest;
use super::runner::Runner;
use super::stop::Halt;
use super::workload::{Judgement, Workload};
use bakeoff_domain::attempt::Attempt;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::hex;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, RunSeed, Secret, sample_seeds};
use bakeoff_sandbox::invoke::{self, Callee, Value};
use bakeoff_sandbox::{
    CallResult, GuestError, GuestState, Instance, Lowering, PeakMemory, PreparedComponent,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The least number of calls between the two calls of the same input whose fuel is compared.
const CALLS_BETWEEN_MIN: u32 = 10;
/// The greatest number of such calls, on the first and smallest case, while together they use less fuel than
/// [`FUEL_BETWEEN`]: errors that appear only after many calls should appear here.
const CALLS_BETWEEN_MAX: u32 = 100;
/// Units of fuel of the calls in between: about a quarter of a second.
const FUEL_BETWEEN: u64 = 250_000_000;

/// The number of other seeds that make an input, to see whether it depends on them: enough that a
/// workload which draws one of two inputs is told from one that draws nothing, mostly.
const OTHER_SEEDS: u32 = 7;
/// The most bytes of an argument that may be the same from every seed without a note in the report: a number or two
/// that say what is asked for, such as a `k`.
const CONSTANT_BYTES_MAX: usize = 16;
/// The case index from which those other seeds are derived: no case has it.
const CONSTANT: CaseIndex = u32::MAX as usize;

/// The step of every call of a gate, which is about one variant.
pub(super) const CALLING: Doing = Doing::Calling {
    variant: 0,
    calls: 1,
};

/// A reply of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GateReply {
    /// The result of one case.
    Checked(CheckedCase),
    /// The result of the rehearsal.
    Rehearsed(Rehearsal),
    /// The attempts of the variant. Only a failure may follow this reply.
    Attempted(Vec<Attempt>),
}

/// Loads a variant, opens a gate for it, and runs `act` in it, as [`in_gate`] does.
pub(super) fn in_gate_of<R: Serialize>(
    runner: &Runner<'_>,
    variant: Guest,
    secret: Secret,
    replies: &mut Replies<'_, R>,
    act: impl FnOnce(&mut Gate<'_, '_, R>) -> Result<(), Halt>,
) -> Result<(), (Halt, Vec<Call>)> {
    let prepared = runner.prepare(variant).map_err(|halt| (halt, Vec::new()))?;
    in_gate(runner, &prepared, secret, replies, act)
}

/// Opens a gate for one variant, and runs `act` in it. An error has the calls of the variant that reproduce it.
pub(super) fn in_gate<R: Serialize>(
    runner: &Runner<'_>,
    prepared: &PreparedComponent,
    secret: Secret,
    replies: &mut Replies<'_, R>,
    act: impl FnOnce(&mut Gate<'_, '_, R>) -> Result<(), Halt>,
) -> Result<(), (Halt, Vec<Call>)> {
    let unstarted = |error: GuestError| (Halt::GuestError(error), Vec::new());
    replies.announce(CALLING, 0);
    let ty = runner.called_types(prepared).map_err(unstarted)?;
    let workload = Workload::open(runner, Some(&ty)).map_err(unstarted)?;
    let limits = &runner.opened.request.limits;
    let budget = if workload.has_instances() {
        CheckBudget::of_set(limits)
    } else {
        CheckBudget::new(limits)
    };
    let mut gate = Gate {
        prepared,
        call: runner.path(),
        workload,
        secret,
        replies,
        budget,
        made: Vec::new(),
        first_input: None,
    };
    act(&mut gate).map_err(|halt| (halt, std::mem::take(&mut gate.made)))
}

/// A gate in progress for one variant.
pub(super) struct Gate<'a, 'f, R> {
    pub(super) prepared: &'a PreparedComponent,
    pub(super) call: &'a [String],
    pub(super) workload: Workload,
    /// The key of the inputs on which every case is checked.
    secret: Secret,
    pub(super) replies: &'a mut Replies<'f, R>,
    /// The budget of all calls together.
    pub(super) budget: CheckBudget,
    /// The calls on the current instance, in order, to reproduce a failure.
    pub(super) made: Vec<Call>,
    /// The first input of the case, with its call: an input that is made for that call again must be the same.
    pub(super) first_input: Option<(Call, Arc<[Value]>)>,
}

/// Results of the repeated calls of a case.
struct Repeats {
    /// Units of fuel of the same call after others on the same instance.
    fuel_later: u64,
    /// The number of calls.
    calls: u32,
}

/// An instance in use; `None` until the next call makes one.
pub(super) type Slot = Option<(Instance, Callee<GuestState>)>;

impl Gate<'_, '_, GateReply> {
    /// Checks every case, and returns the fuel of each.
    pub(super) fn run(&mut self) -> Result<Vec<u64>, Halt> {
        if self.workload.has_instances() {
            return self.run_set();
        }
        let mut fuel = Vec::with_capacity(self.workload.cases());
        let cases = self.workload.cases();
        for case in 0..cases {
            self.made.clear();
            self.budget.check(case, cases)?;
            let checked = self.case(case)?;
            fuel.push(checked.fuel);
            self.say_checked(checked)?;
        }
        Ok(fuel)
    }

    /// Tells the result of a case. What stands for the fuel of a program is its CPU time, which bounds its checks and is
    /// the same in no two runs: nothing may follow from it.
    pub(super) fn say_checked(&mut self, mut checked: CheckedCase) -> Result<(), Halt> {
        if self.prepared.is_program() {
            (checked.fuel, checked.fuel_later) = (0, 0);
        }
        self.say(GateReply::Checked(checked))
    }
}

impl<R: Serialize> Gate<'_, '_, R> {
    /// Returns true if a call that takes this much fuel can be repeated within the rest of the budget.
    pub(super) fn has_room_for(&self, fuel: u64) -> bool {
        self.budget.has_room_for(fuel, self.workload.fuel())
    }

    /// Returns true if the calls of a replica can be rehearsed, where one call on each checked case takes `round` units
    /// of fuel: each may come once more, and its repetition on a fresh instance.
    pub(super) fn can_rehearse(&self, round: u64) -> bool {
        if self.workload.has_instances() {
            // The checks leave half of what there is.
            self.budget.has_left(round.saturating_mul(2))
        } else {
            self.has_room_for(round.saturating_mul(2))
        }
    }

    /// Checks one case: the same input on one fresh instance, on another one, and there once more
    /// after other calls of the first case, the smallest, as far as the variant's checks may take so
    /// much. Fuel is exact: a difference between the first two is chance, and a difference between the
    /// last two is state.
    fn case(&mut self, case: CaseIndex) -> Result<CheckedCase, Halt> {
        let seed = self.seed_of(case, case, 0);
        let (fresh, peak) = self.first_call(case, seed)?;
        let repeats = self.repeats(case, seed, &fresh)?;
        let arguments = self.workload.arguments(case, seed)?;
        let same = self.constant_arguments(case, &arguments)?;
        let constant_input = same
            .as_ref()
            .is_some_and(|same| same.len() == arguments.len());
        let large = same.unwrap_or_default().into_iter().filter(|argument| {
            !constant_input && arguments[*argument].bytes() > CONSTANT_BYTES_MAX
        });
        Ok(CheckedCase {
            case,
            fuel: fresh.fuel,
            fuel_later: repeats.fuel_later,
            cpu_ns: fresh.time.time.cpu_ns,
            peak,
            answer: digest(fresh.value.as_ref()),
            shown: fresh
                .value
                .as_ref()
                .map_or_else(String::new, invoke::render),
            assessed: self
                .workload
                .assess(case, &arguments, fresh.value.as_ref())?,
            calls: 1 + repeats.calls,
            constant_input,
            constant_arguments: large.map(|argument| argument as u32).collect(),
        })
    }

    /// Makes the first call on a case, on an instance of its own, and judges the answer; with the peak of
    /// its memory.
    pub(super) fn first_call(
        &mut self,
        case: CaseIndex,
        seed: u64,
    ) -> Result<(CallResult, PeakMemory), Halt> {
        let mut alone = None;
        self.made.clear();
        let fresh = self.judged(&mut alone, case, seed)?;
        let peak = alone.map(|(instance, _)| instance.peak());
        Ok((fresh, peak.unwrap_or_default()))
    }

    /// Repeats the first call on a case, which must give the same answer again.
    fn repeats(&mut self, case: CaseIndex, seed: u64, fresh: &CallResult) -> Result<Repeats, Halt> {
        let none = Repeats {
            fuel_later: fresh.fuel,
            calls: 0,
        };
        if !self.has_room_for(fresh.fuel) {
            return Ok(none);
        }
        let mut kept = None;
        self.made.clear();
        let again = self.judged(&mut kept, case, seed)?;
        repeated(fresh, &again, self.prepared.is_program())?;
        let (mut calls, mut fuel, mut small) = (0, 0, 0);
        let fuel_between = self.budget.repeats(FUEL_BETWEEN);
        let goes_on = |calls, fuel| {
            calls < CALLS_BETWEEN_MIN
                || (case == 0 && calls < CALLS_BETWEEN_MAX && fuel < fuel_between)
        };
        while goes_on(calls, fuel) && self.has_room_for(small) {
            calls += 1;
            let seed = self.seed_of(0, case, calls);
            small = self.judged(&mut kept, 0, seed)?.fuel;
            fuel += small;
        }
        if !self.has_room_for(fresh.fuel.saturating_mul(2)) {
            return Ok(Repeats {
                calls: 1 + calls,
                ..none
            });
        }
        // Twice: what alternates from call to call would otherwise be caught by luck only.
        let later = self.judged(&mut kept, case, seed)?;
        let last = self.judged(&mut kept, case, seed)?;
        let answer = fresh.value.as_ref();
        if !same(answer, later.value.as_ref()) || !same(answer, last.value.as_ref()) {
            return Err(changed_answer().into());
        }
        Ok(Repeats {
            fuel_later: later.fuel,
            calls: 3 + calls,
        })
    }

    /// Returns the arguments, counted from 0, that the workload makes alike from every seed of the case.
    /// `None` for cases of a file, which have no seed.
    fn constant_arguments(
        &mut self,
        case: CaseIndex,
        arguments: &[Value],
    ) -> Result<Option<Vec<usize>>, Halt> {
        if !self.workload.draws_inputs() {
            return Ok(None);
        }
        let mut same: Vec<usize> = (0..arguments.len()).collect();
        for other in 0..OTHER_SEEDS {
            if same.is_empty() {
                break;
            }
            let seed = self.seed_of(case, CONSTANT, other);
            let drawn = self.workload.arguments(case, seed)?;
            same.retain(|argument| {
                let drawn = drawn.get(*argument);
                drawn.is_some_and(|drawn| drawn.same_as(&arguments[*argument]))
            });
        }
        Ok(Some(same))
    }

    /// Returns the seed of a call on `case` that is made while case `about` is checked.
    pub(super) fn seed_of(&self, case: CaseIndex, about: CaseIndex, call: u32) -> u64 {
        seed_of(&self.secret, case, about, call)
    }

    /// Makes one call on the instance in `slot`, which is filled if it is empty, and judges the
    /// answer.
    pub(super) fn judged(
        &mut self,
        slot: &mut Slot,
        case: CaseIndex,
        seed: u64,
    ) -> Result<CallResult, Halt> {
        self.replies.announce(Doing::Workload, case);
        let arguments = self.workload.arguments(case, seed)?;
        match &self.first_input {
            Some((call, first)) if *call == (case, seed) => {
                let mut pairs = first.iter().zip(&*arguments);
                if first.len() != arguments.len() || !pairs.all(|(a, b)| a.same_as(b)) {
                    return Err(Workload::changed_input().into());
                }
            }
            Some(((known, _), _)) if *known == case => {}
            _ => self.first_input = Some(((case, seed), Arc::clone(&arguments))),
        }
        self.judged_on(slot, (case, seed), &arguments)
    }

    /// Makes one call as [`judged`](Self::judged) does, on arguments that were made before.
    pub(super) fn judged_on(
        &mut self,
        slot: &mut Slot,
        (case, seed): Call,
        arguments: &Arc<[Value]>,
    ) -> Result<CallResult, Halt> {
        self.replies.announce(CALLING, case);
        self.made.push((case, seed));
        // Timed to its end, lowering as well: what all checks may take is bounded by it.
        let lowering = Lowering::Timed(u64::MAX);
        let answered = call(self.prepared, self.call, slot, arguments, lowering)?;
        self.budget.add(&answered);
        self.replies.announce(Doing::Workload, case);
        match self
            .workload
            .judge(case, arguments, answered.value.as_ref())?
        {
            Judgement::Accepted => Ok(answered),
            Judgement::Refused(why) => Err(GuestError::new(FailureClass::WrongAnswer, why).into()),
        }
    }

    /// Sends a reply to the parent.
    pub(super) fn say(&mut self, reply: R) -> Result<(), Halt> {
        self.replies.send(reply).map_err(Halt::Channel)
    }
}

/// Returns the seed of the input on which a case is checked; `check_seed` is that of all checks.
pub fn gate_seed(check_seed: RunSeed, case: CaseIndex) -> u64 {
    seed_of(&check_seed.check_secret(), case, case, 0)
}

/// Returns the calls on the inputs of all checks: one of each case, and some more of the first.
pub fn gate_calls(check_seed: RunSeed, cases: CaseIndex) -> Vec<Call> {
    let secret = check_seed.check_secret();
    let first = (0..cases).map(|case| (case, seed_of(&secret, case, case, 0)));
    let more = (1..=CALLS_BETWEEN_MIN).map(|call| (0, seed_of(&secret, 0, 0, call)));
    let more = more.filter(|_| cases > 0);
    first.chain(more).collect()
}

fn seed_of(secret: &Secret, case: CaseIndex, about: CaseIndex, call: u32) -> u64 {
    sample_seeds(secret, InputPurpose::Gate, about as u32, 0, case).of_call(call)
}

/// Calls the instance in `slot`, after filling it if it is empty. The slot is empty after an error.
/// `lowering` is that of [`Instance::call_lowering`].
pub(super) fn call(
    prepared: &PreparedComponent,
    path: &[String],
    slot: &mut Slot,
    arguments: &Arc<[Value]>,
    lowering: Lowering,
) -> Result<CallResult, GuestError> {
    let (mut instance, callee) = match slot.take() {
        Some(running) => running,
        None => {
            let mut instance = prepared.instantiate()?;
            let callee = instance.callee(path)?;
            (instance, callee)
        }
    };
    let answered = instance.call_lowering(&callee, arguments, lowering)?;
    *slot = Some((instance, callee));
    Ok(answered)
}

/// Returns true if two answers are the same.
pub(super) fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same_as(b),
        (None, None) => true,
        _ => false,
    }
}

/// Returns the failure of a variant that answered otherwise after other calls.
pub(super) fn changed_answer() -> GuestError {
    let message = "gave another answer to the same input after other calls";
    GuestError::new(FailureClass::Nondeterministic, message)
}

/// Compares the calls of the same input on two fresh instances. A program has no fuel that could be compared.
pub(super) fn repeated(
    first: &CallResult,
    second: &CallResult,
    is_program: bool,
) -> Result<(), GuestError> {
    if !same(first.value.as_ref(), second.value.as_ref()) {
        return Err(GuestError::new(
            FailureClass::Nondeterministic,
            "gave two answers to the same input on two fresh instances",
        ));
    }
    if first.fuel != second.fuel && !is_program {
        return Err(GuestError::new(
            FailureClass::Nondeterministic,
            format!(
                "used {} units of fuel and then {} for the same input on two fresh instances",
                first.fuel, second.fuel
            ),
        ));
    }
    Ok(())
}

/// Returns the digest by which answers of different variants are compared.
pub(super) fn digest(value: Option<&Value>) -> String {
    let mut hasher = Sha256::new();
    if let Some(value) = value {
        value.hash_into(&mut |bytes| hasher.update(bytes));
    }
    hex(&hasher.finalize()[..16])
}
