//! Readings and verdicts from the stored answers of evaluators.

use super::evidence::Record;
use super::instances;
use super::shown_names::{shown, shown_names};
use super::variant_state::VariantState;
use bakeoff_domain::metric_share::reading_threshold;
use bakeoff_domain::reading_verdict::Qualities;
use bakeoff_domain::report::words::{NoteList, capitalised};
use bakeoff_domain::report::{Interval, Reading, ReadingVerdict};
use bakeoff_domain::spec::{
    Criterion, EvaluatedCriterion, Evaluator, EvaluatorSource, Experiment, Inputs, Scale,
};
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::evaluate::Evaluation;

/// The most notes on the answers of evaluators.
const NOTES_MAX: usize = 64;

/// Returns the readings of a variant by every evaluator, each with the name of its source, or with the reason why there
/// is none. `set` is the number of instances that count, if the inputs are a set of them.
pub(super) fn readings(
    record: &Record,
    id: &VariantId,
    set: Option<usize>,
) -> Vec<(String, Result<Reading, String>)> {
    let fixed = fixed_inputs(&record.experiment.workload.inputs, record.cases.len(), set);
    let mut found = Vec::new();
    for evaluator in &record.experiment.evaluators {
        let evaluation = record.evaluation(id, &evaluator.name);
        for criterion in &evaluator.criteria {
            let source = evaluator.source(criterion, fixed.is_some()).name();
            let reading = match evaluation {
                Some(evaluation) => of_evaluation(evaluation, criterion, record, fixed),
                None => Err("the evaluator was not asked about it".to_owned()),
            };
            found.push((source, reading));
        }
    }
    found
}

/// Returns the readings that an evaluator gave of a variant before the race, by their sources. `set` is the number of
/// instances that count, if the inputs are a set of them.
pub(super) fn before_race(
    experiment: &Experiment,
    cases: usize,
    set: Option<usize>,
    evaluation: &Evaluation,
) -> Vec<(String, Interval)> {
    let fixed = fixed_inputs(&experiment.workload.inputs, cases, set);
    let mut evaluators = experiment.evaluators.iter();
    let evaluator = evaluators.find(|one| one.name == evaluation.evaluator && !one.needs().samples);
    let criteria = evaluator.into_iter().flat_map(|one| {
        let criteria = one.criteria.iter();
        criteria.map(move |criterion| (one.source(criterion, fixed.is_some()).name(), criterion))
    });
    let given = criteria.filter_map(|(source, criterion)| {
        let reading = evaluation.reading(criterion, cases, fixed).ok()?;
        Some((source, reading.interval()))
    });
    given.collect()
}

/// Returns the number of inputs that are the same in every run; `None` where they are drawn.
fn fixed_inputs(inputs: &Inputs, cases: usize, set: Option<usize>) -> Option<usize> {
    match inputs {
        Inputs::Cases(_) => Some(cases),
        Inputs::Instances { .. } => set,
        Inputs::Generated { .. } | Inputs::None => None,
    }
}

/// Adds a note on each criterion by which no variant can be ahead, on each reading that an evaluator did not give, and
/// on each reading with a remark of the evaluator.
pub(super) fn add_notes(record: &Record, variants: &[VariantState], notes: &mut NoteList) {
    for criterion in record
        .experiment
        .criteria
        .iter()
        .filter(|one| one.weight > 0.0)
    {
        let source = criterion.source.evaluated();
        let of_all = source.filter(|source| {
            let is_of_all = |(_, one): (_, &EvaluatedCriterion)| !one.per_answer;
            !source.exact && described(record, source).is_some_and(is_of_all)
        });
        if let Some(source) = of_all {
            notes.about(
                "Nobody is surely ahead by ",
                &criterion.name,
                &format!(
                    ": what {} says of all answers or times together may differ from run to run, and nothing \
                     tells by how much. A criterion about each answer would tell variants apart.",
                    source.name()
                ),
            );
        }
    }
    let set = instances::checked(record, variants);
    let names = shown_names(variants);
    let alive = variants.iter().filter(|state| state.is_alive());
    let all = alive.flat_map(|state| {
        let readings = readings(record, state.id(), set).into_iter();
        readings.map(move |(source, reading)| (state, source, reading))
    });
    let said = |reading: &Result<Reading, String>| {
        reading
            .as_ref()
            .map_or(true, |reading| reading.note.is_some())
    };
    for (state, source, reading) in all.filter(|(.., one)| said(one)).take(NOTES_MAX) {
        let (before, after) = match reading {
            Ok(Reading {
                note: Some(note), ..
            }) => (format!("{source} of "), format!(": {note}.")),
            Ok(_) => continue,
            Err(why) => (
                format!("No reading of {source}: "),
                format!(". {}.", capitalised(&why)),
            ),
        };
        notes.about(
            &before,
            &shown(&names, state.id()),
            &after.replace("..", "."),
        );
    }
}

