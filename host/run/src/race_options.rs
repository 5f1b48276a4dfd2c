//! The options of a run's race, as they follow from its declaration, and its result from its stored part.

use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Experiment, Measure, Source};
use bakeoff_measure::{RaceOptions, Raced, StoredRace};
use std::time::Duration;

/// Returns the result of a race, from its stored part.
pub(super) fn replay(
    experiment: &Experiment,
    cases: &[CaseLabel],
    variants: usize,
    stored: StoredRace,
) -> Option<Raced> {
    let options = race_options(experiment, &experiment.measure, (&[], Duration::ZERO), "");
    bakeoff_measure::replay(variants, cases.len(), &options, stored)
}

/// Returns the options of a race, as they follow from the experiment's declaration, with the part of its budget that is
/// used already.
pub(super) fn race_options<'a>(
    experiment: &'a Experiment,
    measure: &'a Measure,
    (cores, used): (&'a [usize], Duration),
    key: &'a str,
) -> RaceOptions<'a> {
    RaceOptions {
        key,
        measure,
        used,
        cores,
        metric_share: experiment.metric_share(),
        cold_start: experiment.uses(&Source::ColdStart),
        instances: experiment.workload.inputs.are_instances(),
    }
}

/// Returns true if verdicts by wall time are claimed: a criterion needs them.
pub(super) fn claims_wall(experiment: &Experiment) -> bool {
    experiment.uses(&Source::Wall)
}
