//! Values of parameters that are drawn without regard to any result.

use super::super::candidate::{NewCandidate, Program};
use super::super::random::Random;
use super::SearchKnowledge;

/// The most trials for each candidate that is wanted.
const TRIALS: usize = 50;

/// Makes at most `count` candidates, each of an approach that the search began with.
pub(crate) fn draw(
    known: &mut SearchKnowledge<'_>,
    random: &mut Random,
    count: usize,
    control: bool,
) -> Vec<NewCandidate> {
    let mut begun = known.archive.beginnings();
    begun.retain(|index| known.space(*index).is_some_and(|space| space.points() > 1));
    let mut made = Vec::new();
    if begun.is_empty() {
        return made;
    }
    for _ in 0..count * TRIALS {
        if made.len() == count {
            break;
        }
        let parent = begun[random.below(begun.len())];
        let Some(space) = known.space(parent) else {
            continue;
        };
        let program = &known.candidate(parent).program;
        let point: Vec<usize> = (space.sizes().into_iter())
            .map(|size| random.below(size))
            .collect();
        let from = space.point(&program.values).unwrap_or_default();
        let one = NewCandidate {
            parent,
            by: "draw".into(),
            change: space.change(&from, &point),
            wish: None,
            program: Program {
                values: space.values(&point),
                ..program.clone()
            },
            control,
        };
        if known.is_new(&one.program) {
            made.push(one);
        }
    }
    made
}
