//! Readings that some or all variants cannot have, found before anything is timed.

use super::assess_criteria::assess_criteria;
use super::error::RunError;
use super::session::Run;
use bakeoff_config::ConfigPlace;
use bakeoff_domain::spec::{Code, Criterion, Source};
use bakeoff_store::events::Event;
use std::collections::BTreeSet;

/// The largest number of names that a message lists.
const NAMES_MAX: usize = 8;

impl Run<'_> {
    /// Refuses criteria on numbers that `assess` gave for no answer of any variant that passed its gate.
    pub(super) fn refuse_missing_assessments(&self) -> Result<(), RunError> {
        let alive = self.variants.iter().filter(|state| state.is_alive());
        let cases = alive
            .filter_map(|state| state.gate.as_ref())
            .flat_map(|gate| &gate.cases);
        let mut is_checked = false;
        let mut given = BTreeSet::new();
        for case in cases {
            is_checked = true;
            given.extend(case.assessed.iter().map(|(name, _)| name.as_str()));
        }
        let missing = assess_criteria(self.loaded).find(|(.., name)| !given.contains(name));
        let Some((index, criterion, name)) = missing.filter(|_| is_checked) else {
            return Ok(());
        };
        let names = given.iter().take(NAMES_MAX).map(|name| format!("{name:?}"));
        let names = names.collect::<Vec<_>>().join(", ");
        let help = if names.is_empty() {
            "let `assess` give it, or remove the criterion".to_owned()
        } else {
            format!("`assess` gives {names}: take one of these, or let it give {name:?}")
        };
        let message = format!(
            "no variant has a reading for the criterion {:?}: the workload's `assess` never gives {name:?}",
            criterion.name
        );
        let place = ConfigPlace::Criterion(index);
        Err(self
            .loaded
            .wrong(place, &message, "nobody gives this number", &help)
            .into())
    }

    /// Warns of components and programs, which have no source, where a criterion counts the lines of one: they will not be ranked.
    pub(super) fn warn_of_missing_sources(&mut self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        let counts = |criterion: &&Criterion| {
            let matters = criterion.weight > 0.0 || criterion.gate.is_some();
            criterion.source == Source::SourceLines && matters
        };
        let components = experiment.approaches.iter().filter(|approach| {
            let has_source = matches!(approach.code, Code::Source(_));
            !has_source
                && experiment
                    .criteria
                    .iter()
                    .any(|criterion| counts(&criterion))
        });
        let components: BTreeSet<&str> =
            components.map(|approach| approach.name.as_str()).collect();
        let is_one = |approach: &str| components.contains(approach);
        let states = self.variants.iter();
        let names = states.filter(|state| is_one(&state.variant.approach));
        let names: Vec<&str> = names
            .map(|state| state.variant.name.as_str())
            .take(NAMES_MAX)
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{}: a component has no source, nor a program one of Rust, so a criterion from `source-lines` \
             leaves it unranked",
            names.join(", ")
        );
        self.store.emit(Event::Warning { message })?;
        Ok(())
    }

    /// Warns of components and programs, which have no source, where an evaluator reads one: they get no reading from it.
    pub(super) fn warn_of_unread_sources(&mut self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        let mut reading = Vec::new();
        for evaluator in &experiment.evaluators {
            let criteria = evaluator.criteria.iter();
            let criteria = criteria.filter(|criterion| criterion.needs.source);
            reading
                .extend(criteria.map(|one| format!("evaluator:{}.{}", evaluator.name, one.name)));
        }
        let components = experiment.approaches.iter();
        let components = components.filter(|one| !matches!(one.code, Code::Source(_)));
        let names: Vec<&str> = components
            .map(|approach| approach.name.as_str())
            .take(NAMES_MAX)
            .collect();
        if reading.is_empty() || names.is_empty() {
            return Ok(());
        }
        reading.truncate(NAMES_MAX);
        let message = format!(
            "{}: a component has no source, nor a program one of Rust, so it gets no reading of {}, and a criterion from that leaves \
             it unranked; give the approach `source`, or that criterion the weight 0",
            names.join(", "),
            reading.join(", ")
        );
        self.store.emit(Event::Warning { message })?;
        Ok(())
    }
}
