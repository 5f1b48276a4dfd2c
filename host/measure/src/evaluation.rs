//! The parent's side of evaluators: their descriptions, and their readings of one variant.

use super::bounds::{GATE_PATIENCE, room_for};
use super::check::{STALLS_MAX, first_failure};
use super::checked_case::AssessedAnswer;
use super::deaths;
use super::evaluator::EVALUATOR;
use super::gate::Call;
use super::protocol::{EvaluateTask, Reply, Task};
use super::runner_config::RunnerConfig;
use super::runner_end::{Ended, Failed, RunnerError};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::spec::EvaluatedCriterion;
use bakeoff_sandbox::{GivenReading, KnownEvidence};
use bakeoff_source::PackedFolders;

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
#[derive(Debug, Default)]
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

/// End of a runner with an evaluator.
pub(super) enum Outcome {
    Replies(Vec<Reply>),
    /// The failure of the evaluator.
    Evaluator(Failed),
    /// The failures of the variant, or of the workload.
    Variant(Vec<Failed>),
}

/// Asks an evaluator for its criteria; the inner `Err` is the reason why it gave none.
///
/// # Errors
/// The runner could not be started.
pub async fn describe(
    config: &RunnerConfig,
    evaluator: &[u8],
) -> Result<Result<Vec<EvaluatedCriterion>, String>, RunnerError> {
    let message = config.request(|bundle| Task::Describe {
        evaluator: bundle.add(evaluator),
    })?;
    Ok(match run(config, message, None, None).await? {
        Outcome::Evaluator(failed) => Err(words("the evaluator", &failed)),
        Outcome::Variant(_) => Err("its process died".to_owned()),
        Outcome::Replies(replies) => {
            let described = replies.into_iter().find_map(|reply| match reply {
                Reply::Described(criteria) => Some(criteria),
                _ => None,
            });
            described.ok_or_else(|| "it said nothing".to_owned())
        }
    })
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
    let message = config.request(|bundle| {
        Task::Evaluate(EvaluateTask {
            evaluator: bundle.add(input.evaluator),
            component: input.variant.map(|code| bundle.add(code)),
            files: input.files.map(|files| bundle.add_files(files)),
            secret: config.seed.assessment_secret(),
            evidence: input.evidence,
        })
    })?;
    let mut answer = EvaluatorAnswer::default();
    let replies = match run(config, message, core, input.files).await? {
        Outcome::Evaluator(failed) => {
            answer.missing = Some(words("the evaluator", &failed));
            return Ok(answer);
        }
        Outcome::Variant(failed) => {
            if let Some((failure, calls)) = first_failure(failed, config)? {
                (answer.failure, answer.calls) = (Some(failure), calls);
            }
            return Ok(answer);
        }
        Outcome::Replies(replies) => replies,
    };
    for reply in replies {
        match reply {
            Reply::Assessed(one) => answer.answers.push(one),
            Reply::AnswersCut(_) => answer.cut = true,
            Reply::Evaluated(readings) => {
                let room = READINGS_MAX - answer.readings.len().min(READINGS_MAX);
                answer.readings.extend(readings.into_iter().take(room));
            }
            Reply::NotEvaluated(why) => answer.missing = Some(format!("the evaluator says: {why}")),
            _ => {}
        }
    }
    Ok(answer)
}

/// Describes the failure of a guest, as the reason why there is nothing from it.
pub(super) fn words(guest: &str, failed: &Failed) -> String {
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

/// Runs a runner with an evaluator, an aggregator or a proposer.
pub(super) async fn run(
    config: &RunnerConfig,
    message: Vec<u8>,
    core: Option<usize>,
    files: Option<&PackedFolders>,
) -> Result<Outcome, RunnerError> {
    let mut runner = config.runner(message, core, 2, GATE_PATIENCE);
    runner.bounds.guests_bytes += room_for(files) + 2 * super::evaluator::ANSWERS_BYTES_MAX as u64;
    let mut died = None;
    for _ in 0..STALLS_MAX {
        let mut replies = Vec::new();
        match runner.run(&mut |reply| replies.push(reply)).await? {
            Ended::Done => return Ok(Outcome::Replies(replies)),
            Ended::Died(death) => {
                let is_evaluator = death.running() == Some(EVALUATOR);
                if let Some(mut failed) = deaths::of_single_variant(&mut died, death)? {
                    return Ok(match failed.pop() {
                        Some(failed) if is_evaluator => Outcome::Evaluator(failed),
                        failed => Outcome::Variant(failed.into_iter().collect()),
                    });
                }
            }
            Ended::Failed(mut failed) => {
                let of_evaluator = |one: &Failed| one.variant == Some(EVALUATOR);
                return Ok(match failed.iter().position(of_evaluator) {
                    Some(place) => Outcome::Evaluator(failed.swap_remove(place)),
                    None => Outcome::Variant(failed),
                });
            }
            Ended::Stalled | Ended::OutOfBudget(_) | Ended::Overran(_) => {}
        }
    }
    Err(RunnerError::Stalled)
}
