//! Evaluators, inside a runner: the variant is called on many inputs, if its answers are wanted, and the evaluator is
//! handed the evidence.

use super::announcement::Doing;
use super::call::{Replies, RunnerCall};
use super::checked_case::AssessedAnswer;
use super::gate::{Gate, digest, in_gate_of};
use super::guest_failure::GuestFailure;
use super::protocol::{Guest, GuestCode};
use super::runner::Runner;
use super::stop::Halt;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_domain::plan::{InputPurpose, Secret, sample_seeds};
use bakeoff_domain::spec::{EvaluatedCriterion, Limits};
use bakeoff_sandbox::invoke::{self, Value};
use bakeoff_sandbox::{GivenReading, GuestError, Imports, Instance, KnownAnswer, KnownEvidence};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The number by which a runner announces the evaluator; the variant is 0.
pub const EVALUATOR: VariantIndex = 1;

/// The most rounds of inputs.
const ROUNDS_MAX: u32 = 256;
/// The most answers after one round.
const ANSWERS_MAX: usize = 4_096;
/// Units of fuel, of prototype and workload together, after which no other round begins.
const FUEL_MAX: u64 = 10_000_000_000;
/// The most bytes of text of all answers that an evaluator gets.
pub const ANSWERS_BYTES_MAX: usize = 64 << 20;
/// The most bytes of one value, as the host holds it, that is written as text.
const VALUE_BYTES_MAX: usize = 16 << 20;
/// The most bytes that an evaluator may return: thousands of readings.
const RETURNED_BYTES_MAX: u64 = 4 << 20;
/// The most readings in one frame.
const READINGS_PER_FRAME: usize = 1_024;
/// The block of the inputs' seeds.
const BLOCK: u32 = 1;

/// Returns the limits of an evaluator's call: those of a prototype's, except for what it returns.
fn limits_of(limits: Limits) -> Limits {
    Limits {
        output_bytes: RETURNED_BYTES_MAX,
        ..limits
    }
}

/// Calls `act` with an instance of an evaluator, an aggregator or a proposer.
pub(super) fn with_instance<T, R: Serialize>(
    runner: &Runner<'_>,
    evaluator: GuestCode,
    imports: Imports,
    replies: &Replies<'_, R>,
    act: impl FnOnce(&mut Instance) -> Result<T, GuestError>,
) -> Result<Result<T, GuestError>, String> {
    let bytes = runner.opened.code(evaluator)?;
    let calling = Doing::Calling {
        variant: EVALUATOR,
        calls: 1,
    };
    replies.announce(calling, 0);
    let limits = limits_of(runner.opened.request.limits);
    let sandbox = runner.checked.with_limits(limits);
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared = unsafe { sandbox.prepare(bytes, imports) };
    let instance = prepared.and_then(|prepared| prepared.instantiate());
    Ok(instance.and_then(|mut instance| {
        act(&mut instance).map_err(|error| with_report(error, instance.reports()))
    }))
}

/// Adds the message of an evaluator's panic to the error, if there was one.
fn with_report(error: GuestError, reports: &[String]) -> GuestError {
    match reports.last() {
        Some(report) if error.class == FailureClass::Trap => {
            GuestError::new(error.class, report.as_str())
        }
        _ => error,
    }
}

/// Makes the failure of the evaluator.
pub(super) fn failed(error: GuestError) -> GuestFailure {
    GuestFailure {
        variant: Some(EVALUATOR),
        calls: Vec::new(),
        error,
    }
}

/// Asks an evaluator for its criteria.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DescribeCall {
    /// The evaluator, in the checked profile.
    pub evaluator: GuestCode,
}

impl RunnerCall for DescribeCall {
    type Reply = Vec<EvaluatedCriterion>;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let described = with_instance(
            runner,
            self.evaluator,
            Imports::Evidence,
            &replies,
            Instance::describe,
        );
        match described? {
            Ok(criteria) => replies.send(criteria),
            Err(error) => replies.fail(failed(error)),
        }
    }
}

/// Asks an evaluator for its readings of one variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EvaluateCall {
    /// The evaluator, in the checked profile.
    pub evaluator: GuestCode,
    /// The variant, in the checked profile, if its answers are wanted.
    pub variant: Option<Guest>,
    /// The key of the inputs.
    pub secret: Secret,
    /// The evidence of the variant that needs no calls.
    pub evidence: KnownEvidence,
}

/// A reply about an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EvaluateReply {
    /// An answer that the evaluator gets, without numbers.
    Answer(AssessedAnswer),
    /// The number of answers that the evaluator gets, where the text of all is too large.
    AnswersCut(u32),
    /// Some of the readings.
    Readings(Vec<GivenReading>),
    /// The reason why there are no readings.
    Nothing(String),
}

