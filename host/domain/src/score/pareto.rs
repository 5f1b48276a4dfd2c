//! Pareto dominance by verdicts, not by point estimates.

use super::CriterionSummary;
use super::difference;
use super::input::ScoreInput;
use super::variant_score::ScoreResult;
use crate::interval::Interval;
use crate::logarithm::ln;
use crate::reading_verdict::Claim;
use crate::spec::{Direction, Scale};
use crate::verdict::Verdict;
use std::cmp::Ordering;

/// The relative rounding error of a reading: a smaller difference counts as none.
const READING_ROUNDING: f64 = 1e-9;

/// A difference of fewer points than this is not worth a claim: on a ratio scale of base 10, it is about
/// one per cent.
const POINTS_MIN: f64 = 0.05;

/// Relation of one variant to another on one criterion.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    /// Surely better, and by enough to be worth a claim.
    Better,
    /// No worse.
    Equal,
    Worse,
    Unknown,
}

/// The ranked variants that no other dominates, in their order: on what was measured, and on all that counts.
pub(super) fn front(
    (input, measured): (&ScoreInput, &ScoreInput),
    ranked: &[usize],
    cells: &[Option<Vec<ScoreResult>>],
) -> Vec<usize> {
    let dominated = |b: usize| {
        let mut others = ranked.iter().filter(|a| **a != b);
        others.any(|a| dominates(measured, cells, *a, b) && dominates(input, cells, *a, b))
    };
    ranked.iter().copied().filter(|b| !dominated(*b)).collect()
}

/// Returns true if `a` is at least as good as `b` on every criterion that counts, and surely better on one, by enough
/// to be worth a claim.
pub(super) fn dominates(
    input: &ScoreInput,
    cells: &[Option<Vec<ScoreResult>>],
    a: usize,
    b: usize,
) -> bool {
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
            _ if mean_says_otherwise(input, criterion, a, b) => Relation::Unknown,
            Some(Verdict::Beats) => Relation::Better,
            Some(Verdict::Beaten) => Relation::Worse,
            Some(Verdict::Tie) => Relation::Equal,
            Some(Verdict::NoCall) | None => Relation::Unknown,
        };
    }
    // The readings, since scores cannot tell two that are at an end of the scale.
    let reading = |who: usize| {
        cells[who].as_ref()?.get(index)?.as_ref().ok()?;
        let reading = input.variants[who].readings.get(&criterion.source)?;
        Some(*reading)
    };
    let (Some(a), Some(b)) = (reading(a), reading(b)) else {
        return Relation::Unknown;
    };
    match compare_readings(a, b, criterion.direction) {
        Some(Ordering::Greater) if is_worth(criterion.scale, a.value, b.value) => Relation::Better,
        Some(Ordering::Greater | Ordering::Equal) => Relation::Equal,
        Some(Ordering::Less) => Relation::Worse,
        None => Relation::Unknown,
    }
}

/// Returns true if a claim about most inputs is against the means, which scores follow from.
fn mean_says_otherwise(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> bool {
    let claimed = difference::reading(input, criterion, a, b);
    let Some(row) = claimed.filter(|row| row.claim == Claim::MoreInputs) else {
        return false;
    };
    let mean = |who: usize| Some(input.variants[who].readings.get(&criterion.source)?.value);
    let Some((a, b)) = mean(a).zip(mean(b)) else {
        return false;
    };
    let better = match criterion.direction {
        Direction::HigherIsBetter => a.partial_cmp(&b),
        Direction::LowerIsBetter => b.partial_cmp(&a),
    };
    match row.verdict {
        Verdict::Beats => better == Some(Ordering::Less),
        Verdict::Beaten => better == Some(Ordering::Greater),
        Verdict::Tie | Verdict::NoCall => false,
    }
}

/// Returns how a reading surely compares with another: greater is better. `None` if their intervals
/// overlap.
pub fn compare_readings(a: Interval, b: Interval, direction: Direction) -> Option<Ordering> {
    let (a, b) = match direction {
        Direction::HigherIsBetter => (a.or_exact(), b.or_exact()),
        Direction::LowerIsBetter => (b.or_exact(), a.or_exact()),
    };
    let apart = a.plus(b.falling(|x| -x));
    let rounding = READING_ROUNDING * a.value.abs().max(b.value.abs());
    match (apart.low, apart.high) {
        (Some(low), _) if low > rounding => Some(Ordering::Greater),
        (_, Some(high)) if high < -rounding => Some(Ordering::Less),
        (Some(low), Some(high)) if low >= -rounding && high <= rounding => Some(Ordering::Equal),
        _ => None,
    }
}

/// Returns true if the difference of two readings is worth a claim: it makes at least 0.05 points on a
/// scale that does not end.
pub fn is_worth(scale: Scale, a: f64, b: f64) -> bool {
    let share = match scale {
        Scale::Ratio { base } => (ln(a) - ln(b)) / ln(base),
        Scale::Linear { low, high } => (a - b) / (high - low),
    };
    10.0 * share.abs() >= POINTS_MIN
}
