//! The input of the scoring engine.

use super::CriterionSummary;
use crate::interval::Interval;
use crate::reading_verdict::ReadingVerdict;
use crate::verdict::PairVerdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The readings of one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantReadings {
    /// Readings by source: `time`, `peak-memory`, `assess:quality`. A reading without either end counts as exact,
    /// unless its differences come from verdicts.
    pub readings: BTreeMap<String, Interval>,
    /// Reasons why there is no reading, by source, where the evaluator or the host says so.
    pub missing: BTreeMap<String, String>,
    /// True if the variant has no result. Its readings are ignored.
    pub failed: bool,
    /// True if the variant did not race, since a screening chose others. Nothing is claimed of it.
    pub screened: bool,
}

impl VariantReadings {
    /// Returns true if it can have scores: it has a result, and no screening left it out.
    pub fn is_scored(&self) -> bool {
        !self.failed && !self.screened
    }
}

/// The natural logarithm of a call's time by replica and variant: the weighted mean over all cases.
/// `None` where a variant did not take part in a replica.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicaTimes {
    /// Ids of the variants, in the order of each row.
    pub variants: Vec<String>,
    /// Logarithms of times, by replica, then by variant.
    pub log_times: Vec<Vec<Option<f64>>>,
}

/// The cases on which calls are long enough to be timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimedCases {
    /// All of them.
    #[default]
    All,
    /// Some of them.
    Some,
    /// No case.
    None,
}

/// Everything that scores follow from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreInput {
    /// The criteria with their weights.
    pub criteria: Vec<CriterionSummary>,
    /// The variants, in the order of declaration.
    pub variants: Vec<VariantReadings>,
    /// Verdicts about ratios over all cases, by source of times (`time`, `cold-start`), between indexes of `variants`.
    /// Verdicts about single cases are ignored.
    pub verdicts: BTreeMap<String, Vec<PairVerdict>>,
    /// Verdicts about differences of readings, by source (`assess:quality`).
    pub differences: BTreeMap<String, Vec<ReadingVerdict>>,
    /// Logarithms of times by replica and variant, for the bootstrap of first places. May be empty.
    pub log_times: Vec<Vec<Option<f64>>>,
    /// The cases on which calls are long enough to be timed.
    pub timed_cases: TimedCases,
    /// The seed of the bootstrap.
    pub seed: u64,
}
