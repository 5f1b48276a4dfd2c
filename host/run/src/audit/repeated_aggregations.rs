//! The aggregations of a verification: each aggregator is built, and asked about the report again.

use super::verify::Verifier;
use crate::{RunError, aggregate, report_for_aggregators};
use serde_json::json;

impl Verifier<'_> {
    /// Asks every aggregator about the stored report.
    pub(super) async fn aggregate(&mut self) -> Result<(), RunError> {
        let report = &self.kept.report;
        let aggregators = &self.kept.evidence.record.experiment.aggregators;
        if aggregators.is_empty() {
            return Ok(());
        }
        let text = report_for_aggregators(report);
        let mut figures = Vec::new();
        for (aggregator, built) in aggregators.iter().zip(&self.context.aggregators) {
            let name = &aggregator.name;
            let here = aggregate(&self.context.config, name, built, &text).await?;
            let sections = report.sections.iter();
            let was: Vec<_> = sections.filter(|one| one.aggregator == *name).collect();
            let figure = format!("sections of aggregator {name}");
            figures.push((figure, json!(was), json!(here.sections)));
        }
        for (figure, was, here) in figures {
            self.exact("report", figure, was, here);
        }
        Ok(())
    }
}
