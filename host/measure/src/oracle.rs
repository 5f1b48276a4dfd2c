//! The parent's side of the test of an oracle.

use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::oracle::{JudgedAs, TestedAnswer};
use bakeoff_runner::{Call, OracleCall};
use bakeoff_sandbox::invoke::CHANGES_MAX;
use bakeoff_source::PackedFolders;

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
    checked: &[u8],
    files: Option<&PackedFolders>,
    calls: &[Call],
    core: Option<usize>,
) -> Result<Result<Vec<TestedAnswer>, String>, RunnerError> {
    let mut runner = config.runner_of_one(core, files, |bundle| OracleCall {
        prototype: bundle.add_guest(checked, files),
        calls: calls.to_vec(),
    })?;
    let mut tested: Vec<TestedAnswer> = Vec::new();
    let failed = runner
        .once(&mut |answer| {
            if calls.get(tested.len()) == Some(&(answer.case, answer.seed)) {
                tested.push(bounded(answer));
            }
        })
        .await?;
    Ok(match failed {
        Some(failed) if tested.is_empty() => Err(format!("{}: {}", failed.class, failed.message)),
        _ => Ok(tested),
    })
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
