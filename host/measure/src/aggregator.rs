//! Aggregators, inside a runner: the report is handed over, and the sections are handed back.

use super::evaluator::{failed, with_instance};
use super::protocol::{Blob, Opened, Reply};
use bakeoff_confine::Frames;
use bakeoff_domain::report::check_sections;
use bakeoff_sandbox::{Imports, Instance, Sandbox};
use std::sync::Arc;

/// Asks an aggregator for its sections of a report. Sections that cannot be shown are not sent.
pub(super) fn aggregate(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    aggregator: Blob,
    report: Blob,
    frames: &mut Frames,
) -> Result<(), String> {
    let report = std::str::from_utf8(opened.blob(report)?).map_err(|error| error.to_string())?;
    let imports = Imports::Diagnostic(Arc::default());
    let aggregate = |instance: &mut Instance| instance.aggregate(report);
    match with_instance(opened, sandbox, aggregator, imports, frames, aggregate)? {
        Ok(Ok(sections)) => match check_sections(&sections) {
            Ok(()) => Reply::Aggregated(sections),
            Err(why) => Reply::NotAggregated(format!("it gave {why}")),
        },
        Ok(Err(why)) => Reply::NotAggregated(format!("the aggregator says: {why}")),
        Err(error) => failed(error),
    }
    .send(frames)
}
