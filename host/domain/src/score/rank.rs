//! Ranks, from the pairs of which one variant is surely ahead of the other.

use crate::interval::Interval;

/// The rounding error of sums of weights: a smaller difference of totals counts as none.
const ROUNDING: f64 = 1e-12;

/// Returns true if a difference of totals is surely above zero.
pub(super) fn is_positive(difference: Option<Interval>) -> bool {
    difference.is_some_and(|difference| difference.low.is_some_and(|low| low > ROUNDING))
}

/// `ahead[a][b]` is true if a is surely ahead of b.
pub(super) type Ahead = Vec<Vec<bool>>;

/// The relation "surely ahead", closed under transitivity: if a is surely ahead of b and b of c, so is a of c, even
/// where the interval of that pair is still wide. This holds only of claims that `chains` accepts: a claim about most
/// inputs says nothing of a third variant. Two that would be ahead of each other by any chain contradict one another,
/// and neither is ahead.
pub(super) fn ahead(
    size: usize,
    is_ahead: impl Fn(usize, usize) -> bool,
    chains: impl Fn(usize, usize) -> bool,
) -> Ahead {
    let mut direct = vec![vec![false; size]; size];
    let mut links = direct.clone();
    for a in 0..size {
        for b in 0..size {
            direct[a][b] = a != b && is_ahead(a, b);
            links[a][b] = direct[a][b] && chains(a, b);
        }
    }
    let by_any_chain = closed(direct.clone());
    let mut ahead = closed(links);
    for a in 0..size {
        for b in 0..size {
            ahead[a][b] = (ahead[a][b] || direct[a][b]) && !by_any_chain[b][a];
        }
    }
    ahead
}

/// Returns the pairs that are in both relations.
pub(super) fn in_both(one: &Ahead, other: &Ahead) -> Ahead {
    let rows = one.iter().zip(other);
    let cells = |(row, other): (&Vec<bool>, &Vec<bool>)| {
        row.iter().zip(other).map(|(a, b)| *a && *b).collect()
    };
    rows.map(cells).collect()
}

fn closed(mut ahead: Ahead) -> Ahead {
    for through in 0..ahead.len() {
        for from in 0..ahead.len() {
            if ahead[from][through] {
                let further = ahead[through].clone();
                let row = ahead[from].iter_mut().zip(further);
                row.for_each(|(cell, further)| *cell |= further);
            }
        }
    }
    ahead
}

/// Ranks by variant: 1 + the number of variants that are surely ahead of it.
pub(super) fn ranks(ahead: &Ahead) -> Vec<u32> {
    let before = |me: usize| ahead.iter().filter(|row| row[me]).count();
    (0..ahead.len())
        .map(|me| u32::try_from(before(me)).unwrap_or(u32::MAX - 1) + 1)
        .collect()
}
