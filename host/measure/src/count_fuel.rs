//! The parent's side of calls of a prototype whose code counts its passes.

use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::function_fuel::{FuelByFunction, FuelMap};
use bakeoff_runner::{Call, CountFuelCall};
use bakeoff_sandbox::GuestError;
use bakeoff_source::PackedFolders;

/// Makes calls of a prototype whose code counts its passes, and returns their fuel by the functions of its source.
///
/// # Errors
/// The runner could not be started, or the workload itself failed. The inner error is that of a call: where the fuel
/// went is not known.
pub async fn count_fuel(
    config: &RunnerConfig,
    (checked, map): (&[u8], &FuelMap),
    files: Option<&PackedFolders>,
    calls: &[Call],
    core: Option<usize>,
) -> Result<Result<FuelByFunction, GuestError>, RunnerError> {
    let mut runner = config.runner_of_one(core, files, |bundle| CountFuelCall {
        prototype: bundle.add_guest(checked, files),
        calls: calls.to_vec(),
    })?;
    let mut counts = vec![0_u64; map.points as usize];
    let failed = runner
        .once(&mut |counted| {
            for (point, passes) in counted.passes {
                if let Some(count) = counts.get_mut(point as usize) {
                    *count = count.saturating_add(passes);
                }
            }
        })
        .await?;
    Ok(failed.map_or_else(|| Ok(map.by_function(&counts)), Err))
}
