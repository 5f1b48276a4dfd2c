//! Pareto dominance by verdicts, not by point estimates.

use super::difference;
use super::input::ScoreInput;
use super::variant_score::ScoreResult;
use crate::verdict::Verdict;

/// How one variant compares with another on one criterion.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Better,
    Equal,
    Worse,
    Unknown,
}

/// The ranked variants that no other dominates, in their order. A variant dominates another if it is
/// at least as good on every criterion that counts, and surely better on one.
pub(super) fn front(
    input: &ScoreInput,
    ranked: &[usize],
    cells: &[Option<Vec<ScoreResult>>],
) -> Vec<usize> {
    let dominated = |b: usize| {
        let others = ranked.iter().filter(|a| **a != b);
        others.into_iter().any(|a| dominates(input, cells, *a, b))
    };
    ranked.iter().copied().filter(|b| !dominated(*b)).collect()
}

fn dominates(input: &ScoreInput, cells: &[Option<Vec<ScoreResult>>], a: usize, b: usize) -> bool {
    let mut better = false;
    for criterion in 0..input.criteria.len() {
        if input.criteria[criterion].weight <= 0.0 {
            continue;
        }
        match relation(input, cells, criterion, a, b) {
            Relation::Better => better = true,
            Relation::Equal => {}
            Relation::Worse | Relation::Unknown => return false,
        }
    }
    better
}

fn relation(
    input: &ScoreInput,
    cells: &[Option<Vec<ScoreResult>>],
    index: usize,
    a: usize,
    b: usize,
) -> Relation {
    let criterion = &input.criteria[index];
    if criterion.is_paired() {
        return match difference::outcome(input, criterion, a, b) {
            Some(Verdict::Beats) => Relation::Better,
            Some(Verdict::Beaten) => Relation::Worse,
            Some(Verdict::Tie) => Relation::Equal,
            Some(Verdict::NoCall) | None => Relation::Unknown,
        };
    }
    let (Some(cells_a), Some(cells_b)) = (&cells[a], &cells[b]) else {
        return Relation::Unknown;
    };
    let apart = difference::of_scores(input, criterion, (a, &cells_a[index]), (b, &cells_b[index]));
    let Some(apart) = apart else {
        return Relation::Unknown;
    };
    match (apart.low, apart.high) {
        (Some(low), _) if low > 0.0 => Relation::Better,
        (_, Some(high)) if high < 0.0 => Relation::Worse,
        (Some(0.0), Some(0.0)) => Relation::Equal,
        _ => Relation::Unknown,
    }
}
