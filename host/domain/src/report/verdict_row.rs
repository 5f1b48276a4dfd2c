//! Verdicts by time about pairs of variants, as a report has them.

use super::{CaseLabel, is_default};
use crate::measurement::VariantIndex;
use crate::verdict::{PairVerdict, RatioInterval, Verdict};
use serde::{Deserialize, Serialize};

/// A verdict by time about a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictRow {
    /// The id of the variant that the verdict is about.
    pub a: String,
    /// The id of the variant that it is compared with.
    pub b: String,
    /// Case; `None` for all cases together.
    pub case: Option<CaseLabel>,
    /// The verdict about `a`.
    pub verdict: Verdict,
    /// True if one beats the other, yet the ratio is within the practical threshold.
    pub below_threshold: bool,
    /// Time of `a` divided by time of `b`.
    pub ratio: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The number of replicas that it rests on; 0 for a duplicate, and where it was not kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub replicas: u32,
    /// Seconds of measuring in all that would likely bring a verdict where there is none, by continuations of the race
    /// with replicas drawn from its own ([`crate::race::prospect`]); where there is no interval yet, the least that
    /// could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_seconds: Option<f64>,
    /// Interval that more time would bring, where it would likely bring no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowed: Option<Narrowed>,
    /// The ratio that most samples have, where it lies outside the interval of the total times: few inputs take much
    /// of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<f64>,
}

impl VerdictRow {
    /// The ratio with its interval.
    pub fn interval(&self) -> RatioInterval {
        RatioInterval {
            ratio: self.ratio,
            low: self.low,
            high: self.high,
        }
    }

    /// A verdict about indexes as a row about ids: `ids` are those of the variants that entered the
    /// race, `cases` the experiment's. `None` if an index is out of bounds.
    pub fn named(pair: &PairVerdict, ids: &[String], cases: &[CaseLabel]) -> Option<Self> {
        let id = |index: VariantIndex| ids.get(index).cloned();
        let case = match pair.case {
            Some(index) => Some(cases.get(index)?.clone()),
            None => None,
        };
        Some(Self {
            a: id(pair.a)?,
            b: id(pair.b)?,
            case,
            verdict: pair.verdict,
            below_threshold: pair.below_threshold,
            ratio: pair.interval.ratio,
            low: pair.interval.low,
            high: pair.interval.high,
            replicas: pair.replicas,
            settle_seconds: None,
            narrowed: None,
            typical: pair.typical,
        })
    }
}

/// The interval that a pair would likely have after more measuring, without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Narrowed {
    /// Seconds of measuring in all.
    pub seconds: f64,
    /// Half of the width of the interval, as a difference of logarithms (0.01 is about 1 %).
    pub half_width: f64,
}
