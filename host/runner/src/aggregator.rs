//! Aggregators: the report is handed over, and the sections are handed back.

use super::call::{Replies, RunnerCall};
use super::evaluator::{failed, with_instance};
use super::protocol::{Blob, GuestCode};
use super::runner::Runner;
use bakeoff_domain::report::{AddedSection, check_sections};
use bakeoff_sandbox::{Imports, Instance};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Asks an aggregator for its sections of a report. Sections that cannot be shown are not sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AggregateCall {
    /// The aggregator, in the checked profile.
    pub aggregator: GuestCode,
    /// The report, in JSON.
    pub report: Blob,
}

impl RunnerCall for AggregateCall {
    /// The sections, or the reason why there are none.
    type Reply = Result<Vec<AddedSection>, String>;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let report = runner.opened.blob(self.report)?;
        let report = std::str::from_utf8(report).map_err(|error| error.to_string())?;
        let imports = Imports::Diagnostic(Arc::default());
        let aggregate = |instance: &mut Instance| instance.aggregate(report);
        let aggregated = with_instance(runner, self.aggregator, imports, &replies, aggregate)?;
        match aggregated {
            Ok(Ok(sections)) => replies.send(match check_sections(&sections) {
                Ok(()) => Ok(sections),
                Err(why) => Err(format!("it gave {why}")),
            }),
            Ok(Err(why)) => replies.send(Err(format!("the aggregator says: {why}"))),
            Err(error) => replies.fail(failed(error)),
        }
    }
}
