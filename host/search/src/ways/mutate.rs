//! Small changes of sources: one place of a good candidate's source at a time.

use super::super::candidate::{CandidateOutcome, NewCandidate, Program};
use super::super::random::Random;
use super::SearchKnowledge;
use bakeoff_compile::Mutation;
use std::collections::BTreeSet;

/// The most trials for each candidate that is wanted.
const TRIALS: usize = 50;

/// Makes at most `count` candidates of these parents.
pub(crate) fn mutate(
    known: &mut SearchKnowledge<'_>,
    random: &mut Random,
    count: usize,
    parents: &[usize],
    control: bool,
) -> Vec<NewCandidate> {
    let changes = known.changes;
    let able: Vec<(usize, &[Mutation])> = parents
        .iter()
        .filter_map(|parent| {
            let own = changes.get(&known.candidate(*parent).program.key())?;
            (!own.is_empty()).then_some((*parent, own.as_slice()))
        })
        .collect();
    // What failed in one candidate fails in its relatives.
    let candidates = known.archive.candidates.iter();
    let failed: BTreeSet<(String, String)> = candidates
        .filter(|one| one.by == "mutate" && matches!(one.outcome, CandidateOutcome::Failed(..)))
        .map(|one| (one.program.origin.clone(), one.change.clone()))
        .collect();
    let mut made = Vec::new();
    if able.is_empty() {
        return made;
    }
    for _ in 0..count * TRIALS {
        if made.len() == count {
            break;
        }
        let (parent, changes) = able[random.below(able.len())];
        let program = &known.candidate(parent).program;
        let one = &changes[random.below(changes.len())];
        if failed.contains(&(program.origin.clone(), one.change.clone())) {
            continue;
        }
        let source = known.source(program);
        let Some(changed) = source.and_then(|text| one.applied(&text)) else {
            continue;
        };
        let candidate = NewCandidate {
            parent,
            by: "mutate".into(),
            change: one.change.clone(),
            wish: None,
            program: Program {
                source: Some(changed.into()),
                ..program.clone()
            },
            control,
        };
        if known.is_new(&candidate.program) {
            made.push(candidate);
        }
    }
    made
}
