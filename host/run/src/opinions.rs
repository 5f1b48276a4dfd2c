//! Opinions of a model on the sources of a run: the votes are asked for once, kept, and counted in the report.

use super::evidence::Record;
use super::judge::RunJudge;
use super::shown_names::{shown, shown_names};
use super::variant_state::VariantState;
use bakeoff_domain::report::words::{NoteList, capitalised};
use bakeoff_domain::report::{
    CriterionOpinions, ModelCost, OpinionVote, Opinions, Reading, VOTES_MAX, VariantOpinion,
    opinion_of,
};
use bakeoff_domain::spec::{Approach, Code, Criterion, Experiment, Scale};
use bakeoff_domain::variant::Variant;
use bakeoff_source::digest_of_parts;
use bakeoff_store::{Key, StoredResult};
use std::collections::BTreeSet;

/// Reason why there is no opinion where no model was asked.
const NOT_ASKED: &str =
    "no model was asked; `bakeoff run --judge` lets the one of [judge] be asked";

/// Reason why there is no opinion of a variant without a Rust source.
const NO_SOURCE: &str = "it has no Rust source that a model could be shown";

/// Returns the criteria that are opinions, each with its index among all.
pub(super) fn judged(experiment: &Experiment) -> impl Iterator<Item = (usize, &Criterion)> {
    let criteria = experiment.criteria.iter().enumerate();
    criteria.filter(|(_, criterion)| criterion.source.judged().is_some())
}

/// Returns the approach of a variant.
pub(super) fn approach_of<'a>(
    experiment: &'a Experiment,
    variant: &Variant,
) -> Option<&'a Approach> {
    let mut approaches = experiment.approaches.iter();
    approaches.find(|approach| approach.name == variant.approach)
}

/// Returns the content address of a variant's text, if it is one, or of its source, if the variant passed its gate and
/// has one that is Rust.
pub(super) fn source_of<'a>(experiment: &Experiment, state: &'a VariantState) -> Option<&'a str> {
    let variant = &state.variant;
    let approach = approach_of(experiment, variant)?;
    let source = variant.iteration.source.as_deref()?;
    if approach.code.words().is_some() {
        return Some(source);
    }
    let built = state.build.as_ref()?.failure.is_none();
    let passed = state.gate.as_ref()?.failure.is_none();
    let is_rust = matches!(approach.code, Code::Source(_));
    (built && passed && is_rust).then_some(source)
}

/// Returns the content addresses of all sources that are judged, each once, in the order of the addresses.
pub(super) fn sources(experiment: &Experiment, variants: &[VariantState]) -> Vec<String> {
    let found = variants.iter().filter_map(|one| source_of(experiment, one));
    let distinct: BTreeSet<&str> = found.collect();
    distinct.into_iter().map(str::to_owned).collect()
}

/// Returns the key of a vote, counted from 1. The order in which the sources are shown is not part of it: it is drawn
/// from the seed of the run, and a vote is as good in a later one.
pub(super) fn key(
    judge: &str,
    experiment: &Experiment,
    criterion: &Criterion,
    sources: &[String],
    vote: u32,
) -> Key {
    let question = criterion.source.judged();
    let question = question.map_or("", |one| one.question.as_str());
    let asked = [experiment.problem.as_str(), question];
    let number = match criterion.scale {
        _ if criterion.unit.is_empty() => "score".to_owned(),
        Scale::Ratio { .. } => format!("above zero in {}", criterion.unit),
        Scale::Linear { .. } => format!("any in {}", criterion.unit),
    };
    Key::new([
        ("judge", judge.to_owned()),
        ("question", digest_of_parts(asked.map(str::as_bytes))),
        ("number", number),
        (
            "sources",
            digest_of_parts(sources.iter().map(String::as_bytes)),
        ),
        ("vote", vote.to_string()),
    ])
}

/// Returns the number by which the votes of a run are told apart.
pub(super) fn place(criterion: usize, vote: u32) -> u32 {
    criterion as u32 * VOTES_MAX + vote
}

