//! Ranks: who is surely ahead of whom.

use super::input::Interval;

/// Alternatives are close when their total is within this of the best one.
pub const CLOSE: f64 = 0.1;

/// Rounding of sums of weights: a difference of totals below this is none.
const ROUNDING: f64 = 1e-12;

/// Who is surely ahead of whom: `ahead[a][b]`.
pub(super) type Ahead = Vec<Vec<bool>>;

/// From differences of totals to the relation, closed under transitivity: if a is ahead of b and b
/// of c, both surely, then so is a of c, even where that pair's own interval is still wide.
pub(super) fn ahead(size: usize, difference: impl Fn(usize, usize) -> Option<Interval>) -> Ahead {
    let mut ahead = vec![vec![false; size]; size];
    for (a, row) in ahead.iter_mut().enumerate() {
        for (b, cell) in row.iter_mut().enumerate() {
            *cell =
                a != b && difference(a, b).is_some_and(|d| d.low.is_some_and(|low| low > ROUNDING));
        }
    }
    for through in 0..size {
        for from in 0..size {
            if ahead[from][through] {
                let further = ahead[through].clone();
                let row = ahead[from].iter_mut().zip(further);
                row.for_each(|(cell, further)| *cell |= further);
            }
        }
    }
    ahead
}

/// By candidate: 1 + the number of those surely ahead of it. Whoever is not told apart from the
/// best shares its rank.
pub(super) fn ranks(ahead: &Ahead) -> Vec<u32> {
    let before = |me: usize| ahead.iter().filter(|row| row[me]).count();
    (0..ahead.len())
        .map(|me| u32::try_from(before(me)).unwrap_or(u32::MAX - 1) + 1)
        .collect()
}
