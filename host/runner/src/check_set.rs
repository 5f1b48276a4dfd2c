//! The gate of a set of instances, inside a runner: each is called a few times, since there may be
//! thousands, and the quality of every answer is assessed.

use super::checked_case::CheckedCase;
use super::gate::{Gate, GateReply, Slot, changed_answer, digest, repeated, same};
use super::stop::Halt;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::invoke;

/// The most checked cases whose answers are kept as text.
const SHOWN_MAX: usize = 64;

impl Gate<'_, '_, GateReply> {
    /// Checks the instances in their order, at least one, and as many as fit into half of the budget of all checks.
    /// Returns the fuel of each that was checked.
    pub(super) fn run_set(&mut self) -> Result<Vec<u64>, Halt> {
        let mut fuel = Vec::with_capacity(self.workload.cases());
        let mut kept = None;
        for case in 0..self.workload.cases() {
            if case > 0 && !self.has_room_for(0) {
                break;
            }
            let checked = self.instance(&mut kept, case)?;
            fuel.push(checked.fuel);
            self.say_checked(checked)?;
        }
        Ok(fuel)
    }

    /// Checks one instance: the same input on two fresh instances of the component, and on `kept`,
    /// which has been called with all before it, as far as the variant's checks may take so much. The
    /// input is made anew for the last call: a workload that makes another one under the same name does not
    /// go unnoticed where answers differ.
    fn instance(&mut self, kept: &mut Slot, case: CaseIndex) -> Result<CheckedCase, Halt> {
        let seed = self.seed_of(case, case, 0);
        let (fresh, peak) = self.first_call(case, seed)?;
        let (mut fuel_later, mut calls) = (fresh.fuel, 1);
        if self.has_room_for(fresh.fuel.saturating_mul(2)) {
            self.made.clear();
            let again = self.judged(&mut None, case, seed)?;
            repeated(&fresh, &again, self.prepared.is_program())?;
            self.made.clear();
            let later = self.judged(kept, case, seed)?;
            if !same(fresh.value.as_ref(), later.value.as_ref()) {
                return Err(changed_answer().into());
            }
            (fuel_later, calls) = (later.fuel, 3);
        }
        let arguments = self.workload.arguments(case, seed)?;
        let answer = fresh.value.as_ref();
        Ok(CheckedCase {
            // Fixed by name, and said to be.
            constant_input: false,
            constant_arguments: Vec::new(),
            case,
            fuel: fresh.fuel,
            fuel_later,
            cpu_ns: fresh.time.time.cpu_ns,
            peak,
            answer: digest(answer),
            shown: answer
                .filter(|_| case < SHOWN_MAX)
                .map_or_else(String::new, invoke::render),
            assessed: self.workload.assess(case, &arguments, answer)?,
            calls,
        })
    }
}
