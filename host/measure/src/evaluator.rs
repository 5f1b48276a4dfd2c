//! The parent's side of evaluators: their descriptions, and their readings of one variant.

use super::bounds::room_for;
use super::gate::first_failure;
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use super::runner_job::RunnerJob;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::spec::EvaluatedCriterion;
use bakeoff_runner::call::RunnerCall;
use bakeoff_runner::protocol::Bundle;
use bakeoff_runner::{
    ANSWERS_BYTES_MAX, AnyCall, AssessedAnswer, Call, DescribeCall, EVALUATOR, EvaluateCall,
    EvaluateReply, GuestFailure,
};
use bakeoff_sandbox::{GivenReading, KnownEvidence};
use bakeoff_source::PackedFolders;
use serde::Serialize;

/// The most readings that are taken from one evaluation.
const READINGS_MAX: usize = 1 << 16;

/// The longest message of a failed evaluator, in characters.
const WORDS_CHARS_MAX: usize = 400;

/// Input of one evaluation: an evaluator, and a variant with its evidence.
#[derive(Debug)]
pub struct EvaluationInput<'a> {
    /// The evaluator, in the checked profile.
    pub evaluator: &'a [u8],
    /// The variant in the checked profile, if its answers are wanted.
    pub variant: Option<&'a [u8]>,
    /// The files that the variant is granted, if any.
    pub files: Option<&'a PackedFolders>,
    /// The evidence of the variant that needs no calls.
    pub evidence: KnownEvidence,
}

/// Result of an evaluation. Nothing about the readings was checked.
#[derive(Debug, Default, Serialize)]
pub struct EvaluatorAnswer {
    /// The answers of the variant that the evaluator got, without numbers.
    pub answers: Vec<AssessedAnswer>,
    /// True if the evaluator got fewer answers than there are, since their text is too large.
    pub cut: bool,
    /// The readings.
    pub readings: Vec<GivenReading>,
    /// The reason why there are no readings, if there are none.
    pub missing: Option<String>,
    /// The failure of the variant on one of the inputs.
    pub failure: Option<Failure>,
    /// The calls that reproduce the failure.
    pub calls: Vec<Call>,
}

/// Asks an evaluator for its criteria; the inner `Err` is the reason why it gave none.
///
/// # Errors
/// The runner could not be started.
pub async fn describe(
    config: &RunnerConfig,
    evaluator: &[u8],
) -> Result<Result<Vec<EvaluatedCriterion>, String>, RunnerError> {
    let mut runner = plug_in(config, None, |bundle| DescribeCall {
        evaluator: bundle.add_code(evaluator),
    })?;
    let described = answered("the evaluator", &mut runner, |criteria, reply| {
        *criteria = Some(reply);
    })
    .await?;
    Ok(described.and_then(|criteria| criteria.ok_or_else(|| "it said nothing".to_owned())))
}

/// Asks an evaluator for its readings of a variant.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn evaluate(
    config: &RunnerConfig,
    input: EvaluationInput<'_>,
    core: Option<usize>,
) -> Result<EvaluatorAnswer, RunnerError> {
    let secret = config.seed.assessment_secret();
    let mut runner = plug_in(config, core, |bundle| EvaluateCall {
        evaluator: bundle.add_code(input.evaluator),
        variant: input
            .variant
            .map(|code| bundle.add_guest(code, input.files)),
        secret,
        evidence: input.evidence,
    })?;
    runner.bounds.guests_bytes += room_for(input.files);
    let (answer, failed) = runner
        .settle(|answer: &mut EvaluatorAnswer, reply| match reply {
            EvaluateReply::Answer(one) => answer.answers.push(one),
            EvaluateReply::AnswersCut(_) => answer.cut = true,
            EvaluateReply::Readings(readings) => {
                let room = READINGS_MAX - answer.readings.len().min(READINGS_MAX);
                answer.readings.extend(readings.into_iter().take(room));
            }
            EvaluateReply::Nothing(why) => {
                answer.missing = Some(format!("the evaluator says: {why}"));
            }
        })
        .await?;
    if failed.is_empty() {
        return Ok(answer);
    }
    let nothing = EvaluatorAnswer::default();
    if let Some(failed) = of_plug_in(&failed) {
        return Ok(EvaluatorAnswer {
            missing: Some(words("the evaluator", failed)),
            ..nothing
        });
    }
    let (failure, calls) = first_failure(failed, config)?.unzip();
    Ok(EvaluatorAnswer {
        failure,
        calls: calls.unwrap_or_default(),
        ..nothing
    })
}

/// Describes the failure of a guest, as the reason why there is nothing from it.
fn words(guest: &str, failed: &GuestFailure) -> String {
    let error = &failed.error;
    let line = error
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let line: String = line.chars().take(WORDS_CHARS_MAX).collect();
    let limit = error.limit.as_ref();
    let limit = limit.map_or_else(String::new, |limit| format!(" (limit: {limit})"));
    format!("{guest} failed: {}: {line}{limit}", error.class.name())
}

/// Returns the failure of the evaluator, aggregator or proposer.
fn of_plug_in(failed: &[GuestFailure]) -> Option<&GuestFailure> {
    failed.iter().find(|one| one.variant == Some(EVALUATOR))
}

/// Returns a runner for a call of an evaluator, an aggregator or a proposer.
pub(super) fn plug_in<'a, C: RunnerCall + Into<AnyCall>>(
    config: &'a RunnerConfig,
    core: Option<usize>,
    request: impl FnOnce(&mut Bundle) -> C,
) -> Result<RunnerJob<'a, C>, RunnerError> {
    let mut runner = config.runner(core, 2, request)?;
    runner.bounds.guests_bytes += 2 * ANSWERS_BYTES_MAX as u64;
    Ok(runner)
}

/// Runs a runner with an evaluator, an aggregator or a proposer alone. Returns what `hear` makes of its replies, or the
/// reason why there is nothing from it; `guest` is what it is called in that.
pub(super) async fn answered<C: RunnerCall, A: Default + Send>(
    guest: &str,
    runner: &mut RunnerJob<'_, C>,
    hear: impl FnMut(&mut A, C::Reply) + Send,
) -> Result<Result<A, String>, RunnerError> {
    let (answer, failed) = runner.settle(hear).await?;
    Ok(match (failed.is_empty(), of_plug_in(&failed)) {
        (true, _) => Ok(answer),
        (false, Some(failed)) => Err(words(guest, failed)),
        (false, None) => Err("its process died".to_owned()),
    })
}
