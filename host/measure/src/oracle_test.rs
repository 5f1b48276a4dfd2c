//! The parent's side of the test of an oracle.

use super::bounds::{GATE_PATIENCE, room_for};
use super::check::RepeatInput;
use super::protocol::{RepeatTask, Reply, Task};
use super::runner_config::RunnerConfig;
use super::runner_end::{Ended, RunnerError};
use bakeoff_domain::oracle::{JudgedAs, TestedAnswer};
use bakeoff_sandbox::invoke::CHANGES_MAX;

/// The longest text of an oracle or prototype that is kept, in characters.
const TEXT_CHARS_MAX: usize = 1_000;

/// Calls a prototype on inputs, and has each answer judged as it is and changed. There are fewer results than
/// calls if the prototype or the workload passes a limit.
///
/// # Errors
/// The runner could not be started, or the workload itself failed. The inner error is why the prototype
/// could not be called.
pub async fn test_oracle(
    config: &RunnerConfig,
    input: RepeatInput<'_>,
    calls: &[(usize, u64)],
    core: Option<usize>,
) -> Result<Result<Vec<TestedAnswer>, String>, RunnerError> {
    let message = config.request(|bundle| {
        Task::TestOracle(RepeatTask {
            component: bundle.add(input.checked),
            files: input.files.map(|files| bundle.add_files(files)),
            diagnostic: input.diagnostic,
            calls: calls.to_vec(),
            as_many_as_possible: false,
            texts: input.texts,
        })
    })?;
    let mut runner = config.runner(message, core, 1, GATE_PATIENCE);
    runner.bounds.guests_bytes += room_for(input.files);
    let mut tested: Vec<TestedAnswer> = Vec::new();
    let ended = runner
        .run(&mut |reply| {
            if let Reply::OracleTested(answer) = reply
                && let Some((case, seed)) = calls.get(tested.len())
                && (answer.case, answer.seed) == (*case, *seed)
            {
                tested.push(bounded(*answer));
            }
        })
        .await?;
    let failed = match ended {
        Ended::Done => return Ok(Ok(tested)),
        Ended::Stalled | Ended::OutOfBudget(_) | Ended::Overran(_) => {
            return Err(RunnerError::Stalled);
        }
        Ended::Failed(failed) => match failed.into_iter().next() {
            Some(failed) if failed.variant.is_some() => failed.error,
            Some(failed) => return Err(RunnerError::Workload(failed.error.message)),
            None => return Err(RunnerError::Silent("it failed without an error".into())),
        },
        Ended::Died(death) if death.running().is_some() => death.error,
        Ended::Died(death) => return Err(RunnerError::Silent(death.error.message)),
    };
    match tested.is_empty() {
        true => Ok(Err(format!("{}: {}", failed.class, failed.message))),
        false => Ok(Ok(tested)),
    }
}

/// Returns an answer with its texts cut to the length that an honest runner sends.
fn bounded(mut answer: TestedAnswer) -> TestedAnswer {
    let cut = |text: &mut String| {
        if let Some((end, _)) = text.char_indices().nth(TEXT_CHARS_MAX) {
            text.truncate(end);
        }
    };
    let cut_judged = |judged: &mut JudgedAs| match judged {
        JudgedAs::Accepted => {}
        JudgedAs::Refused(why) | JudgedAs::Failed(why) => cut(why),
    };
    cut(&mut answer.shown);
    let texts = [
        &mut answer.answer,
        &mut answer.digest,
        &mut answer.failure,
        &mut answer.contradiction,
    ];
    texts.into_iter().flatten().for_each(cut);
    answer.judged.iter_mut().for_each(cut_judged);
    answer.changes.truncate(CHANGES_MAX);
    for change in &mut answer.changes {
        cut(&mut change.answer);
        cut_judged(&mut change.judged);
    }
    answer
}
