//! The assessment, inside a runner: one variant is called on many inputs, each answer is judged, and
//! the workload says how good it is.
//!
//! The inputs come in rounds of one on each case, and follow from the key alone: every variant gets
//! the same ones in the same order, so that qualities can be compared input by input.

use super::announcement::Doing;
use super::call::{Replies, RunnerCall};
use super::checked_case::AssessedAnswer;
use super::gate::{Gate, digest, in_gate_of};
use super::protocol::Guest;
use super::runner::Runner;
use super::stop::Halt;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::{InputPurpose, Secret, sample_seeds};
use serde::{Deserialize, Serialize};

/// The most rounds.
pub const ROUNDS_MAX: u32 = 256;
/// The most inputs of an assessment that has made one round.
const INPUTS_MAX: usize = 4_096;
/// Units of fuel, of prototype and workload together, after which no other round begins: a few
/// seconds.
const FUEL_MAX: u64 = 10_000_000_000;
/// The block of the inputs' seeds.
const BLOCK: u32 = 1;

/// Calls one variant on many inputs, and lets the workload assess its answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AssessCall {
    /// The variant, in the checked profile.
    pub variant: Guest,
    /// The key of the inputs.
    pub secret: Secret,
}

impl RunnerCall for AssessCall {
    /// The numbers that the workload gives one answer. There is a reply for each.
    type Reply = AssessedAnswer;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        in_gate_of(runner, self.variant, self.secret, &mut replies, |gate| {
            gate.assess(&self.secret)
        })
        .or_else(|(halt, calls)| replies.halt(halt, calls))
    }
}

impl Gate<'_, '_, AssessedAnswer> {
    /// Assesses the answers to as many rounds of inputs as the limits allow, and to one at least.
    fn assess(&mut self, secret: &Secret) -> Result<(), Halt> {
        let cases = self.workload.cases();
        let (mut rounds, mut fuel) = (0, 0_u64);
        while rounds == 0
            || (rounds < ROUNDS_MAX
                && (rounds as usize + 1) * cases <= INPUTS_MAX
                && fuel.saturating_add(self.workload.fuel()) < FUEL_MAX)
        {
            for case in 0..cases {
                let seeds = sample_seeds(secret, InputPurpose::Gate, rounds, BLOCK, case);
                fuel = fuel.saturating_add(self.assess_answer(case, seeds.of_call(0))?);
            }
            rounds += 1;
        }
        Ok(())
    }

    /// Assesses the answer to one input, and returns the fuel of the variant's call.
    fn assess_answer(&mut self, case: CaseIndex, seed: u64) -> Result<u64, Halt> {
        self.replies.announce(Doing::Workload, case);
        let arguments = self.workload.arguments(case, seed)?;
        self.made.clear();
        let answered = self.judged_on(&mut None, (case, seed), &arguments)?;
        let answer = answered.value.as_ref();
        let numbers = self.workload.assess(case, &arguments, answer)?;
        self.say(AssessedAnswer {
            case,
            answer: digest(answer),
            numbers,
        })?;
        Ok(answered.fuel)
    }
}