impl RunnerCall for EvaluateCall {
    type Reply = EvaluateReply;

    /// Calls the variant on many inputs if its answers are wanted, and then the evaluator.
    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let mut evidence = self.evidence.clone();
        if let Some(variant) = self.variant {
            let answers = &mut evidence.answers;
            let collected = in_gate_of(runner, variant, self.secret, &mut replies, |gate| {
                *answers = gate.collect(&self.secret)?;
                Ok(())
            });
            if let Err((halt, calls)) = collected {
                return replies.halt(halt, calls);
            }
        }
        let evaluate = |instance: &mut Instance| instance.evaluate(evidence);
        match with_instance(
            runner,
            self.evaluator,
            Imports::Evidence,
            &replies,
            evaluate,
        )? {
            Ok(Ok(readings)) => readings
                .chunks(READINGS_PER_FRAME)
                .try_for_each(|some| replies.send(EvaluateReply::Readings(some.to_vec()))),
            Ok(Err(why)) => replies.send(EvaluateReply::Nothing(why)),
            Err(error) => replies.fail(failed(error)),
        }
    }
}

impl Gate<'_, '_, EvaluateReply> {
    /// Collects answers as text: to whole rounds of one input on each case, or to every fixed input. The
    /// answers are judged like all others.
    fn collect(&mut self, secret: &Secret) -> Result<Vec<KnownAnswer>, Halt> {
        let cases = self.workload.cases();
        let is_fixed = self.workload.has_instances() || !self.workload.draws_inputs();
        let rounds_max = if is_fixed { 1 } else { ROUNDS_MAX };
        let mut answers = Vec::new();
        let (mut rounds, mut fuel, mut bytes) = (0, 0_u64, 0_usize);
        while rounds < rounds_max
            && (rounds == 0
                || ((rounds as usize + 1) * cases <= ANSWERS_MAX
                    && fuel.saturating_add(self.workload.fuel()) < FUEL_MAX))
        {
            for case in 0..cases {
                let seed = if is_fixed {
                    self.seed_of(case, case, 0)
                } else {
                    sample_seeds(secret, InputPurpose::Gate, rounds, BLOCK, case).of_call(0)
                };
                let answer = self.collected(case, seed, &mut fuel)?;
                let room = ANSWERS_BYTES_MAX - bytes;
                let Some((answer, digest)) = answer.filter(|(answer, _)| answer.bytes() <= room)
                else {
                    // Of inputs that are drawn, whole rounds count.
                    let whole = if is_fixed {
                        answers.len()
                    } else {
                        rounds as usize * cases
                    };
                    answers.truncate(whole);
                    if is_fixed || rounds == 0 {
                        self.say(EvaluateReply::AnswersCut(whole as u32))?;
                    }
                    return self.told(answers);
                };
                bytes += answer.bytes();
                answers.push((answer, digest));
            }
            rounds += 1;
        }
        self.told(answers)
    }

    /// Tells the parent which answers the evaluator gets.
    fn told(&mut self, answers: Vec<(KnownAnswer, String)>) -> Result<Vec<KnownAnswer>, Halt> {
        let mut collected = Vec::with_capacity(answers.len());
        for (answer, digest) in answers {
            self.say(EvaluateReply::Answer(AssessedAnswer {
                case: answer.case as CaseIndex,
                answer: digest,
                numbers: Vec::new(),
            }))?;
            collected.push(answer);
        }
        Ok(collected)
    }

    /// Returns the answer to one input as text, with its digest; `None` if it is too large for that.
    fn collected(
        &mut self,
        case: CaseIndex,
        seed: u64,
        fuel: &mut u64,
    ) -> Result<Option<(KnownAnswer, String)>, Halt> {
        self.replies.announce(Doing::Workload, case);
        let arguments: Arc<[Value]> = self.workload.arguments(case, seed)?;
        self.made.clear();
        let answered = self.judged_on(&mut None, (case, seed), &arguments)?;
        *fuel = fuel.saturating_add(answered.fuel);
        let answer = answered.value.as_ref();
        let values = arguments.iter().chain(answer);
        if values.map(Value::bytes).sum::<usize>() > VALUE_BYTES_MAX {
            return Ok(None);
        }
        let texts: Option<Vec<String>> = arguments.iter().map(invoke::whole).collect();
        let shown = answer.map(invoke::whole);
        let known = |arguments: Vec<String>| KnownAnswer {
            case: case as u32,
            arguments,
            answer: shown.flatten(),
        };
        Ok(texts.map(|texts| (known(texts), digest(answer))))
    }
}
