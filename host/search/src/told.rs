//! Knowledge of a search, for a model.

use super::archive::Archive;
use super::candidate::{Candidate, Outcome, Program};
use bakeoff_propose::{Learnt, ToldProgram, Tried};
use std::sync::Arc;

/// The most programs whose sources are told.
const PROGRAMS_MAX: usize = 3;

/// The most candidates that are told of as tried: the latest.
const TRIED_MAX: usize = 30;

/// The longest message of a failure, in characters.
const MESSAGE_CHARS_MAX: usize = 300;

/// Returns what was learnt, for candidates of the next round; `None` if none of the best has a source. `source` returns
/// that of a program.
pub(crate) fn learnt(
    archive: &Archive,
    rounds: u32,
    source: impl Fn(&Program) -> Option<Arc<str>>,
) -> Option<(usize, Learnt)> {
    let with_source = archive.elites.iter().filter_map(|index| {
        let one = &archive.candidates[*index];
        Some((*index, program(one, source(&one.program)?.as_ref())))
    });
    let best: Vec<(usize, ToldProgram)> = with_source.take(PROGRAMS_MAX).collect();
    let first = best.first()?.0;
    let reference = archive
        .reference
        .map(|index| archive.candidates[index].name.clone());
    let made = archive
        .candidates
        .iter()
        .filter(|one| one.parent.is_some() && !one.control);
    let mut tried: Vec<Tried> = made
        .rev()
        .take(TRIED_MAX)
        .map(|one| tried_one(archive, one))
        .collect();
    tried.reverse();
    Some((
        first,
        Learnt {
            round: archive.rounds + 1,
            rounds,
            reference: reference.unwrap_or_default(),
            best: best.into_iter().map(|(_, program)| program).collect(),
            tried,
        },
    ))
}

fn program(one: &Candidate, source: &str) -> ToldProgram {
    ToldProgram {
        name: one.name.clone(),
        speed: one.ratio.map(rounded),
        readings: one.readings.clone(),
        parameters: one.program.values.clone(),
        source: source.to_owned(),
    }
}

fn tried_one(archive: &Archive, one: &Candidate) -> Tried {
    let (outcome, message) = match &one.outcome {
        Outcome::Passed => ("passed", None),
        Outcome::Gated => ("fails a gate", None),
        Outcome::Same(_) => ("the same program as another", None),
        Outcome::Failed(class, message) => (class.as_str(), Some(message)),
    };
    let from = one
        .parent
        .map(|index| archive.candidates[index].name.clone());
    Tried {
        from: from.unwrap_or_default(),
        change: one.change.clone(),
        outcome: outcome.to_owned(),
        message: message.map(|text| text.chars().take(MESSAGE_CHARS_MAX).collect()),
        speed: one.ratio.map(rounded),
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
