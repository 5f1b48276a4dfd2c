//! Comparison of replicas that ran alone with replicas that ran side by side.

use super::pair_sequence::PairSequence;
use crate::measurement::VariantIndex;
use crate::stats::median;
use serde::{Deserialize, Serialize};

/// Fewest replicas of each kind for a pair to be compared.
const REPLICAS_MIN: usize = 4;

/// Whether replicas that ran side by side order the variants as replicas that ran alone do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SoloComparison {
    /// Too few replicas of one kind to compare.
    Unknown,
    /// No pair has another order.
    Agrees,
    /// These pairs have another order: run solo from now on, judge by solo replicas
    /// ([`super::Basis::Solo`]), and say so.
    Differs {
        /// The pairs, the lower index first.
        pairs: Vec<(VariantIndex, VariantIndex)>,
    },
}

/// Compares all pairs. The order of a pair differs if its medians alone and side by side have
/// opposite signs, both beyond δ, and every solo replica is on the side of the solo median.
pub(super) fn compare(pairs: &[&PairSequence], practical_log: f64) -> SoloComparison {
    let mut compared = false;
    let mut differing = Vec::new();
    for pair in pairs {
        let values = |solo: bool| -> Vec<f64> {
            let kind = pair
                .differences()
                .filter(|(_, replica)| replica.solo == solo);
            kind.map(|(value, _)| value).collect()
        };
        let (mut alone, mut together) = (values(true), values(false));
        if alone.len().min(together.len()) < REPLICAS_MIN {
            continue;
        }
        compared = true;
        let estimates = median(&mut alone).zip(median(&mut together));
        let differs = estimates.is_some_and(|(alone_estimate, together_estimate)| {
            alone_estimate * together_estimate < 0.0
                && alone_estimate.abs().min(together_estimate.abs()) > practical_log
                && alone.iter().all(|value| value * alone_estimate > 0.0)
        });
        if differs {
            differing.push((pair.a, pair.b));
        }
    }
    match (compared, differing.is_empty()) {
        (false, _) => SoloComparison::Unknown,
        (true, true) => SoloComparison::Agrees,
        (true, false) => SoloComparison::Differs { pairs: differing },
    }
}
