//! Putting a report together, and scoring a finished one again.
//!
//! Both are the same step: a report holds its facts (criteria, readings, verdicts) and what
//! follows from them (scores, ranks, recommendation), and the second is worked out from the first.

use super::words;
use super::{
    Claim, Cost, Environment, ExperimentSummary, FlipTo, InWords, Interval, Natively, Protocol,
    ReadingVerdict, ReadingVerdicts, Recommendation, ReplicaTimes, Report, SCHEMA_VERSION,
    StoppedInSearch, TooShortCase, UnfinishedRun, VariantReport, VerdictRow,
};
use crate::score::{
    self, CriterionSummary, Ranking, ScoreInput, TimedCases, VariantReadings, WeightError,
};
use crate::spec::{AuthorWords, ReportOptions};
use crate::verdict::PairVerdict;
use std::collections::BTreeMap;

/// The facts of a run, from which a report is derived.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The experiment.
    pub experiment: ExperimentSummary,
    /// The machine and tools it was measured with.
    pub environment: Environment,
    /// The criteria.
    pub criteria: Vec<CriterionSummary>,
    /// The variants in the order of declaration. Status, rank, total, scores and reason are
    /// worked out and may hold anything. A variant with a failure is never ranked.
    pub variants: Vec<VariantReport>,
    /// Verdicts by CPU time: all cases together, and by case.
    pub verdicts: Vec<VerdictRow>,
    /// Verdicts by wall time over all cases; wanted if a criterion is from `wall`.
    pub wall_verdicts: Vec<VerdictRow>,
    /// Verdicts by the other readings that criteria ask for.
    pub reading_verdicts: ReadingVerdicts,
    /// Times by replica, for the share of first places.
    pub replicas: Option<ReplicaTimes>,
    /// The parameters of the measuring.
    pub protocol: Protocol,
    /// The parts that the report shows.
    pub options: ReportOptions,
    /// The cases on which calls are shorter than can be timed.
    pub too_short: Vec<TooShortCase>,
    /// The cost of the run.
    pub cost: Cost,
    /// Notes on how the numbers came about.
    pub notes: Vec<String>,
    /// Words of the authors of approaches, by approach.
    pub author_words: BTreeMap<String, AuthorWords>,
    /// The approaches that were stopped in a search before the run.
    pub stopped_in_search: Vec<StoppedInSearch>,
    /// Part that only a question in words has.
    pub in_words: Option<InWords>,
}

/// The report about a run: scores, ranks and the recommendation follow from the facts alone.
pub fn assemble(facts: Facts) -> Report {
    concluded(assemble_unscored(facts))
}

/// Returns a report of these facts, in which nothing follows from them yet.
fn assemble_unscored(facts: Facts) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        in_words: facts.in_words,
        experiment: facts.experiment,
        environment: facts.environment,
        criteria: facts.criteria,
        variants: facts.variants,
        verdicts: facts.verdicts,
        recommendation: Recommendation::default(),
        pareto: Vec::new(),
        cost: facts.cost,
        notes: facts.notes,
        wall_verdicts: facts.wall_verdicts,
        reading_verdicts: facts.reading_verdicts,
        protocol: facts.protocol,
        replicas: facts.replicas,
        options: facts.options,
        too_short: facts.too_short,
        natively: None,
        machines: None,
        sections: Vec::new(),
        stopped_in_search: facts.stopped_in_search,
        author_words: facts.author_words,
        generation: None,
        rounds: None,
        opinions: None,
        unfinished: None,
    }
}

/// The report about a run that has not ended: what is known of it, without scores, ranks or a recommendation.
pub fn assemble_unfinished(facts: Facts, unfinished: UnfinishedRun) -> Report {
    let report = assemble_unscored(facts);
    concluded(Report {
        unfinished: Some(unfinished),
        ..report
    })
}

/// The pairs at the first place that longer timing would tell apart, by their ids; see [`score::open_by_time`].
pub fn open_by_time(facts: Facts, is_final: impl Fn(&str, &str) -> bool) -> Vec<[String; 2]> {
    let report = assemble_unscored(facts);
    let id = |index: usize| report.variants[index].id.as_str();
    let open = score::open_by_time(&input(&report), |a, b| is_final(id(a), id(b)));
    let ids = open.into_iter().map(|(a, b)| [a, b].map(id));
    ids.map(|pair| pair.map(str::to_owned)).collect()
}

/// The same report with other weights: criteria that are not named keep theirs. Nothing is run.
///
/// # Errors
/// A weight is negative, not finite or for a criterion that does not exist, or all are zero.
pub fn rescore(report: &Report, weights: &BTreeMap<String, f64>) -> Result<Report, WeightError> {
    let criteria = score::reweighted(&report.criteria, weights)?;
    Ok(concluded(Report {
        criteria,
        ..report.clone()
    }))
}

/// The same report with what is known of its sources as programs of this machine, or without that.
pub fn with_natively(mut report: Report, natively: Option<Natively>) -> Report {
    report.natively = natively;
    report.recommendation.text = words::headline(&report);
    report
}

