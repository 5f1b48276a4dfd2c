//! Inside a runner: the gate. Every case of one variant with fuel counted, every answer judged,
//! and the question whether what a call costs depends on the calls before it.

use super::feed::{Feed, Judgement};
use super::protocol::{CheckedCase, Doing, GateSeeds, Opened, Reply};
use super::rehearsal::Rehearse;
use crate::invoke::{self, Callee, Value};
use crate::sandbox::{Answered, Breach, Guest, Imports, Instance, Prepared, Sandbox};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::hex;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{Purpose, sample_seeds};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Calls between the two of the same input whose fuel is compared: at least so many …
const CALLS_BETWEEN_MIN: u32 = 10;
/// … and on the first case, the smallest, up to so many, while they use less fuel together than
/// [`FUEL_BETWEEN`]: what goes wrong only after many calls should go wrong here.
const CALLS_BETWEEN_MAX: u32 = 100;
/// Units of fuel, about a quarter of a second.
const FUEL_BETWEEN: u64 = 250_000_000;

/// Why a gate ended early.
pub(super) enum Halt {
    /// The parent is gone.
    Channel(String),
    /// A call failed.
    Breach(Breach),
}

impl From<Breach> for Halt {
    fn from(breach: Breach) -> Self {
        Self::Breach(breach)
    }
}

/// The gate of one variant.
pub(super) struct Gate<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) call: &'a [String],
    pub(super) feed: &'a mut Feed,
    pub(super) seeds: GateSeeds,
    pub(super) say: &'a mut dyn FnMut(&Reply) -> Result<(), String>,
    /// The calls on the instance at hand, in order: what repeats a failure.
    pub(super) made: Vec<Call>,
}

/// A call by the place of its input.
pub(super) type Call = (CaseIndex, u64);

/// An instance in use.
pub(super) type Slot = Option<(Instance, Callee<Guest>)>;

impl Gate<'_> {
    /// Runs every case, then rehearses a replica, and says so.
    pub(super) fn run(&mut self) -> Result<(), Halt> {
        let mut fuel = Vec::with_capacity(self.feed.cases());
        for case in 0..self.feed.cases() {
            let checked = self.case(case)?;
            fuel.push(checked.fuel);
            self.say(&Reply::Checked(checked))?;
        }
        let seed = self.seeds.rehearsal;
        let rehearsal = Rehearse::new(self).run(&fuel, seed)?;
        self.say(&Reply::Rehearsed(rehearsal))
    }

    /// The same input first on one fresh instance, then on another one, and there once more after
    /// other calls. Fuel is exact: what differs between the first two is chance, and what differs
    /// between the last two is state. The other calls are of the first case, the smallest.
    fn case(&mut self, case: CaseIndex) -> Result<CheckedCase, Halt> {
        let seed = self.seed_of(case, case, 0);
        let mut alone = None;
        self.made.clear();
        let fresh = self.judged(&mut alone, case, seed)?;
        let peak = alone
            .map(|(instance, _)| instance.peak())
            .unwrap_or_default();

        let mut kept = None;
        self.made.clear();
        let again = self.judged(&mut kept, case, seed)?;
        repeated(&fresh, &again)?;
        let (mut calls, mut fuel) = (0, 0);
        let goes_on = |calls, fuel| {
            calls < CALLS_BETWEEN_MIN
                || (case == 0 && calls < CALLS_BETWEEN_MAX && fuel < FUEL_BETWEEN)
        };
        while goes_on(calls, fuel) {
            calls += 1;
            let seed = self.seed_of(0, case, calls);
            fuel += self.judged(&mut kept, 0, seed)?.fuel;
        }
        // Twice: what alternates from call to call would otherwise be caught by luck only.
        let later = self.judged(&mut kept, case, seed)?;
        let last = self.judged(&mut kept, case, seed)?;
        let answer = fresh.value.as_ref();
        if !same(answer, later.value.as_ref()) || !same(answer, last.value.as_ref()) {
            let message = "gave another answer to the same input after other calls";
            return Err(Breach::new(FailureClass::Nondeterministic, message).into());
        }
        let arguments = self.feed.arguments(case, seed)?;
        Ok(CheckedCase {
            case,
            fuel: fresh.fuel,
            fuel_later: later.fuel,
            peak,
            answer: digest(fresh.value.as_ref()),
            shown: fresh
                .value
                .as_ref()
                .map_or_else(String::new, invoke::render),
            assessed: self.feed.assess(&arguments, fresh.value.as_ref())?,
            calls: 4 + calls,
        })
    }

    /// The seed of a call on `case` that is made for the question about case `about`.
    fn seed_of(&self, case: CaseIndex, about: CaseIndex, call: u32) -> u64 {
        sample_seeds(self.seeds.cases, Purpose::Gate, about as u32, 0, case).of_call(call)
    }

    /// One call, judged, on the instance in `slot`, which is filled if it is empty.
    pub(super) fn judged(
        &mut self,
        slot: &mut Slot,
        case: CaseIndex,
        seed: u64,
    ) -> Result<Answered, Halt> {
        self.say(&Reply::About {
            case,
            doing: Doing::Workload,
        })?;
        let arguments = self.feed.arguments(case, seed)?;
        self.say(&Reply::About {
            case,
            doing: Doing::Calling {
                variant: 0,
                calls: 1,
            },
        })?;
        self.made.push((case, seed));
        let answered = call(self.prepared, self.call, slot, &arguments)?;
        self.say(&Reply::About {
            case,
            doing: Doing::Workload,
        })?;
        match self.feed.judge(case, &arguments, answered.value.as_ref())? {
            Judgement::Accepted => Ok(answered),
            Judgement::Refused(why) => Err(Breach::new(FailureClass::WrongAnswer, why).into()),
        }
    }

    fn say(&mut self, reply: &Reply) -> Result<(), Halt> {
        (self.say)(reply).map_err(Halt::Channel)
    }
}