fn of_evaluation(
    evaluation: &Evaluation,
    criterion: &EvaluatedCriterion,
    record: &Record,
    fixed: Option<usize>,
) -> Result<Reading, String> {
    match &evaluation.failure {
        Some(failure) => Err(format!(
            "the variant failed on an input that it was to be evaluated on: {}: {}",
            failure.class, failure.message
        )),
        None => evaluation.reading(criterion, record.cases.len(), fixed),
    }
}

/// Returns the evaluator and its criterion behind a source.
fn described<'a>(
    record: &'a Record,
    source: &EvaluatorSource,
) -> Option<(&'a Evaluator, &'a EvaluatedCriterion)> {
    let mut evaluators = record.experiment.evaluators.iter();
    let evaluator = evaluators.find(|one| one.name == source.evaluator)?;
    Some((evaluator, evaluator.criterion(&source.criterion)?))
}

/// Returns the verdicts by a criterion of an evaluator that is about answers to drawn inputs: input by input, like
/// those by the numbers of a workload's `assess`. All variants that were evaluated count as compared, even if they
/// failed later.
pub(super) fn verdicts(
    record: &Record,
    variants: &[VariantState],
    criterion: &Criterion,
    source: &EvaluatorSource,
) -> Vec<ReadingVerdict<String>> {
    let Some((evaluator, described)) = described(record, source) else {
        return Vec::new();
    };
    if !described.per_answer || source.exact {
        return Vec::new();
    }
    let cases = record.cases.len();
    let asked = record.evaluations.iter();
    let asked = asked
        .filter(|one| one.value.evaluator == evaluator.name)
        .count();
    let confidence = record.experiment.measure.confidence;
    let threshold = reading_threshold(asked, confidence, record.experiment.metric_share());
    // Bets are about what readings can be, and not about how they are scored.
    let scale = match (criterion.scale, described.range) {
        (Scale::Linear { .. }, Some((low, high))) => Scale::Linear { low, high },
        (scale, _) => scale,
    };
    let evaluated: Vec<(&VariantState, &Evaluation, Vec<f64>)> = variants
        .iter()
        .filter(|state| state.is_alive())
        .filter_map(|state| {
            let evaluation = record.evaluation(state.id(), &evaluator.name)?;
            Some((
                state,
                evaluation,
                evaluation.rounds(&described.name, cases)?,
            ))
        })
        .collect();
    let mut rows = Vec::new();
    for (place, (a, of_a, rounds_a)) in evaluated.iter().enumerate() {
        for (b, of_b, rounds_b) in &evaluated[place + 1..] {
            let answers = of_a.answers.iter().zip(&of_b.answers);
            let same_answers = answers.into_iter().all(|(a, b)| a.answer == b.answer);
            let qualities = Qualities {
                pair: (0, 1),
                a: rounds_a,
                b: rounds_b,
                // An evaluator knows whose answers they are.
                same_answers: same_answers && rounds_a.iter().zip(rounds_b).all(|(a, b)| a == b),
            };
            let verdict = if a.original() == b.original() && rounds_a == rounds_b {
                qualities.of_the_same(scale)
            } else {
                qualities.judge(scale, described.direction, threshold)
            };
            let ids = [a.id(), b.id()];
            rows.extend(verdict.renamed(|place| Some(ids.get(place)?.as_str().to_owned())));
        }
    }
    rows
}
