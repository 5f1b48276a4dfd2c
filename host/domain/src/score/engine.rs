//! The scoring engine: from readings and verdicts to a ranking.

use super::flip::{self, Flip};
use super::input::ScoreInput;
use super::outcome::{CLOSE, RankingOutcome, outcome};
use super::variant_score::{ScoreResult, VariantScore, VariantStatus};
use super::{CriterionSummary, difference, first_place, opinions, pareto, rank, scale};
use crate::interval::Interval;
use crate::numbers;
use crate::reading_verdict::Claim;
use crate::spec::GateOn;

/// The result of scoring. Variants are indexes into the input.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Scores, total and rank of each variant.
    pub variant_scores: Vec<VariantScore>,
    /// All variants in the order in which they are shown: by rank, then total, then declaration;
    /// unranked, eliminated and failed ones last.
    pub order: Vec<usize>,
    /// The outcome at the first place.
    pub outcome: RankingOutcome,
    /// The variant that holds the first place alone.
    pub winner: Option<usize>,
    /// The variants that share the first place; empty if there is a winner.
    pub tied: Vec<usize>,
    /// The variants that are not first, whose total is within 0.1 of the best, and that no other
    /// dominates.
    pub alternatives: Vec<usize>,
    /// Ranked variants that no other dominates.
    pub pareto: Vec<usize>,
    /// The smallest change of weights that makes another variant the winner.
    pub flip: Option<Flip>,
    /// Shares of bootstrap resamples in which a variant has the best total, by variant; empty without replicas. Opinions
    /// are left out.
    pub first_share: Vec<f64>,
    /// The variants that are first by what was measured alone, if opinions bring others beside them; empty otherwise.
    pub measured_first: Vec<usize>,
}

/// Scores all variants and ranks them.
pub fn score(given: &ScoreInput) -> Ranking {
    let input = &*opinions::normalised(given);
    let measured = &*opinions::left_out(input);
    let cells = scale::scores(input);
    let mut variant_scores: Vec<VariantScore> = (0..input.variants.len())
        .map(|index| variant_score(input, index, cells[index].as_deref()))
        .collect();

    let ranked: Vec<usize> = (0..variant_scores.len())
        .filter(|index| variant_scores[*index].status == VariantStatus::Ranked)
        .collect();
    let by_measured = ahead(measured, &ranked, &cells);
    let surely = if opinions::are_asked(input) {
        rank::in_both(&by_measured, &ahead(input, &ranked, &cells))
    } else {
        by_measured.clone()
    };
    for (index, rank) in ranked.iter().zip(rank::ranks(&surely)) {
        variant_scores[*index].rank = Some(rank);
    }

    let order = order(&variant_scores);
    let first: Vec<usize> = order
        .iter()
        .copied()
        .filter(|index| variant_scores[*index].rank == Some(1))
        .collect();
    let places = ranked.iter().zip(rank::ranks(&by_measured));
    let mut measured_first: Vec<usize> = places
        .filter(|(_, rank)| *rank == 1)
        .map(|(index, _)| *index)
        .collect();
    if measured_first.len() == first.len() {
        measured_first.clear();
    }
    let winner = (first.len() == 1).then(|| first[0]);
    let pareto = pareto::front((input, measured), &ranked, &cells);
    Ranking {
        outcome: if measured_first.is_empty() {
            outcome(measured, &first, (&variant_scores, &cells))
        } else {
            RankingOutcome::NoCall
        },
        alternatives: close(&variant_scores, &order, &pareto),
        pareto,
        flip: winner.and_then(|winner| flip::least(measured, &ranked, &cells, winner)),
        first_share: shares(input, measured, (&ranked, &cells), &variant_scores),
        tied: if winner.is_some() { Vec::new() } else { first },
        measured_first,
        winner,
        order,
        variant_scores,
    }
}

