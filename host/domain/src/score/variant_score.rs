//! The scores of one variant.

use super::input::TimedCases;
use crate::interval::Interval;
use crate::logarithm::ln;
use serde::{Deserialize, Serialize};

/// The status of a variant after scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VariantStatus {
    /// The variant has a total and a rank.
    Ranked,
    /// The variant did not pass the gate of a criterion.
    Eliminated,
    /// The variant has no result.
    Failed,
    /// A score is missing, so it has no total.
    Unranked,
    /// The variant did not race, since a screening chose others: nothing is claimed of it.
    Screened,
}

impl VariantStatus {
    /// The status as it is written in reports: `ranked`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::Eliminated => "eliminated",
            Self::Failed => "failed",
            Self::Unranked => "unranked",
            Self::Screened => "screened",
        }
    }
}

/// The reason why a variant has no score on a criterion. A missing score never counts as 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MissingScore {
    /// There is no reading of this source.
    #[error("there is no reading of {of}: {}", .why.as_deref().unwrap_or(why_no_reading(.of)))]
    NoReading {
        /// The name of the source.
        of: String,
        /// The reason, if it is known of this variant.
        why: Option<String>,
    },
    /// There is a reading of this source that ranks nobody.
    #[error("its {of} ranks nobody: {why}")]
    Withheld {
        /// The name of the source.
        of: String,
        /// The reason.
        why: String,
    },
    /// The reading needs times that there cannot be.
    #[error("{}", why_too_short(.0))]
    TooShort(TimedCases),
    /// The reading is NaN or infinite.
    #[error("the reading {0} is not a finite number")]
    NotFinite(f64),
    /// The reading is not positive, which a ratio scale needs.
    #[error(
        "the reading {0} is not positive, which a ratio scale needs; declare `scale = \"linear\"` with \
         a `range`"
    )]
    NotPositive(f64),
    /// The variant was not measured against the best one.
    #[error("it was not measured against the best; a larger --budget may do")]
    NotCompared,
    /// The scale itself is invalid.
    #[error("the criterion's scale is not valid")]
    Scale,
}

/// The reason why a variant with a result has no reading of a source, and what to do.
fn why_no_reading(source: &str) -> &'static str {
    match source {
        "time" | "wall" | "cold-start" => "it was not timed; a larger --budget may do",
        "growth" => "it takes times at every size; a larger --budget may do",
        "source-lines" => "a component has no source; `component-size` is known of all variants",
        "build-time" => "its build took no measurable time",
        _ if source.starts_with("assess:") => {
            "the workload's `assess` must give this number, and a finite one, for every case"
        }
        _ => "it could not be measured",
    }
}

/// The reason why there are no times, where calls are too short for them.
fn why_too_short(timed: &TimedCases) -> &'static str {
    match timed {
        TimedCases::Some => {
            "it takes times at every size, and calls at some are too short to be timed"
        }
        TimedCases::All | TimedCases::None => "calls are too short to be timed",
    }
}

/// The best score.
pub(super) const SCORE_MAX: f64 = 10.0;

/// A score from 0 to 10, or the reason why there is none.
pub(super) type ScoreResult = Result<Interval, MissingScore>;

/// The scores, total and rank of one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantScore {
    /// Status of the variant after scoring.
    pub status: VariantStatus,
    /// 1 + the number of variants surely ahead of it; tied variants share a rank.
    pub rank: Option<u32>,
    /// The weighted mean of its scores, from 0 to 1.
    pub total: Option<Interval>,
    /// Scores by criterion, from 0 to 10; `None` where the score is missing.
    pub scores: Vec<Option<Interval>>,
    /// Reason why it is eliminated or unranked, in words.
    pub reason: Option<String>,
}

/// The score of a reading that is `factor` times the best: 10 − 10·log_R(factor), within 0 to 10. A
/// reading of R times the best or more scores 0.
pub(super) fn score_of_factor(factor: f64, base: f64) -> f64 {
    (SCORE_MAX - points(factor, base)).clamp(0.0, SCORE_MAX)
}

/// The points of the score that a factor costs: 10·log_R(factor).
pub(super) fn points(factor: f64, base: f64) -> f64 {
    10.0 * ln(factor) / ln(base)
}
