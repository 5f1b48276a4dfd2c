//! Whether evidence that somebody sent could be that of a run: whoever works with it need not ask
//! again whether an index points anywhere.

use super::evidence::{RaceRecord, Record};
use crate::config;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::plan::Steadiness;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::Inputs;
use std::collections::BTreeSet;

/// What a reading of a clock may cost or skip at most, in nanoseconds: a second.
const CLOCK_NS_MAX: f64 = 1e9;
/// Steps of working verdicts out again at most: some 20 seconds.
const STEPS_MAX: f64 = 1e10;
/// Of the cube of the replicas, asking after each of them takes one step in so many.
const CUBE_SHARE: f64 = 200.0;
/// Blocks of a replica at most, in what somebody sent.
const BLOCKS_MAX: u32 = 256;
/// Results of a kind at most: one for each variant.
const RESULTS_MAX: usize = config::APPROACHES_MAX;

/// Sources of readings in a report at most: what is built in, and 64 numbers for each case.
const SOURCES_MAX: usize = 64 * (config::CASES_MAX + 1);
/// Notes of a report at most.
const NOTES_MAX: usize = 1_024;

/// Checks a report that somebody sent: what is worked out from it, or laid out, grows with the
/// squares of these numbers.
///
/// # Errors
/// What no run has so many of.
pub fn check_report(report: &Report) -> Result<(), String> {
    let variants = report.variants.len();
    hold(
        variants <= RESULTS_MAX,
        "its report has more variants than an experiment",
    )?;
    let cases = report.experiment.cases.len();
    hold(
        cases <= config::CASES_MAX && report.criteria.len() <= config::CRITERIA_MAX,
        "its report has more cases or criteria than an experiment",
    )?;
    let pairs = variants * variants / 2;
    let verdicts = report.verdicts.len() + report.wall_verdicts.len();
    hold(
        verdicts <= pairs * (cases + 2),
        "its report has more verdicts than pairs and cases",
    )?;
    let read = report.variants.iter().flat_map(|variant| &variant.readings);
    let sources: BTreeSet<&String> = read.clone().map(|(source, _)| source).collect();
    let mut by_case = read.map(|(_, reading)| reading.by_case.len());
    hold(
        sources.len() <= SOURCES_MAX && by_case.all(|count| count <= cases),
        "its report has more readings than a run",
    )?;
    let first = &report.recommendation;
    let mut named = [&first.tied, &first.alternatives, &report.pareto].into_iter();
    hold(
        named.all(|ids| ids.len() <= variants) && report.notes.len() <= NOTES_MAX,
        "its report names more variants than it has, or notes more than a run",
    )?;
    let Some(replicas) = &report.replicas else {
        return Ok(());
    };
    hold(
        replicas.variants.len() <= variants
            && replicas.log_times.len() <= config::MEASURE_REPLICAS_MAX as usize,
        "its report has more replicas than a run",
    )
}

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
        cases <= config::CASES_MAX,
        "there are more cases than an experiment has",
    )?;
    hold(
        record.builds.len() <= RESULTS_MAX && record.gates.len() <= RESULTS_MAX,
        "there are more results than variants",
    )?;
    check_report(report)?;
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

/// Checks that verdicts can be worked out without anybody waiting for long: an estimate takes steps as
/// the square of the replicas, and asking after each replica whether a pair turns adds up to a share
/// of their cube.
///
/// # Errors
/// That they cannot.
pub(super) fn check_size(
    record: &Record,
    replicas: &[Replica],
    cases: usize,
) -> Result<(), String> {
    let race = record.race.as_ref();
    let variants = race.map_or(0, |race| race.lists.variants.len()) as f64;
    let (pairs, replicas) = (variants * variants / 2.0, replicas.len() as f64);
    let estimates = (cases as f64 + 1.0) * replicas.powi(2) / 2.0;
    hold(
        pairs * (estimates + replicas.powi(3) / CUBE_SHARE) <= STEPS_MAX,
        "so many variants on so many cases in so many replicas take too long to work out again here",
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
        (0.0..=CLOCK_NS_MAX).contains(&race.pilot.clock_ns),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_more_than_a_run_is_refused() {
        let text = include_str!("../../../tests/golden/report/report.json");
        let sound: Report = serde_json::from_str(text).unwrap();
        assert_eq!(check_report(&sound), Ok(()));
        let wrong: [fn(&mut Report); 8] = [
            |report| report.variants = vec![report.variants[0].clone(); RESULTS_MAX + 1],
            |report| report.criteria = vec![report.criteria[0].clone(); config::CRITERIA_MAX + 1],
            |report| {
                let case = report.experiment.cases[0].clone();
                report.experiment.cases = vec![case; config::CASES_MAX + 1];
            },
            |report| report.verdicts = vec![report.verdicts[0].clone(); 1_000],
            |report| {
                let read = report.variants[0].readings["time"].clone();
                let many = (0..=SOURCES_MAX).map(|number| (number.to_string(), read.clone()));
                report.variants[0].readings = many.collect();
            },
            |report| {
                let time = report.variants[0].readings.get_mut("time").unwrap();
                time.by_case = vec![None; 5];
            },
            |report| report.pareto = vec![String::new(); 9],
            |report| report.notes = vec![String::new(); NOTES_MAX + 1],
        ];
        for (number, change) in wrong.iter().enumerate() {
            let mut report = sound.clone();
            change(&mut report);
            assert!(check_report(&report).is_err(), "change {number}");
        }
    }
}
