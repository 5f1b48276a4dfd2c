//! Criteria as scoring and reports use them.

use crate::spec::{Criterion, Direction, EVALUATOR_PREFIX, Gate, JUDGE_PREFIX, Scale, Source};
use serde::{Deserialize, Serialize};

/// A criterion as reports contain it: enough to score readings again without the experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionSummary {
    /// Name of the criterion.
    pub name: String,
    /// Weight of the criterion.
    pub weight: f64,
    /// The source of its readings: `time`, `assess:quality`.
    pub source: String,
    /// `lower-is-better` or `higher-is-better`.
    pub direction: Direction,
    /// The unit of its readings, for people.
    #[serde(default)]
    pub unit: String,
    /// The scale from readings to scores.
    #[serde(default = "default_scale")]
    pub scale: Scale,
    /// The bounds that a variant must meet to be ranked.
    #[serde(default)]
    pub gate: Option<Gate>,
    /// True if its readings come from an evaluator and are known exactly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// The question to a model whose opinion its readings are; `None` if they are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinion: Option<String>,
}

/// Returns the scale of criteria that name none: each factor of ten costs ten points.
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
            exact: criterion.source.evaluated().is_some_and(|one| one.exact),
            opinion: (criterion.source.judged()).map(|one| one.question.clone()),
        }
    }
}

impl CriterionSummary {
    /// Returns true if differences on it come from verdicts, since its readings vary from one time to
    /// the next. Other readings are compared directly.
    pub fn is_paired(&self) -> bool {
        let built_in = Source::BUILT_IN
            .iter()
            .find(|(name, _)| *name == self.source);
        match built_in {
            Some((_, source)) => source.is_uncertain(),
            None => {
                let evaluated = self.source.starts_with(EVALUATOR_PREFIX);
                self.source.starts_with("assess:") || (evaluated && !self.exact)
            }
        }
    }

    /// Returns true if it is about the time of calls.
    pub fn is_timed(&self) -> bool {
        matches!(self.source.as_str(), "time" | "wall")
    }

    /// Returns true if its scores are an opinion rather than a measurement.
    pub fn is_opinion(&self) -> bool {
        self.opinion.is_some() || self.source.starts_with(JUDGE_PREFIX)
    }
}