/// Works out everything that follows from a report's facts.
fn concluded(mut report: Report) -> Report {
    if let Some(unfinished) = report.unfinished.clone() {
        unfinished.conclude(&mut report);
        return report;
    }
    let scored = score::score(&input(&report));
    conclude(&mut report, &scored);
    report.recommendation = recommendation(&report, &scored);
    let order = &scored.order;
    let variants = std::mem::take(&mut report.variants);
    let mut slots: Vec<Option<VariantReport>> = variants.into_iter().map(Some).collect();
    report.variants = order.iter().filter_map(|i| slots[*i].take()).collect();
    if let Some(id) = report.recommendation.winner.as_deref()
        && report.stopped_in_search_of(id).is_some()
    {
        let ranked = report.variants.iter().filter(|one| one.rank.is_some());
        let ranked = ranked.map(|one| one.id.clone()).collect();
        report.recommendation.withhold(ranked);
    }
    report.recommendation.text = words::headline(&report);
    report
}

/// The input of the scoring engine.
fn input(report: &Report) -> ScoreInput {
    let index: BTreeMap<&str, usize> = report
        .variants
        .iter()
        .enumerate()
        .map(|(index, variant)| (variant.id.as_str(), index))
        .collect();
    let rows = |rows: &[VerdictRow]| rows.iter().filter_map(|row| pair(row, &index)).collect();
    let mut verdicts = BTreeMap::from([
        ("time".to_owned(), rows(&report.verdicts)),
        ("wall".to_owned(), rows(&report.wall_verdicts)),
    ]);
    let mut differences = BTreeMap::new();
    for (source, rows) in &report.reading_verdicts {
        let rows = rows.iter().cloned();
        let rows = rows.filter_map(|row| row.renamed(|id| index.get(id.as_str()).copied()));
        let (ratios, others): (Vec<ReadingVerdict>, Vec<ReadingVerdict>) =
            rows.partition(|row| row.claim == Claim::Ratio);
        verdicts
            .entry(source.clone())
            .or_insert_with(|| ratios.iter().map(PairVerdict::from).collect());
        differences.insert(source.clone(), others);
    }
    ScoreInput {
        criteria: report.criteria.clone(),
        variants: report.variants.iter().map(readings).collect(),
        verdicts,
        differences,
        log_times: log_times(report),
        timed_cases: timed_cases(report),
        seed: report.experiment.seed.bootstrap(),
    }
}

fn timed_cases(report: &Report) -> TimedCases {
    match report.too_short.len() {
        0 => TimedCases::All,
        left_out if left_out < report.experiment.cases.len() => TimedCases::Some,
        _ => TimedCases::None,
    }
}

fn readings(variant: &VariantReport) -> VariantReadings {
    let readings = variant.readings.iter();
    VariantReadings {
        readings: readings
            .map(|(source, reading)| (source.clone(), reading.interval()))
            .collect(),
        missing: variant.missing_readings.clone(),
        failed: variant.failure.is_some(),
        screened: variant.is_screened_out(),
    }
}

/// A row about ids as a verdict about indexes; rows about single cases decide nothing here.
fn pair(row: &VerdictRow, index: &BTreeMap<&str, usize>) -> Option<PairVerdict> {
    if row.case.is_some() {
        return None;
    }
    Some(PairVerdict {
        a: *index.get(row.a.as_str())?,
        b: *index.get(row.b.as_str())?,
        case: None,
        verdict: row.verdict,
        below_threshold: row.below_threshold,
        interval: row.interval(),
        replicas: row.replicas,
        typical: row.typical,
        few_layouts: false,
    })
}

/// Times by replica, with a column for each variant of the report.
fn log_times(report: &Report) -> Vec<Vec<Option<f64>>> {
    let Some(replicas) = &report.replicas else {
        return Vec::new();
    };
    let columns: Vec<Option<usize>> = report
        .variants
        .iter()
        .map(|variant| replicas.variants.iter().position(|id| *id == variant.id))
        .collect();
    let row = |times: &Vec<Option<f64>>| {
        let time = |column: &Option<usize>| times.get((*column)?).copied().flatten();
        columns.iter().map(time).collect()
    };
    replicas.log_times.iter().map(row).collect()
}

/// Writes scores, ranks and reasons into the variants.
fn conclude(report: &mut Report, scored: &Ranking) {
    for (variant, score) in report.variants.iter_mut().zip(&scored.variant_scores) {
        variant.status = score.status;
        variant.rank = score.rank;
        variant.total = score.total;
        variant.reason.clone_from(&score.reason);
        let criteria = report.criteria.iter().zip(&score.scores);
        variant.scores = criteria
            .filter_map(|(criterion, score)| Some((criterion.name.clone(), (*score)?)))
            .collect::<BTreeMap<String, Interval>>();
    }
    let id = |index: &usize| report.variants[*index].id.clone();
    report.pareto = scored.pareto.iter().map(id).collect();
}

fn recommendation(report: &Report, scored: &Ranking) -> Recommendation {
    let id = |index: usize| report.variants[index].id.clone();
    let ids = |indexes: &[usize]| indexes.iter().copied().map(id).collect();
    let ranked = |index: &usize| scored.variant_scores[*index].rank.is_some();
    let shares = scored.first_share.iter().enumerate();
    Recommendation {
        winner: scored.winner.map(id),
        tied: ids(&scored.tied),
        alternatives: ids(&scored.alternatives),
        flip_distance: scored.flip.as_ref().map(|flip| flip.distance),
        first_share: shares
            .filter(|(index, _)| ranked(index))
            .map(|(index, share)| (id(index), *share))
            .collect(),
        text: String::new(),
        withheld: None,
        outcome: scored.outcome,
        measured_first: ids(&scored.measured_first),
        flip: scored.flip.as_ref().map(|flip| FlipTo {
            winner: id(flip.winner),
            changes: flip.changes.clone(),
        }),
    }
}
