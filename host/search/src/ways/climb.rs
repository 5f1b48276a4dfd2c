//! A hill climber, after the pattern search of Hooke and Jeeves (1961): one parameter moves at a time. A move that found a
//! better candidate is tried again at twice its length; where moves of a length find nothing, shorter ones follow.

use super::super::candidate::{NewCandidate, Program};
use super::super::random::Random;
use super::super::space::{Point, Space};
use super::SearchKnowledge;

/// Share of the number of a parameter's values that a first move has.
const FIRST_SHARE: usize = 4;

/// Makes at most `count` candidates, of which the best parent has two where others have one.
pub(crate) fn climb(
    known: &mut SearchKnowledge<'_>,
    random: &mut Random,
    count: usize,
) -> Vec<NewCandidate> {
    let mut lists: Vec<std::vec::IntoIter<NewCandidate>> = Vec::new();
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
fn moves(known: &SearchKnowledge<'_>, random: &mut Random, parent: usize) -> Vec<NewCandidate> {
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
    let share = match last {
        Some((axis, by)) => (by.unsigned_abs(), sizes[axis]),
        None => (1, FIRST_SHARE),
    };
    for lengths in levels(share, &sizes) {
        let mut level: Vec<Point> = Vec::new();
        for (axis, length) in lengths
            .into_iter()
            .enumerate()
            .filter(|(_, length)| *length > 0)
        {
            let by = isize::try_from(length).unwrap_or(isize::MAX);
            let both = [moved(axis, by), moved(axis, -by)];
            level.extend(
                both.into_iter()
                    .flatten()
                    .filter(|point| !points.contains(point)),
            );
        }
        random.shuffle(&mut level);
        points.extend(level);
    }
    points
        .into_iter()
        .map(|point| NewCandidate {
            parent,
            by: "climb".into(),
            change: space.change(&from, &point),
            wish: None,
            program: Program {
                values: space.values(&point),
                ..program.clone()
            },
            control: false,
        })
        .collect()
}

/// Returns lengths of moves, by parameter; 0 is none. The first are a share of the number of each one's values, a
/// quarter as `(1, 4)`, and 1 at least; halves of them follow, down to 1, and then doubles of the first.
fn levels(share: (usize, usize), sizes: &[usize]) -> Vec<Vec<usize>> {
    let first = |size: &usize| {
        let length = *size as u128 * share.0 as u128 / share.1.max(1) as u128;
        usize::try_from(length).unwrap_or(usize::MAX).max(1)
    };
    let first: Vec<usize> = sizes.iter().map(first).collect();
    let halves = std::iter::successors(Some(first.clone()), |lengths| {
        let halves = lengths.iter().map(|length| length / 2);
        Some(halves.collect::<Vec<usize>>())
    });
    let doubles = std::iter::successors(Some(first), |lengths| {
        let doubles = lengths.iter().zip(sizes).map(|(length, size)| {
            let double = length.checked_mul(2).filter(|double| double < size);
            double.unwrap_or(0)
        });
        Some(doubles.collect::<Vec<usize>>())
    });
    let is_some = |lengths: &Vec<usize>| lengths.iter().any(|length| *length > 0);
    let halves = halves.take_while(is_some);
    halves.chain(doubles.skip(1).take_while(is_some)).collect()
}

/// Returns the parameter, and by how many values it was moved, where a candidate is one move away from its parent.
fn last_move(
    known: &SearchKnowledge<'_>,
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
    fn lengths_are_shares_of_each_list_and_go_down_and_then_up() {
        let of_one = |share, size| levels(share, &[size]).concat();
        assert_eq!(of_one((25, 100), 100), [25, 12, 6, 3, 1, 50]);
        assert_eq!(of_one((1, 4), 4), [1, 2]);
        assert_eq!(of_one((1, 1), 1), [1]);
        assert_eq!(of_one((1, 4), 1), [1]);
        assert_eq!(of_one((usize::MAX, 1), usize::MAX)[0], usize::MAX);
        // A short list is not searched with the moves of a long one.
        let both = levels((1, 4), &[200, 30]);
        assert_eq!(
            both,
            [
                [50, 7],
                [25, 3],
                [12, 1],
                [6, 0],
                [3, 0],
                [1, 0],
                [100, 14],
                [0, 28]
            ]
        );
        assert_eq!(levels((1, 4), &[]), [[0; 0]; 0]);
    }
}
