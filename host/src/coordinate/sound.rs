//! Whether evidence that somebody sent could be that of a run: whoever works with it need not ask
//! again whether an index points anywhere.

use super::evidence::{RaceRecord, Record};
use crate::config;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::plan::Steadiness;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::Inputs;
use std::collections::BTreeSet;

/// Blocks of a replica at most, in what somebody sent.
const BLOCKS_MAX: u32 = 256;
/// Results of a kind at most: one for each variant.
const RESULTS_MAX: usize = config::APPROACHES_MAX;

/// Checks what somebody sent.
///
/// # Errors
/// What cannot be.
pub(super) fn check(record: &Record, report: &Report, replicas: &[Replica]) -> Result<(), String> {
    let mut approaches = record.experiment.approaches.iter();
    hold(
        approaches.all(|approach| approach.grants.is_empty()),
        "it wants files of this machine for its approaches, and bundles are granted none",
    )?;
    let cases = match &record.experiment.workload.inputs {
        Inputs::Generated { sizes, .. } => sizes.len(),
        Inputs::Cases(_) => report.experiment.cases.len().min(config::CASES_MAX),
    };
    check_indexes(record, report, replicas, cases)
}

/// Checks what can be worked with where nothing is built or run: numbers within their bounds, and
/// indexes that point into lists of this many cases.
///
/// # Errors
/// What cannot be.
pub(super) fn check_indexes(
    record: &Record,
    report: &Report,
    replicas: &[Replica],
    cases: usize,
) -> Result<(), String> {
    config::within_bounds(&record.experiment)?;
    hold(
        record.builds.len() <= RESULTS_MAX && record.gates.len() <= RESULTS_MAX,
        "there are more results than variants",
    )?;
    hold(
        report.variants.len() <= RESULTS_MAX,
        "its report has more variants than an experiment",
    )?;
    for gate in &record.gates {
        let numbers = gate.value.cases.iter().map(|case| case.case);
        hold(
            numbers.eq(0..gate.value.cases.len()) && gate.value.cases.len() <= cases,
            "a gate has cases that the experiment has not",
        )?;
    }
    let Some(race) = &record.race else {
        return hold(replicas.is_empty(), "there are replicas of no race");
    };
    check_race(race, cases)?;
    let mut indexes = BTreeSet::new();
    for replica in replicas {
        hold(indexes.insert(replica.index), "a replica is there twice")?;
        check_replica(replica, race.lists.variants.len(), cases)?;
    }
    let most = record.experiment.measure.replicas_max;
    hold(
        indexes.last().is_none_or(|last| *last < most),
        "there are more replicas than were declared",
    )
}

fn hold(holds: bool, otherwise: &str) -> Result<(), String> {
    match holds {
        true => Ok(()),
        false => Err(otherwise.to_owned()),
    }
}

fn check_race(race: &RaceRecord, cases: usize) -> Result<(), String> {
    let variants = race.lists.variants.len();
    hold(
        (1..=RESULTS_MAX).contains(&variants) && race.lists.cases.len() == cases,
        "its race has other variants or cases than its experiment",
    )?;
    let sampling = &race.pilot.sampling;
    let of_the_race = |variant: usize, case: usize| variant < variants && case < cases;
    let failed = race.pilot.failed.iter().map(|dropout| dropout.variant);
    let dropped = race.dropouts.iter().map(|dropout| dropout.variant);
    let mut named = failed.chain(dropped).chain(sampling.brief.iter().copied());
    let mut short = sampling.too_short.iter();
    let steady = match &sampling.steadiness {
        Steadiness::Steady => true,
        Steadiness::Trending(trends) => {
            let mut trends = trends.iter();
            trends.all(|trend| of_the_race(trend.variant, trend.case))
        }
    };
    hold(
        named.all(|variant| variant < variants)
            && short.all(|one| of_the_race(one.variant, one.case))
            && steady
            && sampling.calls.len() == cases,
        "its pilot speaks of variants or cases that did not race",
    )?;
    hold(
        race.pilot.clock_ns.is_finite() && race.pilot.clock_ns >= 0.0,
        "its clock has no granularity",
    )
}

fn check_replica(replica: &Replica, variants: usize, cases: usize) -> Result<(), String> {
    let mut samples = replica.samples.iter();
    let sound = samples.all(|sample| {
        sample.variant < variants
            && sample.case < cases
            && sample.block < BLOCKS_MAX
            && sample.calls > 0
    });
    hold(
        sound && replica.baselines.len() == cases && replica.cold_ns.len() == variants,
        "a replica has samples of variants or cases that did not race",
    )
}
