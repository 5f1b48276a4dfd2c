//! Answers of several variants to the same input.

use super::gate::same;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_sandbox::invoke::Value;

/// Variants with the same answer.
pub(super) type Group<'v> = (Vec<VariantIndex>, Option<&'v Value>);

/// Returns the variants in groups of equal answers.
pub(super) fn grouped<'v>(
    answers: impl Iterator<Item = (VariantIndex, Option<&'v Value>)>,
) -> Vec<Group<'v>> {
    let mut groups: Vec<Group<'v>> = Vec::new();
    for (variant, answer) in answers {
        match groups.iter_mut().find(|(_, other)| same(*other, answer)) {
            Some((variants, _)) => variants.push(variant),
            None => groups.push((vec![variant], answer)),
        }
    }
    groups
}

/// Adds an answer to the known ones; returns false if it is among them already.
pub(super) fn is_new<'v>(known: &mut Vec<Option<&'v Value>>, answer: Option<&'v Value>) -> bool {
    let is_new = !known.iter().any(|other| same(*other, answer));
    if is_new {
        known.push(answer);
    }
    is_new
}