/// Returns the opinions that follow from the kept votes; `None` if no criterion is one.
pub(super) fn of_record(record: &Record, variants: &[VariantState]) -> Option<Opinions> {
    let experiment = &record.experiment;
    judged(experiment).next()?;
    let sources = sources(experiment, variants);
    let mut opinions = Opinions {
        spent: ModelCost {
            usd: Some(0.0),
            ..ModelCost::default()
        },
        ..Opinions::default()
    };
    for (_, criterion) in judged(experiment) {
        let votes = match &record.judge {
            Some(judge) => kept(record, judge, criterion, &sources),
            None => Vec::new(),
        };
        for vote in &votes {
            add(&mut opinions.spent, &vote.cost);
        }
        let (given, failed): (Vec<&OpinionVote>, Vec<&OpinionVote>) =
            votes.iter().partition(|vote| vote.failure.is_none());
        if let Some(first) = given.first() {
            opinions.model.clone_from(&first.model);
        }
        let wanted = record.judge.as_ref().map_or(0, |judge| judge.votes);
        let failure = failed.into_iter().find_map(|vote| vote.failure.clone());
        let of_variant = |state: &VariantState| {
            let opinion = opinion_of(&given, source_of(experiment, state)?)?;
            let variant = state.id().as_str().to_owned();
            Some(VariantOpinion { variant, ..opinion })
        };
        opinions.criteria.push(CriterionOpinions {
            criterion: criterion.name.clone(),
            question: (criterion.source.judged())
                .map(|one| one.question.clone())
                .unwrap_or_default(),
            votes_wanted: wanted,
            variants: variants.iter().filter_map(of_variant).collect(),
            missing: match (given.len(), failure) {
                (0, failure) => Some(failure.unwrap_or_else(|| NOT_ASKED.to_owned())),
                (count, failure) if count < wanted as usize => {
                    let why = failure.unwrap_or_else(|| "the others were not asked for".to_owned());
                    Some(format!("{count} of {wanted} votes: {why}"))
                }
                _ => None,
            },
        });
    }
    Some(opinions)
}

fn kept(
    record: &Record,
    judge: &RunJudge,
    criterion: &Criterion,
    sources: &[String],
) -> Vec<OpinionVote> {
    let of_key = |vote: u32| {
        let key = key(
            &judge.identity,
            &record.experiment,
            criterion,
            sources,
            vote,
        );
        let mut votes = record.opinions.iter();
        votes.find(|kept: &&StoredResult<OpinionVote>| kept.key == key.digest())
    };
    let votes = (1..=judge.votes.min(VOTES_MAX)).filter_map(of_key);
    votes.map(|kept| kept.value.clone()).collect()
}

fn add(all: &mut ModelCost, one: &ModelCost) {
    all.calls += one.calls;
    all.tokens += one.tokens;
    all.usd = all.usd.zip(one.usd).map(|(all, one)| all + one);
    all.upper_bound |= one.upper_bound;
    all.seconds += one.seconds;
}

/// Returns a variant's readings on the criteria that are opinions, by source, or the reasons why there are none.
pub(super) fn readings(
    record: &Record,
    opinions: Option<&Opinions>,
    state: &VariantState,
) -> Vec<(String, Result<Reading, String>)> {
    let of_criterion = |(_, criterion): (usize, &Criterion)| {
        let on = opinions.and_then(|opinions| opinions.on(&criterion.name));
        let opinion = on.and_then(|on| {
            let mut variants = on.variants.iter();
            variants.find(|one| one.variant == state.id().as_str())
        });
        let reading = match opinion {
            Some(opinion) => Ok(Reading {
                value: opinion.mean,
                low: None,
                high: None,
                unit: criterion.unit.clone(),
                by_case: Vec::new(),
                note: Some(opinion.reason.clone()),
            }),
            None if source_of(&record.experiment, state).is_none() => Err(NO_SOURCE.to_owned()),
            None => Err(on
                .and_then(|on| on.missing.clone())
                .unwrap_or_else(|| NOT_ASKED.to_owned())),
        };
        (criterion.source.name(), reading)
    };
    judged(&record.experiment).map(of_criterion).collect()
}

/// Adds notes on opinions that are missing: what is not known of all counts in no total.
pub(super) fn add_notes(opinions: &Opinions, variants: &[VariantState], notes: &mut NoteList) {
    let names = shown_names(variants);
    for on in &opinions.criteria {
        if let Some(why) = &on.missing {
            let what = if on.variants.is_empty() {
                "no opinion, which counts in no total"
            } else {
                "fewer opinions than were wanted"
            };
            notes.push(format!("{}: {what}: {why}.", capitalised(&on.criterion)));
        }
        if on.variants.is_empty() {
            continue;
        }
        for state in variants.iter().filter(|state| state.is_contender()) {
            let has = |one: &VariantOpinion| one.variant == state.id().as_str();
            if !on.variants.iter().any(has) {
                let before = format!("{} counts in no total, as ", on.criterion);
                let after = format!(": {NO_SOURCE}.");
                notes.about(&before, &shown(&names, state.id()), &after);
            }
        }
    }
}
