//! Validation of evidence that may be forged. Code that uses it afterwards need not check again
//! that an index is in range.

use super::validate_race::{check_race, check_replica, hold};
use crate::{Aggregation, MachineOutcome, RaceRecord, Record};
use bakeoff_config::{AGGREGATORS_MAX, EVALUATORS_MAX};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::paired_times::BUILD_ROUNDS_MAX;
use bakeoff_domain::report::{
    AddedSection, Environment, Generation, KINDS_MAX, Report, Rounds, SECTIONS_MAX, UnfinishedRun,
    VOTES_MAX, check_sections,
};
use bakeoff_domain::score::RACING_MAX;
use bakeoff_domain::spec::Inputs;
use bakeoff_domain::variant::{self, VARIANTS_MAX, Variant};
use bakeoff_measure::evaluate::check_description;
use std::collections::BTreeSet;

/// The most steps that recomputing verdicts may take: some 20 seconds.
const STEPS_MAX: f64 = 1e10;
/// The divisor that gives the steps of the checks after each replica from the cube of the number of
/// replicas.
const CUBE_SHARE: f64 = 200.0;
/// The most results of a kind: one for each variant.
const RESULTS_MAX: usize = VARIANTS_MAX;

/// The most sources of readings in a report: the built-in ones, and 64 numbers for each case.
const SOURCES_MAX: usize = 64 * (bakeoff_config::CASES_MAX + 1);
/// The most words of the options that declare an experiment without a file: three options.
const OPTIONS_MAX: usize = 6;
/// The most notes of a report.
const NOTES_MAX: usize = 1_024;

