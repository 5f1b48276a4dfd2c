//! The names of variants in messages before there is a report: those that the report will show.

use super::variant_state::VariantState;
use bakeoff_domain::report::words;
use bakeoff_domain::variant::VariantId;
use std::collections::HashMap;

/// Returns the names of variants as the report shows them, by id.
pub(super) fn shown_names(variants: &[VariantState]) -> HashMap<&str, String> {
    words::variant_names(variants.iter().map(|state| &state.variant))
}

/// Returns the name of a variant as the report shows it.
pub(super) fn shown(names: &HashMap<&str, String>, id: &VariantId) -> String {
    let name = names.get(id.as_str()).cloned();
    name.unwrap_or_else(|| id.to_string())
}
