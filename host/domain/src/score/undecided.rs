//! The pairs at the first place that longer timing would tell apart.

use super::criterion::CriterionSummary;
use super::input::ScoreInput;
use super::outcome::{Row, is_settled, pairs};
use super::variant_score::VariantStatus;
use super::{difference, engine, opinions, rank, scale};
use crate::verdict::{PairVerdict, RatioInterval, Verdict};

/// The sources whose ratios become narrower with each replica of a race.
const RACED: [&str; 3] = ["time", "wall", "cold-start"];

/// Returns the pairs of variants that share the first place by what was measured, are not settled, and would be if the
/// ratios of their times were known: that one is ahead, or that their totals are close. Of a pair for which `is_final`
/// is true, longer timing tells nothing more.
///
/// A race goes on for these: a sure difference of times says nothing of a difference of totals until its size is known.
pub fn open_by_time(
    given: &ScoreInput,
    is_final: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let normalised = opinions::normalised(given);
    let input = &*opinions::left_out(&normalised);
    if !input.criteria.iter().any(counts_by_race) {
        return Vec::new();
    }
    let cells = scale::scores(input);
    let is_ranked = |index: &usize| {
        let score = engine::variant_score(input, *index, cells[*index].as_deref());
        score.status == VariantStatus::Ranked
    };
    let ranked: Vec<usize> = (0..input.variants.len()).filter(is_ranked).collect();
    let places = rank::ranks(&engine::ahead(input, &ranked, &cells));
    let first = ranked.iter().zip(places).filter(|(_, place)| *place == 1);
    let first: Vec<usize> = first.map(|(variant, _)| *variant).collect();

    let known = &as_if_known(input, is_final);
    let known_cells = scale::scores(known);
    let row = |variant: usize| -> Row<'_> { (variant, cells[variant].as_deref().unwrap_or(&[])) };
    let known_row =
        |variant: usize| -> Row<'_> { (variant, known_cells[variant].as_deref().unwrap_or(&[])) };
    let would_be_known = |a: usize, b: usize| {
        let total = |a, b| difference::of_totals(known, known_row(a), known_row(b));
        rank::is_positive(total(a, b))
            || rank::is_positive(total(b, a))
            || is_settled(known, known_row(a), known_row(b))
    };
    pairs(&first)
        .filter(|(a, b)| !is_settled(input, row(*a), row(*b)) && would_be_known(*a, *b))
        .collect()
}

/// Returns true if the criterion has a weight, and is of a time that is raced.
fn counts_by_race(criterion: &CriterionSummary) -> bool {
    criterion.weight > 0.0 && RACED.contains(&criterion.source.as_str())
}

/// Returns the input with each ratio of times that a race narrows as a point.
fn as_if_known(input: &ScoreInput, is_final: impl Fn(usize, usize) -> bool) -> ScoreInput {
    let mut known = input.clone();
    for source in RACED {
        let rows = known.verdicts.get_mut(source).into_iter().flatten();
        for row in rows.filter(|row| !is_final(row.a, row.b)) {
            *row = known_pair(row);
        }
    }
    known
}

/// Returns a pair as if its ratio were known, and the same if it has none. A tie stays one.
fn known_pair(pair: &PairVerdict) -> PairVerdict {
    let Some(ratio) = pair.interval.ratio else {
        return pair.clone();
    };
    let end = Some(ratio);
    PairVerdict {
        verdict: match pair.verdict {
            Verdict::NoCall if ratio < 1.0 => Verdict::Beats,
            Verdict::NoCall => Verdict::Beaten,
            known => known,
        },
        interval: RatioInterval {
            ratio: end,
            low: end,
            high: end,
        },
        ..pair.clone()
    }
}
