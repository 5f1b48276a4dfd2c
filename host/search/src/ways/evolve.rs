//! An evolution strategy over the values of parameters: children of two good candidates are moved at random, further
//! while that finds something, and less far while it does not, as in the rule of Rechenberg (1973). That rule is about
//! single children; of a round with several, two in three should find something.

use super::super::candidate::{NewCandidate, Program};
use super::super::random::Random;
use super::SearchKnowledge;

/// Distance of a first move, as a share of the number of a parameter's values.
const FIRST_STEP: f64 = 0.3;

/// Factor of the distance after a round that found a new best candidate, and after one that did not: one failure takes
/// back two successes.
const AFTER_SUCCESS: f64 = 1.2;
const AFTER_FAILURE: f64 = 0.694_444; // 1.2^(-2)

/// Bounds of the distance.
const STEP_MIN: f64 = 0.01;
const STEP_MAX: f64 = 0.5;

/// The most trials for each candidate that is wanted: where nearly all is known, there is nothing more to find.
const TRIALS: usize = 50;

/// Makes at most `count` candidates.
pub(crate) fn evolve(
    known: &mut SearchKnowledge<'_>,
    random: &mut Random,
    count: usize,
) -> Vec<NewCandidate> {
    let parents: Vec<usize> = known
        .parents
        .iter()
        .copied()
        .filter(|parent| known.space(*parent).is_some())
        .collect();
    if parents.is_empty() {
        return Vec::new();
    }
    let step = step(known.archive.successes(), known.archive.rounds);
    let mut made = Vec::new();
    for _ in 0..count * TRIALS {
        if made.len() == count {
            break;
        }
        let parent = parents[random.below(parents.len())];
        let other = parents[random.below(parents.len())];
        let Some(child) = child(known, random, (parent, other), step) else {
            continue;
        };
        if known.is_new(&child.program) {
            made.push(child);
        }
    }
    made
}

/// Returns the distance of a move after so many rounds, of which some found a new best candidate.
fn step(successes: u32, rounds: u32) -> f64 {
    let failures = rounds.saturating_sub(successes);
    let grown = FIRST_STEP * AFTER_SUCCESS.powi(successes as i32);
    (grown * AFTER_FAILURE.powi(failures as i32)).clamp(STEP_MIN, STEP_MAX)
}

/// Returns a child of two candidates: each value is that of one of them, moved at random.
fn child(
    known: &SearchKnowledge<'_>,
    random: &mut Random,
    (parent, other): (usize, usize),
    step: f64,
) -> Option<NewCandidate> {
    let space = known.space(parent)?;
    let program = &known.candidate(parent).program;
    let from = space.point(&program.values)?;
    // Of another approach there is nothing to take.
    let other = &known.candidate(other).program;
    let second = if other.origin == program.origin {
        space.point(&other.values)?
    } else {
        from.clone()
    };
    let mut point = Vec::with_capacity(from.len());
    for (axis, size) in space.sizes().into_iter().enumerate() {
        let start = if random.below(2) == 0 {
            from[axis]
        } else {
            second[axis]
        };
        let moved = start as f64 + random.normal() * step * size as f64;
        let last = size.saturating_sub(1) as f64;
        point.push(moved.round().clamp(0.0, last) as usize);
    }
    Some(NewCandidate {
        parent,
        by: "evolve".into(),
        change: space.change(&from, &point),
        wish: None,
        program: Program {
            values: space.values(&point),
            ..program.clone()
        },
        control: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_follows_what_was_found() {
        assert!((step(0, 0) - FIRST_STEP).abs() < 1e-9);
        assert!(step(1, 1) > step(0, 0));
        assert!(step(0, 1) < step(0, 0));
        // Two successes in three rounds keep it.
        assert!((step(2, 3) - FIRST_STEP).abs() < 1e-3, "{}", step(2, 3));
        assert_eq!(step(0, 1_000), STEP_MIN);
        assert_eq!(step(1_000, 1_000), STEP_MAX);
    }
}
