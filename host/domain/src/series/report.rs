//! The report about a series as values: what `--format json` writes. Additions are free; a change of meaning is
//! version 2.

use super::quantity::Quantity;
use crate::plan::RunSeed;
use crate::reading_verdict::Claim;
use crate::report::RankingOutcome;
use crate::verdict::{RatioInterval, Verdict};
use serde::{Deserialize, Serialize};

/// The version of the format that these types write.
pub const SERIES_SCHEMA_VERSION: u32 = 1;

/// The report about a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesReport {
    /// Version of the format: [`SERIES_SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The quantity that decides.
    pub quantity: Quantity,
    /// 1 − α for all published claims about pairs together.
    pub confidence: f64,
    /// δ: differences below this fraction do not matter in practice.
    pub practical: f64,
    /// The number of blocks.
    pub blocks: u32,
    /// Names of the cases; empty without cases.
    pub cases: Vec<String>,
    /// The reason why it ended.
    pub ended: SeriesEnd,
    /// The variants in the order in which they were named.
    pub variants: Vec<SeriesVariant>,
    /// Verdicts about each pair: all cases together, then by case.
    pub verdicts: Vec<SeriesVerdict>,
    /// Winner, tie, no call, or nothing to compare.
    pub outcome: RankingOutcome,
    /// The variant that is surely better than every other.
    pub winner: Option<String>,
    /// The variants that no other is surely better than.
    pub unbeaten: Vec<String>,
    /// The answer in words.
    pub text: String,
    /// Warnings that stand before everything else: the order was not drawn.
    pub warnings: Vec<String>,
    /// Notes on how the values came about.
    pub notes: Vec<String>,
    /// Seconds that a block took, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_seconds: Option<f64>,
    /// The seed of all orders, if they were drawn; `--seed` repeats them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<RunSeed>,
}

/// The reason why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesEnd {
    /// Every verdict that was asked for was reached.
    Settled,
    /// The time that was given is used up.
    Budget,
    /// The largest number of blocks was reached.
    BlockLimit,
    /// There are no more values.
    EndOfValues,
    /// The user interrupted it.
    Interrupted,
}

/// A variant of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesVariant {
    /// Name.
    pub name: String,
    /// The command that was started, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The reason why it has no verdict, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Its values, by case.
    pub values: Vec<CaseValues>,
    /// Quantities that were measured besides, and decide nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoMeasured>,
}

/// The values of a variant on a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseValues {
    /// Name of the case; `None` without cases.
    pub case: Option<String>,
    /// The number of values.
    pub count: u64,
    /// Their mean; of rates, of which more is better and which have no range, the harmonic mean.
    pub mean: f64,
    /// Lower end of an interval for the median, wide enough for the mean; `None` for too few values.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// A quantity that was measured besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlsoMeasured {
    /// Name: `CPU time`.
    pub name: String,
    /// Unit: `ns`, `bytes`.
    pub unit: String,
    /// The mean.
    pub mean: f64,
}

/// A verdict about two variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesVerdict {
    /// The variant that the verdict is about.
    pub a: String,
    /// The variant that it is compared with.
    pub b: String,
    /// Name of the case; `None` for all cases together.
    pub case: Option<String>,
    /// The verdict about `a`: it beats `b` if its values are surely the better ones.
    pub verdict: Verdict,
    /// True if one beats the other, yet the ratio is within the practical threshold.
    pub below_threshold: bool,
    /// Claim that the verdict makes.
    pub claim: Claim,
    /// The values of `a` over those of `b`, or the difference of their means, `a` less `b`.
    pub value: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The ratio that most blocks have, where the totals have another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<f64>,
    /// The number of blocks that it rests on.
    pub blocks: u32,
    /// The number of blocks in all that would likely bring a verdict where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_by: Option<u32>,
}

impl SeriesReport {
    /// The verdict about `a` against `b` over all cases, whichever comes first.
    pub fn verdict(&self, a: &str, b: &str) -> Option<SeriesVerdict> {
        let mut rows = self.verdicts.iter().filter(|row| row.case.is_none());
        rows.find_map(|row| {
            if (row.a.as_str(), row.b.as_str()) == (a, b) {
                Some(row.clone())
            } else if (row.a.as_str(), row.b.as_str()) == (b, a) {
                Some(row.clone().mirrored())
            } else {
                None
            }
        })
    }

    /// The variant of this name.
    pub fn variant(&self, name: &str) -> Option<&SeriesVariant> {
        self.variants.iter().find(|variant| variant.name == name)
    }
}

impl SeriesVerdict {
    /// The ratio with its interval.
    pub fn interval(&self) -> RatioInterval {
        RatioInterval {
            ratio: self.value,
            low: self.low,
            high: self.high,
        }
    }

    /// The verdict about `b` against `a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let claim = self.claim;
        let mirror = |number: f64| claim.mirrored(number);
        Self {
            a: self.b,
            b: self.a,
            verdict: self.verdict.mirrored(),
            value: self.value.map(mirror),
            low: self.high.map(mirror),
            high: self.low.map(mirror),
            typical: self.typical.map(mirror),
            ..self
        }
    }
}
