//! Verdicts between variants by the readings that criteria ask for, other than the time of a call.

use super::build_rounds::build_verdicts;
use super::evaluator_readings;
use super::evidence::Record;
use super::instances;
use super::race_outcome::RaceOutcome;
use super::variant_state::VariantState;
use super::verdicts::{ties_of_duplicates, with_duplicates};
use bakeoff_domain::metric_share::reading_threshold;
use bakeoff_domain::reading_verdict::Qualities;
use bakeoff_domain::report::{Claim, ReadingVerdict, ReadingVerdicts, VerdictRow};
use bakeoff_domain::spec::{Criterion, Source};
use bakeoff_measure::Assessment;

/// Returns the verdicts by every reading that a criterion asks for.
pub(super) fn reading_verdicts(
    record: &Record,
    variants: &[VariantState],
    outcome: Option<&RaceOutcome>,
) -> ReadingVerdicts {
    let mut found = ReadingVerdicts::new();
    let set = instances::checked(record, variants);
    for criterion in &record.experiment.criteria {
        let rows = match &criterion.source {
            Source::ColdStart => outcome.map(|outcome| cold_starts(variants, outcome)),
            Source::BuildTime => {
                let rounds = record.build_rounds.iter().map(|round| &round.value);
                let alive = |id: &str| {
                    let mut states = variants.iter();
                    states.any(|state| *state.id() == *id && state.is_contender())
                };
                // Where all are of the same code, there is nothing to compare in rounds.
                Some(if record.build_rounds.is_empty() {
                    as_readings(ties_of_duplicates(variants))
                } else {
                    build_verdicts(&record.experiment, rounds, alive)
                })
            }
            Source::Assess(_) if set.is_some() => {
                let checked = set.unwrap_or(0);
                Some(instances::exact_qualities(variants, criterion, checked))
            }
            Source::Evaluator(source) => Some(evaluator_readings::verdicts(
                record, variants, criterion, source,
            )),
            Source::Assess(name) => Some(qualities(record, variants, criterion, name)),
            _ => None,
        };
        let rows = rows.filter(|rows| !rows.is_empty());
        found.extend(rows.map(|rows| (criterion.source.name(), rows)));
    }
    found
}

/// Returns the verdicts by cold start; duplicates have those of the variant that they duplicate.
fn cold_starts(variants: &[VariantState], outcome: &RaceOutcome) -> Vec<ReadingVerdict<String>> {
    let Some(analysis) = &outcome.raced.analysis else {
        return Vec::new();
    };
    let ids: Vec<String> = outcome.variants.iter().cloned().map(String::from).collect();
    let pairs = analysis.cold_start.iter();
    let rows = pairs.filter_map(|pair| VerdictRow::named(pair, &ids, &[]));
    let mut rows = with_duplicates(rows.collect(), variants);
    rows.extend(ties_of_duplicates(variants));
    as_readings(rows)
}

/// Converts verdicts about ratios into verdicts by a reading.
fn as_readings(rows: Vec<VerdictRow>) -> Vec<ReadingVerdict<String>> {
    let row = |row: VerdictRow| ReadingVerdict {
        count: row.replicas,
        a: row.a,
        b: row.b,
        verdict: row.verdict,
        below_threshold: row.below_threshold,
        claim: Claim::Ratio,
        value: row.ratio,
        low: row.low,
        high: row.high,
    };
    rows.into_iter().map(row).collect()
}

/// Returns the verdicts by one number that the workload gives answers. All variants that were assessed count as
/// compared, even if they failed later.
fn qualities(
    record: &Record,
    variants: &[VariantState],
    criterion: &Criterion,
    name: &str,
) -> Vec<ReadingVerdict<String>> {
    let cases = record.cases.len();
    let share = record.experiment.metric_share();
    let confidence = record.experiment.measure.confidence;
    let threshold = reading_threshold(record.assessments.len(), confidence, share);
    let assessed: Vec<(&VariantState, &Assessment, Vec<f64>)> = variants
        .iter()
        .filter(|state| state.is_contender())
        .filter_map(|state| {
            let assessment = record.assessment(state.id())?;
            Some((state, assessment, assessment.rounds(name, cases)?))
        })
        .collect();
    let mut rows = Vec::new();
    for (place, (a, of_a, rounds_a)) in assessed.iter().enumerate() {
        for (b, of_b, rounds_b) in &assessed[place + 1..] {
            let answers = of_a.answers.iter().zip(&of_b.answers);
            let qualities = Qualities {
                pair: (0, 1),
                a: rounds_a,
                b: rounds_b,
                same_answers: answers.into_iter().all(|(a, b)| a.answer == b.answer),
            };
            let verdict = if a.original() == b.original() {
                qualities.of_the_same(criterion.scale)
            } else {
                qualities.judge(criterion.scale, criterion.direction, threshold)
            };
            let ids = [a.id(), b.id()];
            rows.extend(verdict.renamed(|place| Some(ids.get(place)?.as_str().to_owned())));
        }
    }
    rows
}
