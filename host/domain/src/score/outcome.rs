//! The outcome of a ranking at the first place: a winner, a tie, or no call.

use super::criterion::CriterionSummary;
use super::difference;
use super::input::ScoreInput;
use super::variant_score::{ScoreResult, VariantScore, VariantStatus};
use crate::verdict::Verdict;

/// The largest distance of two totals that are close: 0.1, and the rounding error of a sum.
pub(super) const CLOSE: f64 = 0.1 + 1e-12;

/// The outcome of a ranking at the first place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankingOutcome {
    /// One variant is surely ahead of all others.
    Winner,
    /// The first place is shared, and neither a verdict nor a reading of any variant is missing that could settle it.
    Tie,
    /// The first place is shared because measuring ended before it was settled, or because opinions outweigh what was
    /// measured, which decides nothing.
    NoCall,
    /// No variant was ranked.
    #[default]
    Nothing,
}

/// A variant with its scores by criterion.
pub(super) type Row<'a> = (usize, &'a [ScoreResult]);

/// The outcome at the first place, given the variants that share it. They do not tie where a variant lacks a reading,
/// as it may be ahead of all of them.
pub(super) fn outcome(
    input: &ScoreInput,
    first: &[usize],
    (all, cells): (&[VariantScore], &[Option<Vec<ScoreResult>>]),
) -> RankingOutcome {
    match first {
        [] => return RankingOutcome::Nothing,
        [_] => return RankingOutcome::Winner,
        _ => {}
    }
    let row = |variant: usize| (variant, cells[variant].as_deref().unwrap_or(&[]));
    let is_unknown = |score: &VariantScore| score.status == VariantStatus::Unranked;
    let mut pairs = pairs(first);
    if pairs.all(|(a, b)| is_settled(input, row(a), row(b))) && !all.iter().any(is_unknown) {
        RankingOutcome::Tie
    } else {
        RankingOutcome::NoCall
    }
}

/// All pairs of these variants.
pub(super) fn pairs(variants: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let places = variants.iter().enumerate();
    places.flat_map(move |(place, a)| variants[place + 1..].iter().map(move |b| (*a, *b)))
}

/// Returns true if two variants tie: on every criterion that is raced, or with totals that are surely close. They do
/// not where a verdict between them is open: a race in which it is not known yet ends with no call.
pub(super) fn is_settled(input: &ScoreInput, a: Row<'_>, b: Row<'_>) -> bool {
    let counts = |criterion: &&CriterionSummary| criterion.weight > 0.0 && criterion.is_paired();
    let verdicts = input.criteria.iter().filter(counts);
    let verdicts = verdicts.map(|criterion| difference::outcome(input, criterion, a.0, b.0));
    let verdicts: Vec<Option<Verdict>> = verdicts.collect();
    let tie = |verdict: &Option<Verdict>| *verdict == Some(Verdict::Tie);
    let is_open = |verdict: &Option<Verdict>| matches!(verdict, None | Some(Verdict::NoCall));
    verdicts.iter().all(tie) || !verdicts.iter().any(is_open) && are_close(input, a, b)
}

/// Returns true if the totals of two variants are surely close.
fn are_close(input: &ScoreInput, a: Row<'_>, b: Row<'_>) -> bool {
    let is_close = |end: Option<f64>| end.is_some_and(|end| end.abs() <= CLOSE);
    let apart = difference::of_totals(input, a, b);
    apart.is_some_and(|total| is_close(total.low) && is_close(total.high))
}
