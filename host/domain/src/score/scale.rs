//! From readings to scores, criterion by criterion.

use super::input::{Interval, ScoreInput};
use super::{CriterionSummary, difference};
use crate::spec::{Direction, Scale};
use crate::verdict::Verdict;

/// Why a variant has no score on a criterion. Missing is missing: it never counts as 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Missing {
    /// Nothing was read.
    #[error("there is no reading of {0}")]
    NoReading(String),
    /// The reading is NaN or infinite.
    #[error("the reading {0} is not a finite number")]
    NotFinite(f64),
    /// A ratio needs positive numbers.
    #[error("the reading {0} is not positive, which a ratio scale needs")]
    NotPositive(f64),
    /// The reading leaves the declared range.
    #[error("the reading {value} lies outside the declared range {low} to {high}")]
    OutOfRange {
        /// The reading.
        value: f64,
        /// The range's lower end.
        low: f64,
        /// The range's upper end.
        high: f64,
    },
    /// No replica compared it with the best.
    #[error("it was not measured against the best")]
    NotCompared,
    /// The scale itself makes no sense.
    #[error("the criterion's scale is not valid")]
    Scale,
}

/// A score, or why there is none.
pub(super) type Cell = Result<Interval, Missing>;

/// By candidate, then criterion: its score. `None` for candidates that failed.
pub(super) fn scores(input: &ScoreInput) -> Vec<Option<Vec<Cell>>> {
    let columns: Vec<Vec<Option<Cell>>> = input
        .criteria
        .iter()
        .map(|criterion| column(input, criterion))
        .collect();
    (0..input.candidates.len())
        .map(|row| {
            let cells = columns.iter().map(|column| column[row].clone());
            cells.collect()
        })
        .collect()
}

/// The scores on one criterion, by candidate.
fn column(input: &ScoreInput, criterion: &CriterionSummary) -> Vec<Option<Cell>> {
    let readings: Vec<Option<Cell>> = input
        .candidates
        .iter()
        .map(|candidate| {
            let reading = candidate.readings.get(&criterion.source);
            (!candidate.failed).then(|| valid(reading, criterion))
        })
        .collect();
    match criterion.scale {
        Scale::Linear { low, high } => readings
            .into_iter()
            .map(|cell| cell.map(|cell| cell.map(|r| linear(r, criterion.direction, low, high))))
            .collect(),
        Scale::Ratio { base } if difference::has_verdicts(input, criterion) => {
            by_verdicts(input, criterion, base)
        }
        Scale::Ratio { base } => by_readings(&readings, criterion.direction, base),
    }
}

/// A reading that the criterion's scale accepts.
fn valid(reading: Option<&Interval>, criterion: &CriterionSummary) -> Cell {
    let reading = reading.ok_or_else(|| Missing::NoReading(criterion.source.clone()))?;
    let value = reading.value;
    if !value.is_finite() {
        return Err(Missing::NotFinite(value));
    }
    match criterion.scale {
        Scale::Ratio { base } if !(base.is_finite() && base > 1.0) => return Err(Missing::Scale),
        Scale::Linear { low, high } if !(low < high && (high - low).is_finite()) => {
            return Err(Missing::Scale);
        }
        Scale::Ratio { .. } if value <= 0.0 => return Err(Missing::NotPositive(value)),
        Scale::Linear { low, high } if value < low || value > high => {
            return Err(Missing::OutOfRange { value, low, high });
        }
        Scale::Ratio { .. } | Scale::Linear { .. } => {}
    }
    let end = |end: Option<f64>| end.filter(|end| end.is_finite());
    let (low, high) = (end(reading.low), end(reading.high));
    if low.is_none() && high.is_none() && !criterion.is_paired() {
        return Ok(Interval::exact(value));
    }
    Ok(Interval {
        value,
        low: low.map(|low| low.min(value)),
        high: high.map(|high| high.max(value)),
    })
}

/// Straight from the worst end of the range to the best. A reading cannot leave its range, and so
/// neither do the ends of its interval.
fn linear(reading: Interval, direction: Direction, low: f64, high: f64) -> Interval {
    let share = |x: f64| ((x - low) / (high - low)).clamp(0.0, 1.0);
    match direction {
        Direction::HigherIsBetter => reading.rising(|x| 10.0 * share(x)),
        Direction::LowerIsBetter => reading.falling(|x| 10.0 * (1.0 - share(x))),
    }
}

