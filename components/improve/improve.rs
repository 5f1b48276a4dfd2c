//! The best of the last run, written anew by a model that is told what the run said.
//!
//! The variants of the last run are taken in the order of their ranks. A model gets the source of each, what the run
//! measured of it and what failed, and is asked for a better one. What it writes is built, called and judged like any
//! prototype. Asked for with a model: `bakeoff generate DIR --proposer FILE --provider NAME --model NAME --usd N`.

#![forbid(unsafe_code)]

use crate::bakeoff::{Approach, CompletionError, Error, Outcome, Proposal, Task, complete};

/// The most tokens of one reply.
const TOKENS_MAX: u32 = 8_000;

/// The most failures that a model is told.
const FAILURES_MAX: usize = 5;

/// Approaches that a model makes of the best ones.
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let best = best(task);
    if best.is_empty() {
        return Err(Error::NothingToPropose(
            "no approach has a source to begin with".to_owned(),
        ));
    }
    let mut proposals = Vec::new();
    for place in 0..task.count as usize {
        let (approach, outcome) = best[place % best.len()];
        match complete(
            &prompt(task, approach, outcome, place / best.len()),
            TOKENS_MAX,
        ) {
            Ok(text) => {
                let about = format!(
                    "{}, written anew with what the last run said.",
                    approach.name
                );
                let name = format!("{} improved", approach.name);
                proposals.push(Proposal::new(&name, &source(&text)).about(about));
            }
            // One reply that is of no use leaves the others; where there are no more, what there is counts.
            Err(CompletionError::Refused(_) | CompletionError::Unusable(_)) => {}
            Err(error) if proposals.is_empty() => return Err(error.into()),
            Err(_) => break,
        }
    }
    Ok(proposals)
}

/// The approaches with a source and without parameters, best first, each with its outcome if it has one.
fn best(task: &Task) -> Vec<(&Approach, Option<&Outcome>)> {
    let mut known: Vec<_> = task
        .known
        .iter()
        .filter(|one| one.source().is_some() && one.parameters.is_empty())
        .map(|one| {
            (
                one,
                task.outcomes
                    .iter()
                    .find(|outcome| outcome.approach == one.name),
            )
        })
        .collect();
    known.sort_by_key(|(_, outcome)| outcome.and_then(|one| one.rank).unwrap_or(u32::MAX));
    known
}

/// What a model is asked. `round` counts how often it was asked about the same approach.
fn prompt(task: &Task, approach: &Approach, outcome: Option<&Outcome>, round: usize) -> String {
    let problem = &task.problem;
    let mut text = format!(
        "The problem: {}\n\nThe function, in Rust:\n{}\n\nThe cases that are measured: {}\n\nA solution, `{}`:\n{}\n",
        problem.statement,
        problem.signature,
        problem.cases.join(", "),
        approach.name,
        approach.source().unwrap_or_default(),
    );
    if let Some(workload) = &problem.workload {
        text += &format!(
            "\nHow inputs are made and answers are judged:\n{}\n",
            workload.text
        );
    }
    for reading in outcome.iter().flat_map(|one| &one.readings) {
        text += &format!(
            "\nMeasured of it: {} = {} {}",
            reading.source, reading.value, reading.unit
        );
    }
    let failed = task
        .outcomes
        .iter()
        .filter_map(|one| Some((one, one.failure.as_ref()?)));
    for (one, why) in failed.take(FAILURES_MAX) {
        text += &format!("\nAnother solution, `{}`, failed: {why}", one.approach);
    }
    text += "\n\nWrite a better solution: one Rust file with this function, with the standard library alone, for a \
             sandbox without threads, files, clock and network. Reply with the text of the file and nothing else.";
    match round {
        0 => text,
        _ => format!(
            "{text} This is question {} about it: take another way than before.",
            round + 1
        ),
    }
}

/// The file in a reply: what stands between fences, if there are any.
fn source(reply: &str) -> String {
    let Some((_, inner)) = reply.split_once("```") else {
        return reply.to_owned();
    };
    let inner = inner.split_once('\n').map_or(inner, |(_, inner)| inner);
    inner.split("```").next().unwrap_or(inner).to_owned()
}
