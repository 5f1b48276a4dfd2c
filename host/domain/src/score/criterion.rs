//! What counts, with all that scoring needs to know about it.

use crate::spec::{Criterion, Direction, Gate, Scale};
use serde::{Deserialize, Serialize};

/// A criterion as reports carry it: enough to score readings again without the experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionSummary {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Where its readings come from: `time`, `assess:quality`.
    pub source: String,
    /// `lower-is-better` or `higher-is-better`.
    pub direction: Direction,
    /// The unit of its readings, for people.
    #[serde(default)]
    pub unit: String,
    /// How a reading becomes a score.
    #[serde(default = "default_scale")]
    pub scale: Scale,
    /// What a variant must reach to be ranked at all.
    #[serde(default)]
    pub gate: Option<Gate>,
}

/// Each factor of ten costs ten points.
fn default_scale() -> Scale {
    Scale::Ratio { base: 10.0 }
}

impl From<&Criterion> for CriterionSummary {
    fn from(criterion: &Criterion) -> Self {
        Self {
            name: criterion.name.clone(),
            weight: criterion.weight,
            source: criterion.source.name(),
            direction: criterion.direction,
            unit: criterion.unit.clone(),
            scale: criterion.scale,
            gate: criterion.gate,
        }
    }
}

impl CriterionSummary {
    /// Whether its differences are only as good as verdicts: times, which are measured in pairs.
    /// All other readings are taken as they stand.
    pub fn is_paired(&self) -> bool {
        matches!(self.source.as_str(), "time" | "wall")
    }

    /// Whether its scores are somebody's opinion rather than a measurement.
    pub fn is_opinion(&self) -> bool {
        self.source == "judge"
    }
}
