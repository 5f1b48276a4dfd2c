//! Calls that are made again, and their panics: the parent's side.

use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_runner::{Call, CallTexts, DiagnoseCall, RepeatCall, RepeatedCall};
use bakeoff_source::PackedFolders;
use std::time::Duration;

/// A prototype whose calls are made again.
#[derive(Clone, Copy, Debug)]
pub struct RepeatInput<'a> {
    /// The prototype's code in the checked profile.
    pub checked: &'a [u8],
    /// True if the code is a diagnostic build, which reports its panics; false for a brought component.
    pub diagnostic: bool,
    /// The files that the prototype is granted, if any.
    pub files: Option<&'a PackedFolders>,
    /// Length of arguments and answers in the results: shortened or whole.
    pub texts: CallTexts,
}

/// Makes calls, each on a fresh instance, and judges the answers. There are fewer results than calls if calls break a
/// limit, one a large or many a small one: the last result is such a call. There are fewer, too, if the time `left`
/// ends first.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn repeat(
    config: &RunnerConfig,
    input: RepeatInput<'_>,
    calls: &[Call],
    core: Option<usize>,
    left: Option<Duration>,
) -> Result<Vec<RepeatedCall>, RunnerError> {
    let mut runner = config.runner_of_one(core, input.files, |bundle| RepeatCall {
        prototype: bundle.add_guest(input.checked, input.files),
        diagnostic: input.diagnostic,
        calls: calls.to_vec(),
        as_many_as_possible: left.is_some(),
        texts: input.texts,
    })?;
    runner.bounds.left = left;
    let mut repeated = Vec::new();
    let failed = runner
        .once(&mut |outcome| {
            if repeated.len() < calls.len() {
                repeated.push(outcome);
            }
        })
        .await?;
    repeated.extend(failed.map(RepeatedCall::failed));
    if repeated.is_empty() && left.is_none() {
        return Err(RunnerError::Silent("it told nothing of the call".into()));
    }
    Ok(repeated)
}

/// Repeats a failure on a diagnostic build. Returns the reports of a panic; nothing where the
/// failure leaves none, such as an endless loop or a wrong answer.
///
/// # Errors
/// The runner could not be started.
pub async fn diagnose(
    config: &RunnerConfig,
    diagnostic: &[u8],
    files: Option<&PackedFolders>,
    calls: &[Call],
) -> Result<Vec<String>, RunnerError> {
    let mut reports = Vec::new();
    let mut runner = config.runner_of_one(None, files, |bundle| DiagnoseCall {
        build: bundle.add_guest(diagnostic, files),
        calls: calls.to_vec(),
    })?;
    runner.run(&mut |found| reports = found).await?;
    Ok(reports)
}
