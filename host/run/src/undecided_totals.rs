//! The variants of a race whose times are told apart while their totals are not.

use super::conclude::{facts, settle, states};
use super::evidence::Evidence;
use super::open_totals::open_totals;
use super::variant_state::{VariantState, find};
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::variant::{Variant, VariantId};

/// Returns the variants of a race of which more times would settle who is first, by everything that is known so far. A
/// duplicate counts as the one that it repeats. None where the evidence contradicts itself, which the end of the run says.
pub(super) fn undecided(
    evidence: &Evidence,
    racing: &[Variant],
    analysis: &Analysis,
) -> Vec<VariantIndex> {
    let record = &evidence.record;
    let mut states = states(record);
    let found = settle(record, &mut states).and_then(|notes| facts(evidence, &mut states, notes));
    let Ok(found) = found else {
        return Vec::new();
    };
    let racing: Vec<VariantId> = racing.iter().map(|one| one.id.clone()).collect();
    let pairs = open_totals(&record.experiment, found.facts, (&racing, analysis));
    let mut indexes: Vec<VariantIndex> = pairs
        .iter()
        .flatten()
        .filter_map(|id| index(id, &states, &racing))
        .collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

/// Returns the index in the race of a variant, or of the one that it repeats.
fn index(id: &str, states: &[VariantState], racing: &[VariantId]) -> Option<VariantIndex> {
    let id = states
        .iter()
        .map(VariantState::id)
        .find(|one| one.as_str() == id)?;
    let original = find(states, id)?.duplicate_of.as_ref().unwrap_or(id);
    racing.iter().position(|one| one == original)
}
