//! The call of a gate: every case of one variant is checked, and then the calls of a replica are rehearsed.

use super::call::{Replies, RunnerCall};
use super::checked_case::Rehearsal;
use super::gate::{Gate, GateReply, in_gate};
use super::protocol::Guest;
use super::rehearsal::Rehearse;
use super::runner::Runner;
use super::stop::Halt;
use bakeoff_domain::plan::Secret;
use serde::{Deserialize, Serialize};

/// Calls one variant on every case with fuel counted, and judges the answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GateCall {
    /// The variant, in the checked profile.
    pub variant: Guest,
    /// The key of the inputs on which every case is checked.
    pub cases: Secret,
    /// The key of the rehearsal's inputs, which must not be known beforehand. Nothing that is timed follows from it, nor
    /// from the other.
    pub rehearsal: Secret,
    /// Units of fuel that calls beyond one on each case may take, if that is less than usual.
    pub repeats_fuel: Option<u64>,
}

impl RunnerCall for GateCall {
    type Reply = GateReply;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let prepared = match runner.prepare(self.variant) {
            Ok(prepared) => prepared,
            Err(halt) => return replies.halt(halt, Vec::new()),
        };
        let passed = in_gate(runner, &prepared, self.cases, &mut replies, |gate| {
            gate.budget.bound_repeats(self.repeats_fuel);
            gate.check_and_rehearse(self.rehearsal)
        });
        replies.send(GateReply::Attempted(prepared.attempts()))?;
        passed.or_else(|(halt, calls)| replies.halt(halt, calls))
    }
}

impl Gate<'_, '_, GateReply> {
    /// Checks every case, then rehearses the calls of a whole replica, unless calls are so long that one more
    /// on each case, and its repetition, would take more than checks may.
    fn check_and_rehearse(&mut self, secret: Secret) -> Result<(), Halt> {
        let fuel = self.run()?;
        let round = fuel
            .iter()
            .fold(0_u64, |sum, fuel| sum.saturating_add(*fuel));
        let rehearsal = if self.can_rehearse(round) {
            Rehearse::new(self).run(&fuel, secret)?
        } else {
            Rehearsal::default()
        };
        self.say(GateReply::Rehearsed(rehearsal))
    }
}
