//! The parent's side of aggregators, which add sections to a report.

use super::evaluator::{answered, plug_in};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::report::{AddedSection, check_sections};
use bakeoff_runner::AggregateCall;

/// The largest report that an aggregator is handed, in bytes: that of the largest sweep is smaller.
const REPORT_BYTES_MAX: usize = 64 << 20;

/// Asks an aggregator for its sections of a report in JSON. The inner `Err` is the reason why there
/// are none.
///
/// # Errors
/// The runner could not be started.
pub async fn aggregate(
    config: &RunnerConfig,
    aggregator: &[u8],
    report: &str,
) -> Result<Result<Vec<AddedSection>, String>, RunnerError> {
    if report.len() > REPORT_BYTES_MAX {
        let mib = REPORT_BYTES_MAX >> 20;
        return Ok(Err(format!("the report is larger than {mib} MiB")));
    }
    let mut runner = plug_in(config, None, |bundle| AggregateCall {
        aggregator: bundle.add_code(aggregator),
        report: bundle.add(report.as_bytes()),
    })?;
    let answer = answered("the aggregator", &mut runner, |sections, reply| {
        *sections = Some(reply);
    })
    .await?;
    let sections =
        answer.and_then(|said| said.unwrap_or_else(|| Err("it said nothing".to_owned())));
    // What a child says after a guest ran in it is checked once more.
    Ok(sections.and_then(|sections| {
        let checked = check_sections(&sections);
        checked.map_err(|why| format!("it gave {why}"))?;
        Ok(sections)
    }))
}
