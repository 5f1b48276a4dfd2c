//! The parent's side of aggregators, which add sections to a report.

use super::evaluation::{Outcome, run, words};
use super::protocol::{Reply, Task};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::report::{AddedSection, check_sections};

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
    let message = config.request(|bundle| Task::Aggregate {
        aggregator: bundle.add(aggregator),
        report: bundle.add(report.as_bytes()),
    })?;
    let replies = match run(config, message, None, None).await? {
        Outcome::Evaluator(failed) => return Ok(Err(words("the aggregator", &failed))),
        Outcome::Variant(_) => return Ok(Err("its process died".to_owned())),
        Outcome::Replies(replies) => replies,
    };
    let sections = replies.into_iter().find_map(|reply| match reply {
        Reply::Aggregated(sections) => Some(Ok(sections)),
        Reply::NotAggregated(why) => Some(Err(why)),
        _ => None,
    });
    let sections = sections.unwrap_or_else(|| Err("it said nothing".to_owned()));
    // What a child says after a guest ran in it is checked once more.
    Ok(sections.and_then(|sections| {
        let checked = check_sections(&sections);
        checked.map_err(|why| format!("it gave {why}"))?;
        Ok(sections)
    }))
}
