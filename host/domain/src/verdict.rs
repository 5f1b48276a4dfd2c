//! Verdicts: what may be said about a pair of variants, and how sure it is.

use crate::measurement::{CaseIndex, VariantIndex};
use serde::{Deserialize, Serialize};

/// What is said about variant `a` against variant `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// `a` takes less time, surely.
    Beats,
    /// `a` takes more time, surely.
    Beaten,
    /// Surely no further apart than the practical threshold, and neither surely faster.
    Tie,
    /// Not known: the budget ended first.
    NoCall,
}

impl Verdict {
    /// The same fact seen from the other side.
    pub fn reversed(self) -> Self {
        match self {
            Self::Beats => Self::Beaten,
            Self::Beaten => Self::Beats,
            other => other,
        }
    }
}

/// The ratio of two times with its interval from the confidence sequence. An end that is not
/// known is `None`. The ratio lies in the interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// Time of `a` divided by time of `b`; `None` before the first replica.
    pub ratio: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// A verdict about one pair, over all cases or on one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairVerdict {
    /// The variant that is spoken of.
    pub a: VariantIndex,
    /// The variant it is held against.
    pub b: VariantIndex,
    /// `None`: all cases together.
    pub case: Option<CaseIndex>,
    /// What is said.
    pub verdict: Verdict,
    /// Sure, but smaller than the practical threshold.
    pub below_threshold: bool,
    /// By how much.
    pub interval: RatioInterval,
    /// How many replicas it rests on.
    pub replicas: u32,
}