/// Returns which of the ranked variants are surely ahead of which, by the criteria that have a weight.
pub(super) fn ahead(
    input: &ScoreInput,
    ranked: &[usize],
    cells: &[Option<Vec<ScoreResult>>],
) -> rank::Ahead {
    let row = |place: usize| {
        (
            ranked[place],
            cells[ranked[place]].as_deref().unwrap_or(&[]),
        )
    };
    let is_ahead = |a: usize, b: usize| {
        rank::is_positive(difference::of_totals(input, row(a), row(b)))
            || pareto::dominates(input, cells, ranked[a], ranked[b])
    };
    let chains = |a: usize, b: usize| {
        let counting = input.criteria.iter().filter(|one| one.weight > 0.0);
        let mut rows =
            counting.filter_map(|one| difference::reading(input, one, ranked[a], ranked[b]));
        rows.all(|row| row.claim != Claim::MoreInputs)
    };
    rank::ahead(ranked.len(), is_ahead, chains)
}

/// Returns the shares of first places, by the totals of what was measured.
fn shares(
    input: &ScoreInput,
    measured: &ScoreInput,
    (ranked, cells): (&[usize], &[Option<Vec<ScoreResult>>]),
    variant_scores: &[VariantScore],
) -> Vec<f64> {
    if !opinions::are_asked(input) {
        return first_place::shares(input, ranked, variant_scores);
    }
    if measured.criteria.iter().all(|one| one.weight <= 0.0) {
        return Vec::new();
    }
    let scored = cells.iter().enumerate();
    let scored: Vec<VariantScore> = scored
        .map(|(index, cells)| variant_score(measured, index, cells.as_deref()))
        .collect();
    first_place::shares(measured, ranked, &scored)
}

/// The scores, gates and total of one variant.
pub(super) fn variant_score(
    input: &ScoreInput,
    index: usize,
    cells: Option<&[ScoreResult]>,
) -> VariantScore {
    let Some(cells) = cells else {
        return VariantScore {
            status: if input.variants[index].screened {
                VariantStatus::Screened
            } else {
                VariantStatus::Failed
            },
            rank: None,
            total: None,
            scores: vec![None; input.criteria.len()],
            reason: None,
        };
    };
    let mut out = Vec::new();
    let mut missing = Vec::new();
    for (criterion, cell) in input.criteria.iter().zip(cells) {
        match gate(input, index, criterion, cell) {
            Some(GateFailure::OutOfBounds(why)) => out.push(why),
            Some(GateFailure::NoValue(why)) => missing.push(why),
            None => {}
        }
        if let (Err(why), true) = (cell, criterion.weight > 0.0 && criterion.gate.is_none()) {
            missing.push(format!("no score for {}: {why}", criterion.name));
        }
    }
    let total = total(&input.criteria, cells);
    if total.is_none() && missing.is_empty() {
        missing.push("no criterion has a weight above zero".to_owned());
    }
    let (status, reason) = match (out.is_empty(), missing.is_empty()) {
        (false, _) => (VariantStatus::Eliminated, Some(out.join("; "))),
        (true, false) => (VariantStatus::Unranked, Some(missing.join("; "))),
        (true, true) => (VariantStatus::Ranked, None),
    };
    VariantScore {
        rank: None,
        total: total.filter(|_| status == VariantStatus::Ranked),
        scores: cells
            .iter()
            .map(|cell| cell.as_ref().ok().copied())
            .collect(),
        status,
        reason,
    }
}

/// The reason why a variant does not pass a gate.
enum GateFailure {
    /// The value is out of bounds, for this reason.
    OutOfBounds(String),
    /// The variant has no value, for this reason.
    NoValue(String),
}

