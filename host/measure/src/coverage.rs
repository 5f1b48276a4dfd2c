//! The parent's side of calls of a prototype whose code leaves marks.

use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::coverage::{Coverage, CoverageMap};
use bakeoff_runner::{Call, CoverCall};
use bakeoff_sandbox::GuestError;
use bakeoff_source::PackedFolders;

/// Makes calls of a prototype whose code leaves marks, and returns the code that they reached.
///
/// # Errors
/// The runner could not be started, or the workload itself failed. The inner error is that of a call: what it reached
/// is not known.
pub async fn cover(
    config: &RunnerConfig,
    (checked, map): (&[u8], &CoverageMap),
    files: Option<&PackedFolders>,
    calls: &[Call],
    core: Option<usize>,
) -> Result<Result<Coverage, GuestError>, RunnerError> {
    let mut runner = config.runner_of_one(core, files, |bundle| CoverCall {
        prototype: bundle.add_guest(checked, files),
        calls: calls.to_vec(),
    })?;
    let mut marks = vec![false; map.points as usize];
    let failed = runner
        .once(&mut |covered| {
            for point in covered.points {
                if let Some(mark) = marks.get_mut(point as usize) {
                    *mark = true;
                }
            }
        })
        .await?;
    Ok(failed.map_or_else(|| Ok(map.coverage(&marks)), Err))
}
