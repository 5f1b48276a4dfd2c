//! Knowledge of a search, for a model or a proposer.

use super::archive::Archive;
use super::candidate::{Candidate, CandidateOutcome, Program};
use super::differences::{other_descents, over};
use super::space::Values;
use bakeoff_config::{LoadedExperiment, Wish};
use bakeoff_domain::function_fuel::FunctionFuel;
use bakeoff_domain::spec::{Approach, Parameter};
use bakeoff_propose::{
    ProposerProgram, ProposerResult, SearchLessons, ToldProgram, ToldSpeed, TriedCandidate,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most programs whose sources are told.
const PROGRAMS_MAX: usize = 3;

/// The most candidates that are told of as tried: the latest.
const TRIED_MAX: usize = 30;

/// The most programs of another descent whose sources are told.
const DIFFERENT_MAX: usize = 2;

/// The longest message of a failure in the last round, in characters: with the case, the input and the answer, or the line.
const LATEST_CHARS_MAX: usize = 1_000;

/// The longest message of a failure before, in characters.
const MESSAGE_CHARS_MAX: usize = 300;

/// The meaning of figures, as a model is told it.
const ABOUT_FIGURES: &str = "Speeds are from short races of this search, relative to the reference, each with an interval: they \
steer the search and claim nothing. A figure whose interval has 1 inside may be no difference at all. `over_best` has readings \
over those of the best. `fuel_by_function` has the shares of the functions of a source in the fuel of its calls, which counts \
instructions and no time: without functions that they call, with what libraries do inline for them; `libraries` is what is left.";

/// Returns what was learnt, for candidates of the next round; `None` if none of the best has a source. `source` returns
/// that of a program.
pub(crate) fn learnt(
    archive: &Archive,
    rounds: u32,
    source: impl Fn(&Program) -> Option<Arc<str>>,
) -> Option<(usize, SearchLessons)> {
    let told = told_programs(archive, |program| source(program).is_some());
    let first = *told.best.first()?;
    let programs = |indexes: Vec<usize>| -> Vec<ToldProgram> {
        let indexes = indexes.into_iter();
        let with_source = indexes.filter_map(|index| {
            let one = &archive.candidates[index];
            Some(program(one, source(&one.program)?.as_ref()))
        });
        with_source.collect()
    };
    let (best, different) = (programs(told.best), programs(told.different));
    let beside_best = |one: ToldProgram| ToldProgram {
        over_best: over(&one.readings, &archive.candidates[first].readings)
            .map(|(source, over)| (source.to_owned(), rounded(over)))
            .collect(),
        ..one
    };
    let reference = archive
        .reference
        .map(|index| archive.candidates[index].name.clone());
    let made = archive
        .candidates
        .iter()
        .filter(|one| one.parent.is_some() && !one.control);
    let mut tried: Vec<TriedCandidate> = made
        .rev()
        .take(TRIED_MAX)
        .map(|one| tried_one(archive, one))
        .collect();
    tried.reverse();
    Some((
        first,
        SearchLessons {
            is_first_try: false,
            round: archive.rounds + 1,
            rounds,
            reference: reference.unwrap_or_default(),
            about_figures: ABOUT_FIGURES,
            best: best.into_iter().map(beside_best).collect(),
            different: different.into_iter().map(beside_best).collect(),
            tried,
            wishes: Vec::new(),
        },
    ))
}

/// The programs that are told with their sources, by their indexes.
pub(crate) struct ToldIndexes {
    /// The best, the best first.
    pub(crate) best: Vec<usize>,
    /// Good ones of another descent.
    pub(crate) different: Vec<usize>,
}

/// Returns the programs that are told with their sources.
pub(crate) fn told_programs(
    archive: &Archive,
    has_source: impl Fn(&Program) -> bool,
) -> ToldIndexes {
    let has_source = |index: &usize| has_source(&archive.candidates[*index].program);
    let best = archive.elites.iter().copied().filter(has_source);
    let best: Vec<usize> = best.take(PROGRAMS_MAX).collect();
    let different = other_descents(archive, &best).into_iter();
    ToldIndexes {
        different: different.filter(has_source).take(DIFFERENT_MAX).collect(),
        best,
    }
}

/// Returns what is told where nothing is to be told of the search: the best of what it began with.
pub(crate) fn first_try(
    archive: &Archive,
    learnt: &SearchLessons,
    source: impl Fn(&Program) -> Option<Arc<str>>,
) -> Option<(usize, SearchLessons)> {
    let reference = archive.reference.into_iter();
    let mut begun = reference.chain(archive.beginnings());
    let (index, text) = begun.find_map(|index| {
        let own = source(&archive.candidates[index].program)?;
        Some((index, own))
    })?;
    let one = &archive.candidates[index];
    // Where its fuel goes was found out for the search.
    let begun = ToldProgram {
        fuel_by_function: Vec::new(),
        ..program(one, &text)
    };
    Some((
        index,
        SearchLessons {
            best: vec![begun],
            different: Vec::new(),
            tried: Vec::new(),
            wishes: vec![Wish::Improve],
            is_first_try: true,
            ..learnt.clone()
        },
    ))
}

/// Returns the candidate that a program with this source descends from: one of the best, or one that the search began
/// with; and the program.
pub(crate) fn descent(
    archive: &Archive,
    loaded: &LoadedExperiment,
    (source, values): (&str, Values),
) -> Option<(usize, Program)> {
    let is_own = |one: &&Approach| {
        let text = loaded.texts.get(one.code.path());
        text.is_some_and(|text| text.as_ref() == source)
    };
    let origin = loaded.experiment.approaches.iter().find(is_own);
    let all = archive.elites.iter().copied().chain(archive.beginnings());
    let mut all = all.map(|index| (index, &archive.candidates[index].program));
    let found = match origin {
        Some(origin) => all.find(|(_, one)| one.source.is_none() && one.origin == origin.name),
        None => all.find(|(_, one)| one.source.as_deref() == Some(source)),
    };
    let own = |origin: &str, is_own: bool| Program {
        origin: origin.to_owned(),
        values: values.clone(),
        source: (!is_own).then(|| source.into()),
    };
    let best = archive.elites.first().copied();
    let (index, is_own) = match found {
        Some((index, _)) => (index, origin.is_some()),
        None => (best?, false),
    };
    Some((
        index,
        own(&archive.candidates[index].program.origin, is_own),
    ))
}

/// Returns the programs that a proposer is told: the approaches of the experiment, and the best candidates so far.
pub(crate) fn programs(archive: &Archive, loaded: &LoadedExperiment) -> Vec<ProposerProgram> {
    let approaches = loaded.experiment.approaches.iter();
    let approaches = approaches.map(|one| ProposerProgram {
        name: one.name.clone(),
        description: one.description.clone().unwrap_or_default(),
        source: loaded.texts.get(one.code.path()).cloned(),
        parameters: with_tried(archive, one),
    });
    let best = (archive.elites.iter()).map(|index| &archive.candidates[*index]);
    let best = best.filter(|one| one.program.source.is_some());
    let best = best.map(|one| ProposerProgram {
        name: one.name.clone(),
        description: one.change.clone(),
        source: one.program.source.clone(),
        parameters: (one.program.values.iter())
            .map(|(name, value)| Parameter {
                name: name.clone(),
                values: vec![value.clone()],
            })
            .collect(),
    });
    approaches.chain(best).collect()
}

/// Returns the parameters of an approach, with the values that were tried beside its own.
fn with_tried(archive: &Archive, approach: &Approach) -> Vec<Parameter> {
    let mut parameters = approach.sweep.clone();
    let candidates = archive.candidates.iter().map(|one| &one.program);
    let own = candidates.filter(|one| one.source.is_none() && one.origin == approach.name);
    for values in own.map(|one| &one.values) {
        for one in &mut parameters {
            match values.get(&one.name) {
                Some(value) if !one.values.contains(value) => one.values.push(value.clone()),
                _ => {}
            }
        }
    }
    parameters
}

/// Returns the results of all candidates that a proposer is told of.
pub(crate) fn results(archive: &Archive) -> Vec<ProposerResult> {
    let all = archive.candidates.iter().enumerate();
    let all = all.filter(|(_, one)| !one.control);
    all.map(|(index, one)| {
        let place = archive.ranked.iter().position(|other| *other == index);
        let mut readings = one.readings.clone();
        readings.extend(fuel_by_function(one).iter().map(fuel_reading));
        readings.extend(one.ratio.map(|ratio| ("speed".to_owned(), rounded(ratio))));
        ProposerResult {
            approach: match one.program.source {
                Some(_) => one.name.clone(),
                None => one.program.origin.clone(),
            },
            parameters: one.program.values.clone(),
            failure: match &one.outcome {
                CandidateOutcome::Failed(class, message) => Some(format!("{class}: {message}")),
                CandidateOutcome::Passed | CandidateOutcome::Gated | CandidateOutcome::Same(_) => {
                    None
                }
            },
            rank: place.and_then(|place| u32::try_from(place + 1).ok()),
            total: one.total,
            readings,
        }
    })
    .collect()
}

/// Returns the speed of a candidate as a model is told it.
fn speed(one: &Candidate) -> ToldSpeed {
    let against = one.against_reference.filter(|_| one.ratio.is_some());
    ToldSpeed {
        speed: one.ratio.map(rounded),
        speed_interval: against.map(|one| [one.low, one.high].map(|end| end.map(rounded))),
        against_reference: against.map(|one| one.verdict.name()),
    }
}

fn program(one: &Candidate, source: &str) -> ToldProgram {
    ToldProgram {
        name: one.name.clone(),
        change: one.change.clone(),
        speed: speed(one),
        readings: one.readings.clone(),
        over_best: BTreeMap::new(),
        fuel_by_function: fuel_by_function(one).to_vec(),
        parameters: one.program.values.clone(),
        source: source.to_owned(),
    }
}

/// Returns the shares of a candidate's fuel, as far as they are known.
fn fuel_by_function(one: &Candidate) -> &[FunctionFuel] {
    let fuel = one.fuel_by_function.as_ref();
    fuel.map_or(&[], |fuel| &fuel.functions)
}

/// Returns the share of a function as a proposer is told it, which knows readings alone.
fn fuel_reading(one: &FunctionFuel) -> (String, f64) {
    let source = match one.lines {
        Some([first, last]) => format!("fuel:{}:{first}-{last}", one.function),
        None => format!("fuel:{}", one.function),
    };
    (source, one.share)
}

fn tried_one(archive: &Archive, one: &Candidate) -> TriedCandidate {
    let (outcome, message) = match &one.outcome {
        CandidateOutcome::Passed => ("passed", None),
        CandidateOutcome::Gated => ("fails a gate", None),
        CandidateOutcome::Same(_) => ("the same program as another", None),
        CandidateOutcome::Failed(class, message) => (class.as_str(), Some(message)),
    };
    let from = one
        .parent
        .map(|index| archive.candidates[index].name.clone());
    let chars_max = if one.round == archive.rounds {
        LATEST_CHARS_MAX
    } else {
        MESSAGE_CHARS_MAX
    };
    TriedCandidate {
        from: from.unwrap_or_default(),
        change: one.change.clone(),
        outcome: outcome.to_owned(),
        message: message.map(|text| text.chars().take(chars_max).collect()),
        speed: speed(one),
        readings: archive
            .by
            .iter()
            .filter_map(|by| Some((by.clone(), archive.reading(one)?)))
            .collect(),
    }
}

/// Returns a figure with three decimals: more of them claim more than a short race knows.
fn rounded(figure: f64) -> f64 {
    (figure * 1e3).round() / 1e3
}
