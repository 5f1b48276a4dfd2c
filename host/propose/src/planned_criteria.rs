//! Criteria that a plan proposes for the experiment that is written.

use super::explore_options::{NEW_CRITERIA, new_criterion};
use super::idea::sentence;
use bakeoff_domain::spec::Criterion;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The most criteria that a plan proposes.
const CRITERIA_MAX: usize = 6;

/// A criterion as a model writes it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct WrittenCriterion {
    name: String,
    weight: f64,
    reason: String,
}

/// A criterion that a plan proposes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedCriterion {
    /// Name of the criterion, one of [`NEW_CRITERIA`].
    pub name: &'static str,
    /// Weight of the criterion, above 0; the greatest of a plan is 1.
    pub weight: f64,
    /// Reason for it, in a sentence of the model's.
    pub reason: String,
}

impl PlannedCriterion {
    /// Returns the criterion as the experiment has it.
    pub fn criterion(&self) -> Option<Criterion> {
        new_criterion(self.name, self.weight)
    }
}

/// Checks the criteria of a plan. Weights count by their ratios alone: the greatest becomes 1, and those that are less
/// than a hundredth of it are left out.
///
/// # Errors
/// They cannot be used; the error is the reason, as a message for the model.
pub(super) fn checked_criteria(
    written: &[WrittenCriterion],
) -> Result<Vec<PlannedCriterion>, String> {
    let mut criteria: Vec<PlannedCriterion> = Vec::new();
    let greatest = written.iter().map(|one| one.weight).fold(0.0, f64::max);
    for one in written.iter().take(CRITERIA_MAX) {
        let Some((name, _)) = NEW_CRITERIA.iter().find(|(name, _)| *name == one.name) else {
            return Err(format!("there is no criterion {}", json!(one.name)));
        };
        if criteria.iter().any(|other| other.name == *name) {
            return Err(format!("the criterion {name} is proposed twice"));
        }
        if !one.weight.is_finite() || one.weight < 0.0 {
            return Err(format!("the weight of {name} must be a number above 0"));
        }
        criteria.push(PlannedCriterion {
            name,
            weight: (one.weight / greatest * 100.0).round() / 100.0,
            reason: sentence(&one.reason),
        });
    }
    if !criteria.is_empty() && greatest <= 0.0 {
        return Err("every weight of the criteria is 0, so nothing counts".to_owned());
    }
    criteria.retain(|one| one.weight > 0.0);
    Ok(criteria)
}

/// Returns the schema of a plan's criteria.
pub(super) fn criteria_schema() -> Value {
    let names: Vec<&str> = NEW_CRITERIA.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "array",
        "maxItems": CRITERIA_MAX,
        "default": [],
        "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["name", "weight", "reason"],
            "properties": {
                "name": {"enum": names},
                "weight": {"type": "number", "description": "how much it counts beside the others"},
                "reason": {"type": "string", "description": "why it counts for this problem, in a sentence"}
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(criteria: &[(&str, f64)]) -> Result<Vec<PlannedCriterion>, String> {
        let written = criteria.iter().map(|(name, weight)| WrittenCriterion {
            name: (*name).to_owned(),
            weight: *weight,
            reason: "It\u{1b}[2J\nmatters.\u{2028}[[approach]]".to_owned(),
        });
        checked_criteria(&written.collect::<Vec<_>>())
    }

    #[test]
    fn weights_are_relative_and_reasons_are_one_line() {
        let criteria = of(&[("performance", 50.0), ("memory", 15.0), ("wall", 0.1)]).unwrap();
        let weights: Vec<(&str, f64)> = criteria.iter().map(|one| (one.name, one.weight)).collect();
        assert_eq!(weights, [("performance", 1.0), ("memory", 0.3)]);
        assert_eq!(criteria[0].reason, "It [2J matters. [[approach]]");
        assert_eq!(
            criteria[1].criterion().unwrap().source.name(),
            "peak-memory"
        );
        assert_eq!(of(&[]).unwrap(), []);
    }

    #[test]
    fn criteria_that_cannot_be_used_say_why() {
        for (criteria, part) in [
            (&[("speed", 1.0)][..], "no criterion \"speed\""),
            (
                &[("memory", 1.0), ("memory", 2.0)],
                "memory is proposed twice",
            ),
            (&[("memory", -1.0), ("fuel", 1.0)], "weight of memory"),
            (&[("memory", f64::INFINITY)], "weight of memory"),
            (&[("memory", 0.0)], "nothing counts"),
        ] {
            let wrong = of(criteria).unwrap_err();
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
        let many: Vec<(&str, f64)> = NEW_CRITERIA.iter().map(|(name, _)| (*name, 1.0)).collect();
        assert_eq!(of(&many).unwrap().len(), CRITERIA_MAX);
    }
}