/// Returns why the variant does not pass the criterion's gate, or `None` if it passes. A gate tests
/// the value, not the ends of its interval.
fn gate(
    input: &ScoreInput,
    index: usize,
    criterion: &CriterionSummary,
    cell: &ScoreResult,
) -> Option<GateFailure> {
    let gate = criterion.gate?;
    let name = &criterion.name;
    let score = match cell {
        Ok(score) => score.value,
        Err(why) => {
            let why = format!("the gate on {name} cannot be judged: {why}");
            return Some(GateFailure::NoValue(why));
        }
    };
    let (what, value, unit) = match gate.on {
        GateOn::Score => ("score ", score, ""),
        GateOn::Reading => {
            let reading = input.variants[index].readings.get(&criterion.source);
            let Some(reading) = reading else {
                let why = format!("the gate on {name} cannot be judged: there is no reading");
                return Some(GateFailure::NoValue(why));
            };
            ("", reading.value, criterion.unit.as_str())
        }
    };
    let out = |how: &str, bound: f64| {
        let (value, bound) = match unit {
            "ns" | "bytes" => numbers::readings(value, bound, unit),
            _ => {
                let digits = numbers::fewest(&[value, bound], 2..=9, short, |_, _| true);
                let shown = |x: f64| format!("{} {unit}", short(digits, x)).trim_end().to_owned();
                (shown(value), shown(bound))
            }
        };
        GateFailure::OutOfBounds(format!("{name}: {what}{value} is {how} the gate's {bound}"))
    };
    if let Some(min) = gate.min.filter(|min| value < *min) {
        return Some(out("below", min));
    }
    gate.max
        .filter(|max| value > *max)
        .map(|max| out("above", max))
}

/// A number for a sentence, with this many decimals at most.
fn short(decimals: usize, x: f64) -> String {
    let unit = 10f64.powi(i32::try_from(decimals).unwrap_or(2));
    let rounded = (x * unit).round() / unit;
    if rounded.is_finite() && x.abs() < 1e15 {
        format!("{rounded}")
    } else {
        format!("{x:e}")
    }
}

/// Σ w·s/10 / Σ w over the criteria that count; an end that is unknown in one score is unknown in
/// the total.
fn total(criteria: &[CriterionSummary], cells: &[ScoreResult]) -> Option<Interval> {
    let weights: f64 = criteria.iter().map(|criterion| criterion.weight).sum();
    let mut sum = Interval::exact(0.0);
    for (criterion, cell) in criteria.iter().zip(cells) {
        if criterion.weight > 0.0 {
            let score = cell.as_ref().ok()?;
            sum = sum.plus(score.rising(|x| criterion.weight * x / 10.0));
        }
    }
    (weights > 0.0).then(|| sum.rising(|x| x / weights))
}

/// The order of display: by rank, then total, then declaration.
fn order(variant_scores: &[VariantScore]) -> Vec<usize> {
    let class = |variant: &VariantScore| match variant.status {
        VariantStatus::Ranked => 0,
        VariantStatus::Unranked => 1,
        VariantStatus::Eliminated => 2,
        VariantStatus::Screened => 3,
        VariantStatus::Failed => 4,
    };
    let mut order: Vec<usize> = (0..variant_scores.len()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&variant_scores[*a], &variant_scores[*b]);
        let value = |variant: &VariantScore| variant.total.map_or(0.0, |total| total.value);
        (class(a).cmp(&class(b)))
            .then(a.rank.cmp(&b.rank))
            .then(value(b).total_cmp(&value(a)))
    });
    order
}

/// The variants that are not first, have a total close to the best and are not dominated.
fn close(variant_scores: &[VariantScore], order: &[usize], pareto: &[usize]) -> Vec<usize> {
    let totals = variant_scores.iter().filter_map(|s| s.total);
    let best = totals
        .map(|total| total.value)
        .fold(f64::NEG_INFINITY, f64::max);
    let is_close = |variant: &VariantScore| {
        let near = |total: Interval| best - total.value <= CLOSE;
        variant.rank.is_some_and(|rank| rank > 1) && variant.total.is_some_and(near)
    };
    let indexes = order.iter().copied();
    indexes
        .filter(|index| is_close(&variant_scores[*index]) && pareto.contains(index))
        .collect()
}
