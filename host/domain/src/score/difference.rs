//! The difference of two variants, on one criterion and in total, within what verdicts allow.
//!
//! A difference of two scores above 0 depends on the two variants alone: adding a third never changes
//! it, and so never reverses a rank. Scores end at 0, and so do differences from them: the
//! difference of scores is never larger than that of the logarithms of the readings.

use super::criterion::CriterionSummary;
use super::input::ScoreInput;
use super::variant_score::{SCORE_MAX, ScoreResult, points};
use crate::interval::Interval;
use crate::reading_verdict::{Claim, ReadingVerdict};
use crate::spec::{Direction, Scale};
use crate::verdict::{PairVerdict, Verdict};

/// The smallest sure difference, in points: keeps an interval off zero when its end is unknown.
const SURE: f64 = 1e-6;

/// Returns true if there are verdicts about this criterion's source.
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

/// Returns true if there is a verdict about the variant.
pub(super) fn takes_part(input: &ScoreInput, criterion: &CriterionSummary, variant: usize) -> bool {
    rows(input, criterion).any(|row| row.a == variant || row.b == variant)
}

/// The verdict about `a` against `b`, mirrored if it was given about `b` against `a`.
pub(super) fn verdict(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> Option<PairVerdict> {
    let rows = rows(input, criterion);
    about(rows, (a, b), |row| (row.a, row.b), PairVerdict::mirrored)
}

/// The row about `a` against `b`, mirrored if it is about `b` against `a`.
fn about<'a, T: Clone + 'a>(
    mut rows: impl Iterator<Item = &'a T>,
    (a, b): (usize, usize),
    pair_of: impl Fn(&T) -> (usize, usize),
    mirrored: impl Fn(T) -> T,
) -> Option<T> {
    let found = rows.find(|row| [(a, b), (b, a)].contains(&pair_of(row)))?;
    Some(if pair_of(found) == (a, b) {
        found.clone()
    } else {
        mirrored(found.clone())
    })
}

/// The verdict about the difference of the readings of `a` and `b`, as
/// [`verdict`] is about their ratio.
pub(super) fn reading(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> Option<ReadingVerdict> {
    let rows = input.differences.get(&criterion.source);
    let rows = rows.into_iter().flatten();
    about(rows, (a, b), |row| (row.a, row.b), ReadingVerdict::mirrored)
}

/// Verdict about `a` against `b`, whether about a ratio or about a difference.
pub(super) fn outcome(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> Option<Verdict> {
    let ratio = verdict(input, criterion, a, b).map(|row| row.verdict);
    ratio.or_else(|| reading(input, criterion, a, b).map(|row| row.verdict))
}

/// The time of `a` divided by that of `b`, if it is known; 1 for duplicates, which tie without
/// having been raced.
pub(super) fn ratio(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: usize,
    b: usize,
) -> Option<Interval> {
    let row = verdict(input, criterion, a, b)?;
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

/// The score of `a` less that of `b` on one criterion, in points. `None` if either has no score. Scores lie between 0
/// and 10, so an unknown end of a difference is no further out than that.
pub(super) fn of_scores(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    a: (usize, &ScoreResult),
    b: (usize, &ScoreResult),
) -> Option<Interval> {
    let Interval { value, low, high } = unbounded(input, criterion, a, b)?;
    Some(Interval {
        value,
        low: Some(low.map_or(-SCORE_MAX, |low| low.max(-SCORE_MAX))),
        high: Some(high.map_or(SCORE_MAX, |high| high.min(SCORE_MAX))),
    })
}

fn unbounded(
    input: &ScoreInput,
    criterion: &CriterionSummary,
    (a, score_a): (usize, &ScoreResult),
    (b, score_b): (usize, &ScoreResult),
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
    if let Some(row) = reading(input, criterion, a, b) {
        let are_both_last = score_a.value <= 0.0 && score_b.value <= 0.0;
        return Some(of_readings(&row, criterion, unknown, are_both_last));
    }
    let Some(row) = verdict(input, criterion, a, b) else {
        return Some(unknown);
    };
    let interval = match (criterion.scale, ratio(input, criterion, a, b)) {
        (Scale::Ratio { base }, Some(ratio)) => {
            let unclamped = bound(ratio.falling(|x| -points(x, base)), row.verdict);
            return Some(clamped(unclamped, score_a, score_b));
        }
        (Scale::Linear { .. }, _) if row.verdict == Verdict::Tie => Interval {
            value: apart,
            low: Some(-apart.abs()),
            high: Some(apart.abs()),
        },
        _ => unknown,
    };
    Some(bound(interval, row.verdict))
}

/// The difference of two scores that end at 0, from the difference of the logarithms of the ratios,
/// in points. For two that are surely above 0 it is the same.
fn clamped(unclamped: Interval, a: &Interval, b: &Interval) -> Interval {
    let value = if a.value > 0.0 && b.value > 0.0 {
        unclamped.value
    } else {
        a.value - b.value
    };
    Interval {
        value,
        low: unclamped.low.map(|low| lower_end(low, a, b)),
        high: unclamped.high.map(|high| -lower_end(-high, b, a)),
    }
}

/// The lower end of max(0, u_a) − max(0, u_b), where u_a − u_b is at least `low`. If that is not
/// negative, the difference is the smaller of u_a and u_a − u_b, as far as u_a is above 0; else it is at
/// most as far below 0 as the score of b is above.
fn lower_end(low: f64, a: &Interval, b: &Interval) -> f64 {
    if low < 0.0 {
        return low.max(-b.high.unwrap_or(SCORE_MAX));
    }
    let from_b = b.low.filter(|end| *end > 0.0).map(|end| end + low);
    let least = a.low.unwrap_or(0.0).max(from_b.unwrap_or(0.0));
    least.min(low)
}

/// The difference in points that follows from one of readings. Where only its sign is claimed, its
/// size is unknown; where the scores, which follow from means, say the opposite of what is claimed,
/// or where both are at 0, nothing is known.
fn of_readings(
    row: &ReadingVerdict,
    criterion: &CriterionSummary,
    scores: Interval,
    are_both_last: bool,
) -> Interval {
    let against = match row.verdict {
        Verdict::Beats => scores.value < 0.0,
        Verdict::Beaten => scores.value > 0.0,
        Verdict::Tie | Verdict::NoCall => false,
    };
    let interval = match (row.claim, criterion.scale, row.value) {
        (_, _, None) => return scores,
        _ if row.verdict == Verdict::Tie => Interval::exact(0.0),
        (Claim::MoreInputs, ..) if against => return scores,
        // At an end of the scale scores may be equal where readings are not.
        (Claim::Exact, ..) => return Interval::exact(scores.value),
        (Claim::MoreInputs, ..) if are_both_last => return scores,
        (Claim::MeanDifference, Scale::Linear { low, high }, Some(value)) => {
            let points = |x: f64| 10.0 * x / (high - low);
            let apart = Interval {
                value,
                low: row.low,
                high: row.high,
            };
            match criterion.direction {
                Direction::HigherIsBetter => apart.rising(points),
                Direction::LowerIsBetter => apart.falling(|x| -points(x)),
            }
        }
        _ => scores,
    };
    bound(interval, row.verdict)
}

/// Fits an interval to the verdict: that of a sure difference excludes zero, any other includes it.
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

/// The total of `a` less that of `b`. `None` if a score that counts is missing, or if no criterion has
/// a weight.
pub(super) fn of_totals(
    input: &ScoreInput,
    (a, cells_a): (usize, &[ScoreResult]),
    (b, cells_b): (usize, &[ScoreResult]),
) -> Option<Interval> {
    let weights: f64 = input.criteria.iter().map(|c| c.weight).sum();
    let mut sum = Interval::exact(0.0);
    for (index, criterion) in input.criteria.iter().enumerate() {
        if criterion.weight <= 0.0 {
            continue;
        }
        let points = of_scores(input, criterion, (a, &cells_a[index]), (b, &cells_b[index]))?;
        sum = sum.plus(points.rising(|x| criterion.weight * x / 10.0 / weights));
    }
    (weights > 0.0).then_some(sum)
}
