//! What the scoring engine is given.

use super::CriterionSummary;
use crate::verdict::PairVerdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A number with its interval. An end that is not known is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Interval {
    /// A number known exactly.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            low: Some(value),
            high: Some(value),
        }
    }

    /// The same interval with each number passed through `map`, which falls: ends change places.
    pub(super) fn falling(self, map: impl Fn(f64) -> f64) -> Self {
        Self {
            value: map(self.value),
            low: self.high.map(&map),
            high: self.low.map(&map),
        }
    }

    /// The same interval with each number passed through `map`, which rises.
    pub(super) fn rising(self, map: impl Fn(f64) -> f64) -> Self {
        Self {
            value: map(self.value),
            low: self.low.map(&map),
            high: self.high.map(&map),
        }
    }

    /// The sum of two intervals, end by end; an end that either lacks is unknown.
    pub(super) fn plus(self, other: Self) -> Self {
        let ends = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        Self {
            value: self.value + other.value,
            low: ends(self.low, other.low),
            high: ends(self.high, other.high),
        }
    }
}

/// What became of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It has a total and a rank.
    Ranked,
    /// A gate of a criterion kept it out.
    Eliminated,
    /// It has no result.
    Failed,
    /// A score is missing, so that no total can be given.
    Unranked,
}

/// What is known about one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// By source (`time`, `peak-memory`, `assess:quality`): its reading. A reading without either
    /// end is taken as it stands, as a count is.
    pub readings: BTreeMap<String, Interval>,
    /// Whether it has no result. Its readings are not looked at.
    pub failed: bool,
}

/// By replica and variant: the natural logarithm of a call's time, over all cases with their
/// weights. A variant that did not take part in a replica has `None` there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicaTimes {
    /// Ids of the variants, in the order of each row.
    pub variants: Vec<String>,
    /// One row for each replica.
    pub log_times: Vec<Vec<Option<f64>>>,
}

/// All that scores follow from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreInput {
    /// What counts.
    pub criteria: Vec<CriterionSummary>,
    /// The variants, in the order of declaration.
    pub candidates: Vec<Candidate>,
    /// By paired source (`time`, `wall`): the verdicts over all cases, between indexes of
    /// `candidates`. Rows about single cases are passed over.
    pub verdicts: BTreeMap<String, Vec<PairVerdict>>,
    /// By replica and candidate: the logarithm of its time; for the share of first places. May be
    /// empty.
    pub log_times: Vec<Vec<Option<f64>>>,
    /// What the bootstrap's draws follow from.
    pub seed: u64,
}
