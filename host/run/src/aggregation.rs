//! Aggregations: the sections that an aggregator adds to a report.

use super::error::RunError;
use bakeoff_compile::BuiltComponent;
use bakeoff_domain::report::{AddedSection, Report, with_natively};
use bakeoff_measure::RunnerConfig;
use serde::{Deserialize, Serialize};

/// Answer of an aggregator about one report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aggregation {
    /// The name of the aggregator.
    pub aggregator: String,
    /// The sections that it adds; if there are none, one section with the reason.
    pub sections: Vec<AddedSection>,
}

/// Returns a report as aggregators get it: report.json of the components, without the sections of aggregators.
pub fn report_for_aggregators(report: &Report) -> String {
    let bare = Report {
        sections: Vec::new(),
        ..of_components(report)
    };
    // Maps with string keys and plain values: serialising them does not fail.
    serde_json::to_string(&bare).unwrap_or_default()
}

/// Returns a report without what is known of the sources as programs of this machine.
pub(crate) fn of_components(report: &Report) -> Report {
    let report = report.clone();
    if report.natively.is_none() {
        return report;
    }
    with_natively(report, None)
}

/// Asks an aggregator for its sections of `report`, a text of [`report_for_aggregators`].
///
/// # Errors
/// The runner could not be started.
pub async fn aggregate(
    config: &RunnerConfig,
    name: &str,
    built: &BuiltComponent,
    report: &str,
) -> Result<Aggregation, RunError> {
    let said = bakeoff_measure::aggregate(config, &built.checked, report).await;
    let sections = match said.map_err(RunError::Runner)? {
        Ok(sections) => sections
            .into_iter()
            .map(|section| AddedSection {
                aggregator: name.to_owned(),
                ..section
            })
            .collect(),
        Err(why) => vec![AddedSection::missing(name, why)],
    };
    Ok(Aggregation {
        aggregator: name.to_owned(),
        sections,
    })
}