/// Checks a report that may be forged: the cost of processing it grows with the squares of the
/// numbers checked here.
///
/// # Errors
/// The report has more of something than any run has; the error names the first such thing.
pub fn check_report(report: &Report) -> Result<(), String> {
    let variants = report.variants.len();
    hold(
        variants <= RESULTS_MAX,
        "its report has more variants than an experiment",
    )?;
    let compared = report.variants.iter();
    let compared = compared.filter(|one| one.failure.is_none() && !one.is_screened_out());
    hold(
        compared.count() <= RACING_MAX || report.unfinished.is_some(),
        "its report compares more variants than a race has",
    )?;
    let cases = report.experiment.cases.len();
    hold(
        cases <= bakeoff_config::CASES_MAX && report.criteria.len() <= bakeoff_config::CRITERIA_MAX,
        "its report has more cases or criteria than an experiment",
    )?;
    let names = report.experiment.instances.iter();
    hold(
        names.flat_map(|set| &set.names).count() <= bakeoff_config::CASES_MAX,
        "its report names more instances than any report",
    )?;
    // Only variants that may race are compared.
    let compared = variants.min(RACING_MAX);
    let pairs = compared * compared / 2;
    let verdicts = report.verdicts.len() + report.wall_verdicts.len();
    hold(
        verdicts <= pairs * (cases + 2),
        "its report has more verdicts than pairs and cases",
    )?;
    report
        .machines
        .as_ref()
        .map_or(Ok(()), |machines| machines.check(variants, cases, pairs))?;
    let others = &report.reading_verdicts;
    hold(
        others.len() <= report.criteria.len()
            && others.values().all(|rows| rows.len() <= pairs + compared),
        "its report has more verdicts by a reading than pairs",
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
    // A set of instances has no cases, and one instance may stand for it.
    let scopes = cases.max(usize::from(report.experiment.instances.is_some()));
    hold(
        named.all(|ids| ids.len() <= variants)
            && report.notes.len() <= NOTES_MAX
            && report.stopped_in_search.len() <= variants
            && report.too_short.len() <= scopes
            && report.experiment.options.len() <= OPTIONS_MAX,
        "its report names more variants than it has, or notes more than a run",
    )?;
    check_added(&report.sections)?;
    report
        .generation
        .as_ref()
        .map_or(Ok(()), Generation::check)?;
    report.rounds.as_ref().map_or(Ok(()), Rounds::check)?;
    report
        .unfinished
        .as_ref()
        .map_or(Ok(()), UnfinishedRun::check)?;
    report.opinions.as_ref().map_or(Ok(()), |opinions| {
        opinions.check(variants, report.criteria.len())
    })?;
    report
        .in_words
        .as_ref()
        .map_or(Ok(()), |words| words.check(variants, report.criteria.len()))?;
    let Some(replicas) = &report.replicas else {
        return Ok(());
    };
    hold(
        replicas.variants.len() <= variants
            && replicas.log_times.len() <= bakeoff_config::MEASURE_REPLICAS_MAX as usize,
        "its report has more replicas than a run",
    )
}

/// The longest text about the machine, in bytes; the restrictions of a policy name its folders.
const ENVIRONMENT_BYTES_MAX: usize = 64 << 10;

fn check_environment(environment: &Environment) -> Result<(), String> {
    let texts = [
        &environment.engine,
        &environment.compiler,
        &environment.compiler_choice,
        &environment.cpu,
        &environment.system,
        &environment.confinement,
        &environment.policy,
    ];
    let bytes = texts
        .into_iter()
        .chain(&environment.fences)
        .map(String::len);
    hold(
        bytes.sum::<usize>() <= ENVIRONMENT_BYTES_MAX,
        "it says more of a machine than there is to say",
    )
}

/// Checks the sections of aggregators, which are bounded for each of them.
fn check_added(sections: &[AddedSection]) -> Result<(), String> {
    hold(
        sections.len() <= AGGREGATORS_MAX * SECTIONS_MAX,
        "its report has more sections than aggregators add",
    )?;
    for of_one in sections.chunk_by(|one, next| one.aggregator == next.aggregator) {
        check_sections(of_one).map_err(|why| format!("a section of its report has {why}"))?;
        hold(
            of_one
                .iter()
                .all(|one| bakeoff_config::is_evaluator_name(&one.aggregator)),
            "a section of its report is of no aggregator",
        )?;
    }
    Ok(())
}

/// Checks a bundle that may be forged: it is granted nothing of this machine.
///
/// # Errors
/// The bundle contains something that no run has; the error names the first such thing.
pub(super) fn check_bundle(
    record: &Record,
    report: &Report,
    replicas: &[Replica],
) -> Result<(), String> {
    let mut approaches = record.experiment.approaches.iter();
    hold(
        approaches.all(|approach| approach.grants.is_empty()),
        "it wants files of this machine for its approaches, and bundles are granted none",
    )?;
    hold(
        report.unfinished.is_none(),
        "its report is of a run that has not ended",
    )?;
    check_evidence(record, report, replicas)
}

/// Checks evidence that may be forged: numbers are within their bounds, and indexes are in range.
///
/// # Errors
/// The evidence contains something that no run has; the error names the first such thing.
pub(super) fn check_evidence(
    record: &Record,
    report: &Report,
    replicas: &[Replica],
) -> Result<(), String> {
    check_results(record, replicas)?;
    check_report(report)
}

/// Checks evidence that may be forged, of a run that has a report or has none yet.
///
/// # Errors
/// The evidence contains something that no run has; the error names the first such thing.
pub(super) fn check_results(record: &Record, replicas: &[Replica]) -> Result<(), String> {
    bakeoff_config::within_bounds(&record.experiment)?;
    check_environment(&record.environment)?;
    record
        .generation
        .as_ref()
        .map_or(Ok(()), Generation::check)?;
    record.rounds.as_ref().map_or(Ok(()), Rounds::check)?;
    let approaches = &record.experiment.approaches;
    let mut stopped = record.stopped_in_search.iter();
    hold(
        record.stopped_in_search.len() <= approaches.len()
            && stopped.all(|one| one.stopped <= one.tried),
        "more was stopped in the search before it than was tried",
    )?;
    let cases = record.cases.len();
    let declared = match &record.experiment.workload.inputs {
        Inputs::Generated { sizes, texts, .. } => sizes.len() + texts.len(),
        Inputs::Instances { names, .. } => names.len(),
        Inputs::Cases(_) => cases,
        Inputs::None => 0,
    };
    let most = if record.experiment.workload.inputs.are_instances() {
        bakeoff_config::INSTANCES_MAX
    } else {
        bakeoff_config::CASES_MAX
    };
    hold(
        cases <= most && cases == declared,
        "it has other cases than its experiment",
    )?;
    let same_ids = |(one, other): (&Variant, &Variant)| one.id == other.id;
    let declared = variant::declare(&record.experiment.approaches);
    hold(
        declared.len() == record.variants.len()
            && declared.iter().zip(&record.variants).all(same_ids),
        "it has other variants than its experiment",
    )?;
    let mut variants = record.variants.iter();
    hold(
        variants.all(|variant| record.has_measured_code(variant)),
        "the code that is kept of a variant is not what its build was made from",
    )?;
    hold(
        record.builds.len() <= RESULTS_MAX
            && record.gates.len() <= RESULTS_MAX
            && record.assessments.len() <= RESULTS_MAX
            && record.coverages.len() <= RESULTS_MAX
            && record.evaluations.len() <= EVALUATORS_MAX * RESULTS_MAX
            && record.aggregations.len() <= AGGREGATORS_MAX
            && record.opinions.len() <= bakeoff_config::CRITERIA_MAX * VOTES_MAX as usize
            && record.build_rounds.len() <= BUILD_ROUNDS_MAX as usize,
        "there are more results than variants",
    )?;
    for gate in &record.gates {
        let numbers = gate.value.cases.iter().map(|case| case.case);
        hold(
            numbers.eq(0..gate.value.cases.len()) && gate.value.cases.len() <= cases,
            "a gate has cases that the experiment has not",
        )?;
    }
    if let Some(coarse) = &record.coarse {
        let mut variants = coarse.variants.values();
        hold(
            coarse.variants.len() <= RACING_MAX
                && variants.all(|one| one.case_ns.len() <= cases)
                && coarse.seconds.is_finite(),
            "a coarse race has more than an experiment has",
        )?;
    }
    for round in &record.build_rounds {
        let builds = &round.value.builds;
        hold(
            builds.len() <= RESULTS_MAX
                && builds
                    .iter()
                    .all(|build| build.variants.len() <= RESULTS_MAX),
            "a round of builds has more than an experiment has variants",
        )?;
    }
    for assessment in &record.assessments {
        hold(
            assessment.value.is_whole(cases),
            "an assessment has other inputs than the experiment",
        )?;
    }
    for evaluator in &record.experiment.evaluators {
        hold(
            check_description(&evaluator.criteria).is_ok(),
            "an evaluator describes what none can",
        )?;
    }
    let fixed = record.experiment.workload.inputs.are_fixed();
    for criterion in &record.experiment.criteria {
        let Some(source) = criterion.source.evaluated() else {
            continue;
        };
        let mut evaluators = record.experiment.evaluators.iter();
        let evaluator = evaluators.find(|one| one.name == source.evaluator);
        let described = evaluator.and_then(|one| Some((one, one.criterion(&source.criterion)?)));
        hold(
            described.is_some_and(|(one, described)| {
                one.source(described, fixed) == *source
                    && described.direction == criterion.direction
            }),
            "a criterion is not what its evaluator describes",
        )?;
    }
    for evaluation in &record.evaluations {
        let mut evaluators = record.experiment.evaluators.iter();
        let evaluator = evaluators.find(|one| one.name == evaluation.value.evaluator);
        hold(
            evaluator.is_some_and(|one| evaluation.value.fits(one, cases)),
            "an evaluation is not what its evaluator describes",
        )?;
    }
    for vote in &record.opinions {
        vote.value.check()?;
    }
    for aggregation in &record.aggregations {
        let Aggregation {
            aggregator,
            sections,
        } = &aggregation.value;
        let is_own = |one: &AddedSection| one.aggregator == *aggregator;
        hold(
            sections.iter().all(is_own) && check_added(sections).is_ok(),
            "an aggregation is not what an aggregator says",
        )?;
    }
    check_machine_races(record, cases)?;
    let Some(race) = &record.race else {
        return hold(replicas.is_empty(), "there are replicas of no race");
    };
    check_replicas(record, race, replicas, cases)
}

/// Checks the races on machines of other kinds as the one on that of the run.
fn check_machine_races(record: &Record, cases: usize) -> Result<(), String> {
    hold(
        record.machine_races.len() <= KINDS_MAX + 1,
        "it has races on more machines than a run asks",
    )?;
    for kept in &record.machine_races {
        if let MachineOutcome::Raced { race, replicas } = &kept.outcome {
            check_replicas(record, race, replicas, cases)?;
            check_steps(record, race, replicas)?;
        }
    }
    Ok(())
}

/// Checks a race with its replicas.
fn check_replicas(
    record: &Record,
    race: &RaceRecord,
    replicas: &[Replica],
    cases: usize,
) -> Result<(), String> {
    check_race(race, cases)?;
    hold(
        race.pilot.is_some() || replicas.is_empty(),
        "there are replicas of a race without a pilot",
    )?;
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

/// Checks that verdicts can be recomputed without a long wait. The steps of an estimate grow with
/// the square of the number of replicas; the checks of each pair for a sign inversion after each
/// replica grow with a share of its cube.
///
/// # Errors
/// Recomputing the verdicts would take too long.
pub(super) fn check_size(record: &Record, replicas: &[Replica]) -> Result<(), String> {
    let race = record.race.as_ref();
    race.map_or(Ok(()), |race| check_steps(record, race, replicas))
}

fn check_steps(record: &Record, race: &RaceRecord, replicas: &[Replica]) -> Result<(), String> {
    let variants = race.lists.variants.len() as f64;
    let (pairs, replicas) = (variants * variants / 2.0, replicas.len() as f64);
    let scopes = if record.experiment.workload.inputs.are_instances() {
        0.0
    } else {
        record.cases.len() as f64
    };
    let estimates = (scopes + 1.0) * replicas.powi(2) / 2.0;
    hold(
        pairs * (estimates + replicas.powi(3) / CUBE_SHARE) <= STEPS_MAX,
        "so many variants on so many cases in so many replicas take too long to work out again here",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::report::StoppedInSearch;

    #[test]
    fn a_report_of_more_than_a_run_is_refused() {
        let text = include_str!("../../../../tests/golden/report/report.json");
        let sound: Report = serde_json::from_str(text).unwrap();
        assert_eq!(check_report(&sound), Ok(()));
        let wrong: [fn(&mut Report); 12] = [
            |report| report.sections = vec![AddedSection::missing("m", "x"); 17],
            |report| report.sections = vec![AddedSection::missing("no name", "x")],
            |report| report.variants = vec![report.variants[0].clone(); RACING_MAX + 1],
            |report| {
                report.criteria = vec![report.criteria[0].clone(); bakeoff_config::CRITERIA_MAX + 1]
            },
            |report| {
                let case = report.experiment.cases[0].clone();
                report.experiment.cases = vec![case; bakeoff_config::CASES_MAX + 1];
            },
            |report| report.verdicts = vec![report.verdicts[0].clone(); 1_000],
            |report| {
                let rows =
                    (0..=report.criteria.len()).map(|number| (number.to_string(), Vec::new()));
                report.reading_verdicts = rows.collect();
            },
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
            |report| {
                let stopped = StoppedInSearch {
                    approach: String::new(),
                    stopped: 1,
                    tried: 1,
                };
                report.stopped_in_search = vec![stopped; 9];
            },
        ];
        for (number, change) in wrong.iter().enumerate() {
            let mut report = sound.clone();
            change(&mut report);
            assert!(check_report(&report).is_err(), "change {number}");
        }
    }
}
