//! Criteria on the numbers that the workload's `assess` gives answers.

use bakeoff_config::{ConfigError, ConfigPlace, LoadedExperiment};
use bakeoff_domain::spec::{Criterion, Source};

/// Refuses criteria from `assess:NAME`, for a workload that does not export `assess`.
///
/// # Errors
/// There is such a criterion; the error points at it.
pub(super) fn refuse_assess(loaded: &LoadedExperiment) -> Result<(), ConfigError> {
    match assess_criteria(loaded).next() {
        None => Ok(()),
        Some((index, criterion, _)) => Err(loaded.wrong(
            ConfigPlace::Criterion(index),
            &format!(
                "the criterion {:?} needs a workload that assesses answers",
                criterion.name
            ),
            "the workload exports no `assess`",
            "export `assess` in the world `workload` of the WIT, with the parameters of `check` and the \
             result `list<tuple<string, f64>>`; or remove the criterion",
        )),
    }
}

/// Returns the criteria from `assess:NAME`, with their indexes and those names.
pub(super) fn assess_criteria(
    loaded: &LoadedExperiment,
) -> impl Iterator<Item = (usize, &Criterion, &str)> {
    let criteria = loaded.experiment.criteria.iter().enumerate();
    criteria.filter_map(|(index, criterion)| match &criterion.source {
        Source::Assess(name) => Some((index, criterion, name.as_str())),
        _ => None,
    })
}