/// Calls the instance in `slot`, after filling it if it is empty. The slot is empty after a breach.
pub(super) fn call(
    prepared: &Prepared,
    path: &[String],
    slot: &mut Slot,
    arguments: &Arc<[Value]>,
) -> Result<Answered, Breach> {
    let (mut instance, callee) = match slot.take() {
        Some(running) => running,
        None => {
            let mut instance = prepared.instantiate()?;
            let callee = instance.callee(path)?;
            (instance, callee)
        }
    };
    let answered = instance.call(&callee, arguments)?;
    *slot = Some((instance, callee));
    Ok(answered)
}

/// Whether two answers are the same.
pub(super) fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same_as(b),
        (None, None) => true,
        _ => false,
    }
}

fn repeated(first: &Answered, second: &Answered) -> Result<(), Breach> {
    if !same(first.value.as_ref(), second.value.as_ref()) {
        return Err(Breach::new(
            FailureClass::Nondeterministic,
            "gave two answers to the same input on two fresh instances",
        ));
    }
    if first.fuel != second.fuel {
        return Err(Breach::new(
            FailureClass::Nondeterministic,
            format!(
                "used {} units of fuel and then {} for the same input on two fresh instances",
                first.fuel, second.fuel
            ),
        ));
    }
    Ok(())
}

/// A digest by which answers of different variants are compared.
fn digest(value: Option<&Value>) -> String {
    let mut hasher = Sha256::new();
    if let Some(value) = value {
        value.feed(&mut |bytes| hasher.update(bytes));
    }
    hex(&hasher.finalize()[..16])
}

/// Repeats the calls of a failure on a diagnostic build and hands back what it reported.
pub(super) fn diagnose(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    workload: &Sandbox,
    component: super::protocol::Blob,
    calls: &[Call],
) -> Result<Vec<String>, String> {
    let text = |breach: Breach| breach.message;
    let bytes = opened.blob(component)?;
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared = unsafe { sandbox.prepare(bytes, Imports::Diagnostic) }.map_err(text)?;
    let mut instance = prepared.instantiate().map_err(text)?;
    let callee = instance.callee(&opened.request.call).map_err(text)?;
    let mut feed = Feed::open(opened, workload, Some(callee.ty())).map_err(text)?;
    for (case, seed) in calls {
        let arguments = feed.arguments(*case, *seed).map_err(text)?;
        if instance.call(&callee, &arguments).is_err() {
            break;
        }
    }
    Ok(instance.reports().to_vec())
}