/// The score of a factor above the best: 10 − 10·log_R(factor).
pub(super) fn of_factor(factor: f64, base: f64) -> f64 {
    10.0 - points(factor, base)
}

/// What a factor costs, in points of the score.
pub(super) fn points(factor: f64, base: f64) -> f64 {
    10.0 * factor.ln() / base.ln()
}

/// Ratios of readings to the best reading.
fn by_readings(readings: &[Option<Cell>], direction: Direction, base: f64) -> Vec<Option<Cell>> {
    let values = readings
        .iter()
        .filter_map(|cell| cell.as_ref()?.as_ref().ok().map(|r| r.value));
    let best = match direction {
        Direction::LowerIsBetter => values.fold(f64::INFINITY, f64::min),
        Direction::HigherIsBetter => values.fold(0.0, f64::max),
    };
    // A difference of logarithms: the quotient of extreme readings would overflow.
    let above = |x: f64| 10.0 * (x.ln() - best.ln()) / base.ln();
    let score = |reading: Interval| match direction {
        Direction::LowerIsBetter => reading.positive().falling(|x| 10.0 - above(x)),
        Direction::HigherIsBetter => reading.positive().rising(|x| 10.0 + above(x)),
    };
    let cell = |cell: &Option<Cell>| cell.clone().map(|cell| cell.map(score));
    readings.iter().map(cell).collect()
}

impl Interval {
    /// Without ends that are not positive: a logarithm has no place for them.
    fn positive(self) -> Self {
        Self {
            low: self.low.filter(|low| *low > 0.0),
            ..self
        }
    }
}

/// Ratios to the best from the verdicts, so that a score carries the interval of the verdict
/// against the best. Readings play no part: they are not paired, and a slow hour of the machine is
/// in one and not in the other.
fn by_verdicts(input: &ScoreInput, criterion: &CriterionSummary, base: f64) -> Vec<Option<Cell>> {
    let Some(best) = fastest(input, criterion) else {
        return absent(input, Missing::NotCompared);
    };
    if !(base.is_finite() && base > 1.0) {
        return absent(input, Missing::Scale);
    }
    let score = |candidate: usize| {
        if candidate == best {
            return Ok(Interval::exact(10.0));
        }
        let ratio = difference::ratio(input, criterion, candidate, best);
        let ratio = ratio.ok_or(Missing::NotCompared)?;
        Ok(ratio.falling(|factor| of_factor(factor, base)))
    };
    (0..input.candidates.len())
        .map(|candidate| (!input.candidates[candidate].failed).then(|| score(candidate)))
        .collect()
}

/// The same reason for all that did not fail.
fn absent(input: &ScoreInput, why: Missing) -> Vec<Option<Cell>> {
    let cell = |failed: bool| (!failed).then(|| Err(why.clone()));
    input.candidates.iter().map(|c| cell(c.failed)).collect()
}

/// Whether its time was held against anyone's: rows without a ratio say nothing.
fn is_compared(input: &ScoreInput, criterion: &CriterionSummary, candidate: usize) -> bool {
    let mut others = (0..input.candidates.len()).filter(|other| *other != candidate);
    others.any(|other| difference::ratio(input, criterion, candidate, other).is_some())
}

/// The candidate that is faster than most others; the one that no verdict calls slower goes first.
fn fastest(input: &ScoreInput, criterion: &CriterionSummary) -> Option<usize> {
    let standing = |candidate: usize| {
        let others = || {
            (0..input.candidates.len())
                .filter(move |other| *other != candidate && !input.candidates[*other].failed)
        };
        let row = |other| difference::row(input, criterion, candidate, other);
        let beaten = others().filter(|o| row(*o).is_some_and(|r| r.verdict == Verdict::Beaten));
        let ratio = |other| difference::ratio(input, criterion, candidate, other);
        let slower = others().filter(|o| ratio(*o).is_none_or(|r| r.value > 1.0));
        (beaten.count(), slower.count())
    };
    (0..input.candidates.len())
        .filter(|candidate| !input.candidates[*candidate].failed)
        .filter(|candidate| difference::takes_part(input, criterion, *candidate))
        .filter(|candidate| is_compared(input, criterion, *candidate))
        .min_by_key(|candidate| standing(*candidate))
}
