//! The aggregations of a run: once there is a report, its aggregators are asked.

use super::aggregation::{Aggregation, aggregate, report_for_aggregators};
use super::error::RunError;
use super::evidence::Record;
use super::session::Run;
use bakeoff_domain::report::{AddedSection, Report};
use bakeoff_source::digest_of_parts;
use bakeoff_store::Owner;

/// Returns the sections of the stored aggregations, in the order of declaration.
pub(super) fn sections(record: &Record) -> Vec<AddedSection> {
    let mut all = Vec::new();
    for aggregator in &record.experiment.aggregators {
        let name = &aggregator.name;
        let mut kept = record.aggregations.iter();
        match kept.find(|kept| kept.value.aggregator == *name) {
            Some(kept) => all.extend(kept.value.sections.iter().cloned()),
            None => all.push(AddedSection::missing(name, "it was not asked")),
        }
    }
    all
}

impl Run<'_> {
    /// Asks the aggregators about a report that has no sections yet, and adds their sections.
    pub(super) async fn aggregate(&mut self, report: &mut Report) -> Result<(), RunError> {
        if self.context.aggregators.is_empty() {
            return Ok(());
        }
        let text = report_for_aggregators(report);
        let digest = digest_of_parts([text.as_bytes()]);
        let mut sections = Vec::new();
        for (place, aggregator) in self.loaded.experiment.aggregators.iter().enumerate() {
            let built = &self.context.aggregators[place];
            let key = self.keys.aggregation(&built.digest, &digest);
            let owner = Owner {
                iteration: 1 + place as u32,
                ..Owner::RUN
            };
            let kind = bakeoff_store::ResultKind::Aggregation;
            let kept: Option<Aggregation> = self.store.get(kind, &key, owner)?;
            let aggregation = match kept.filter(|kept| kept.aggregator == aggregator.name) {
                Some(kept) => kept,
                None => {
                    let config = &self.context.config;
                    let made = aggregate(config, &aggregator.name, built, &text).await?;
                    self.store.put(kind, &key, owner, &made)?;
                    made
                }
            };
            sections.extend(aggregation.sections);
        }
        report.sections = sections;
        Ok(())
    }
}
