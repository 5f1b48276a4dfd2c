//! The difference of two variants, on one criterion and in total, as far as verdicts carry it.
//!
//! A difference depends on the two variants alone: adding a third never changes it, and so never
//! turns a rank around.

use super::scale::{self, Cell};
use super::{CriterionSummary, Interval, ScoreInput};
use crate::spec::Scale;
use crate::verdict::{PairVerdict, RatioInterval, Reversal, Verdict};

/// A sure difference is at least this many points: what keeps an interval off zero when its end
/// is not known.
const SURE: f64 = 1e-6;

/// Whether verdicts about this criterion's source were given at all.
pub(super) fn has_verdicts(input: &ScoreInput, criterion: &CriterionSummary) -> bool {
    criterion.is_paired() && rows(input, criterion).next().is_some()
}

fn rows<'a>(
    input: &'a ScoreInput,
    criterion: &CriterionSummary,
) -> impl Iterator<Item = &'a PairVerdict> {
    let rows = input.verdicts.get(&criterion.source).into_iter().flatten();
    rows.filter(|row| row.case.is_none())
}

/// Whether a verdict speaks of the candidate.
pub(super) fn takes_part(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    candidate: usize,
) -> bool {
    rows(input, criterion).any(|row| row.a == candidate || row.b == candidate)
}

/// The verdict about `a` against `b`, whichever way round it was given.
pub(super) fn row(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> Option<PairVerdict> {
    let found = rows(input, criterion)
        .find(|row| (row.a, row.b) == (a, b) || (row.a, row.b) == (b, a))?
        .clone();
    Some(if found.a == a { found } else { turned(found) })
}

/// The same fact seen from the other side.
fn turned(row: PairVerdict) -> PairVerdict {
    let inverse = |x: Option<f64>| x.map(|x| 1.0 / x);
    PairVerdict {
        a: row.b,
        b: row.a,
        verdict: row.verdict.reversed(),
        interval: RatioInterval {
            ratio: inverse(row.interval.ratio),
            low: inverse(row.interval.high),
            high: inverse(row.interval.low),
        },
        reversal: row.reversal.map(Reversal::reversed),
        ..row
    }
}

/// The time of `a` divided by that of `b`, if it is known. Twins that tie without having been run
/// have the ratio 1.
pub(super) fn ratio(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> Option<Interval> {
    let row = row(input, criterion, a, b)?;
    let usable = |x: &f64| x.is_finite() && *x > 0.0;
    match row.interval.ratio.filter(usable) {
        Some(value) => Some(Interval {
            value,
            low: row.interval.low.filter(usable).map(|low| low.min(value)),
            high: row.interval.high.filter(usable).map(|h| h.max(value)),
        }),
        None => (row.verdict == Verdict::Tie).then(|| Interval::exact(1.0)),
    }
}

/// How many points `a` has more than `b` on one criterion. `None` if either has no score.
pub(super) fn on(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    (a, score_a): (usize, &Cell),
    (b, score_b): (usize, &Cell),
) -> Option<Interval> {
    let (Ok(score_a), Ok(score_b)) = (score_a, score_b) else {
        return None;
    };
    if !criterion.is_paired() {
        return Some(score_a.plus(score_b.falling(|x| -x)));
    }
    let apart = score_a.value - score_b.value;
    let unknown = Interval {
        value: apart,
        low: None,
        high: None,
    };
    let Some(row) = row(input, criterion, a, b) else {
        return Some(unknown);
    };
    let interval = match (criterion.scale, ratio(input, criterion, a, b)) {
        (Scale::Ratio { base }, Some(ratio)) => ratio.falling(|x| -scale::points(x, base)),
        (Scale::Linear { .. }, _) if row.verdict == Verdict::Tie => Interval {
            value: apart,
            low: Some(-apart.abs()),
            high: Some(apart.abs()),
        },
        _ => unknown,
    };
    Some(bound(interval, row.verdict))
}

/// Holds an interval to what the verdict says: sure differences keep off zero, all others
/// include it.
fn bound(interval: Interval, verdict: Verdict) -> Interval {
    let Interval { value, low, high } = interval;
    match verdict {
        Verdict::Beats => Interval {
            value,
            low: Some(low.map_or(SURE, |low| low.max(SURE))),
            high,
        },
        Verdict::Beaten => Interval {
            value,
            low,
            high: Some(high.map_or(-SURE, |high| high.min(-SURE))),
        },
        Verdict::Tie | Verdict::NoCall => Interval {
            value,
            low: low.map(|low| low.min(0.0)),
            high: high.map(|high| high.max(0.0)),
        },
    }
}

/// By how much the total of `a` is above that of `b`, from −1 to 1 and beyond. `None` if a score
/// that counts is missing, or if nothing counts.
pub(super) fn of_totals(
    input: &ScoreInput,
    (a, cells_a): (usize, &[Cell]),
    (b, cells_b): (usize, &[Cell]),
) -> Option<Interval> {
    let weights: f64 = input.criteria.iter().map(|c| c.weight).sum();
    let mut sum = Interval::exact(0.0);
    for (index, criterion) in input.criteria.iter().enumerate() {
        if criterion.weight <= 0.0 {
            continue;
        }
        let points = on(input, criterion, (a, &cells_a[index]), (b, &cells_b[index]))?;
        sum = sum.plus(points.rising(|x| criterion.weight * x / 10.0 / weights));
    }
    (weights > 0.0).then_some(sum)
}
