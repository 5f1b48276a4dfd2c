//! Opinions of models in scores. They count in totals with their weights; they put nobody surely ahead, and take no
//! rank, no result and no place from anybody.
//!
//! Who is surely ahead is decided by what was measured alone. Opinions can only leave that open: where they outweigh
//! what was measured, the total of the other variant is the higher one, and nobody is surely ahead.

use super::CriterionSummary;
use super::input::{ScoreInput, VariantReadings};
use std::borrow::Cow;

/// Returns true if there are opinions among the criteria.
pub(super) fn are_asked(input: &ScoreInput) -> bool {
    input.criteria.iter().any(CriterionSummary::is_opinion)
}

/// Returns the input as opinions count in it. One that is not known of each variant that is scored compares nothing, and
/// has no weight; in a question in words it keeps it, and the variants without it have no total. An opinion is a number
/// without an interval, since the spread of votes is no error of a measurement; and it has no gate.
pub(super) fn normalised(input: &ScoreInput) -> Cow<'_, ScoreInput> {
    if !are_asked(input) {
        return Cow::Borrowed(input);
    }
    let mut input = input.clone();
    let in_words = input.criteria.iter().all(CriterionSummary::is_opinion);
    for criterion in input.criteria.iter_mut().filter(|one| one.is_opinion()) {
        let has = |one: &VariantReadings| one.readings.contains_key(&criterion.source);
        let mut scored = input.variants.iter().filter(|one| one.is_scored());
        if !in_words && !scored.all(has) {
            criterion.weight = 0.0;
        }
        criterion.gate = None;
        for variant in &mut input.variants {
            if let Some(reading) = variant.readings.get_mut(&criterion.source) {
                (reading.low, reading.high) = (None, None);
            }
        }
    }
    Cow::Owned(input)
}

/// Returns the input by what was measured alone: opinions have no weight.
pub(super) fn left_out(input: &ScoreInput) -> Cow<'_, ScoreInput> {
    if !are_asked(input) {
        return Cow::Borrowed(input);
    }
    let mut input = input.clone();
    for criterion in input.criteria.iter_mut().filter(|one| one.is_opinion()) {
        criterion.weight = 0.0;
    }
    Cow::Owned(input)
}
