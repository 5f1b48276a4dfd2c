//! A hill climber, after the pattern search of Hooke and Jeeves (1961): one parameter moves at a time. A move that found a
//! better candidate is tried again at twice its length; where moves of a length find nothing, shorter ones follow.

use super::super::candidate::{Made, Program};
use super::super::random::Random;
use super::super::space::{Point, Space};
use super::Known;

/// Share of the number of a parameter's values that a first move has.
const FIRST_SHARE: usize = 4;

/// Makes at most `count` candidates, of which the best parent has two where others have one.
pub(crate) fn climb(known: &mut Known<'_>, random: &mut Random, count: usize) -> Vec<Made> {
    let mut lists: Vec<std::vec::IntoIter<Made>> = Vec::new();
    for parent in &known.parents {
        lists.push(moves(known, random, *parent).into_iter());
    }
    let mut made = Vec::new();
    let mut is_left = true;
    while made.len() < count && is_left {
        is_left = false;
        for (place, list) in lists.iter_mut().enumerate() {
            for _ in 0..if place == 0 { 2 } else { 1 } {
                if made.len() == count {
                    break;
                }
                if let Some(next) = list.find(|one| known.is_new(&one.program)) {
                    made.push(next);
                    is_left = true;
                }
            }
        }
    }
    made
}

/// Returns all moves of one parameter, the most promising first.
fn moves(known: &Known<'_>, random: &mut Random, parent: usize) -> Vec<Made> {
    let program = &known.candidate(parent).program;
    let Some((space, from)) = known
        .space(parent)
        .and_then(|space| Some((space, space.point(&program.values)?)))
    else {
        return Vec::new();
    };
    let sizes = space.sizes();
    let mut points: Vec<Point> = Vec::new();
    let last = last_move(known, parent, space, &from);
    let moved = |axis: usize, by: isize| {
        let to = from[axis].checked_add_signed(by)?;
        let mut point = from.clone();
        point[axis] = to;
        (to < sizes[axis]).then_some(point)
    };
    if let Some((axis, by)) = last {
        points.extend(moved(axis, by.saturating_mul(2)));
    }
    let longest = sizes.iter().copied().max().unwrap_or(0);
    let first = match last {
        Some((_, by)) => by.unsigned_abs(),
        None => (longest / FIRST_SHARE).max(1),
    };
    for length in lengths(first, longest) {
        let mut level: Vec<Point> = Vec::new();
        for axis in 0..sizes.len() {
            let by = isize::try_from(length).unwrap_or(isize::MAX);
            level.extend([moved(axis, by), moved(axis, -by)].into_iter().flatten());
        }
        random.shuffle(&mut level);
        points.extend(level);
    }
    points
        .into_iter()
        .map(|point| Made {
            parent,
            by: "climb".into(),
            change: space.change(&from, &point),
            program: Program {
                values: space.values(&point),
                ..program.clone()
            },
            control: false,
        })
        .collect()
}

/// Returns lengths of moves: from the first one by halves to 1, and then by doubles above it.
fn lengths(first: usize, longest: usize) -> Vec<usize> {
    let halves = std::iter::successors(Some(first), |length| Some(length / 2));
    let doubles = std::iter::successors(first.checked_mul(2), |length| length.checked_mul(2));
    let halves = halves.take_while(|length| *length > 0);
    halves
        .chain(doubles.take_while(|length| *length < longest))
        .collect()
}

/// Returns the parameter, and by how many values it was moved, where a candidate is one move away from its parent.
fn last_move(
    known: &Known<'_>,
    candidate: usize,
    space: Space<'_>,
    at: &[usize],
) -> Option<(usize, isize)> {
    let parent = known.candidate(candidate).parent?;
    let before = space.point(&known.candidate(parent).program.values)?;
    let mut moved = (0..at.len()).filter(|axis| before[*axis] != at[*axis]);
    let axis = moved.next()?;
    let by = at[axis] as isize - before[axis] as isize;
    moved.next().is_none().then_some((axis, by))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_go_down_and_then_up() {
        assert_eq!(lengths(25, 100), [25, 12, 6, 3, 1, 50]);
        assert_eq!(lengths(1, 4), [1, 2]);
        assert_eq!(lengths(1, 1), [1]);
    }
}
