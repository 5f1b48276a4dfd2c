//! Whether replicas that run side by side rank the variants as replicas that run alone do.

use super::track::Track;
use crate::measurement::VariantIndex;
use crate::stats::median;
use serde::{Deserialize, Serialize};

/// Solo replicas, and others, that a pair needs before anything is said about it.
const REPLICAS_MIN: usize = 4;

/// What the solo replicas say about the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// Too few replicas of one kind to compare.
    Unknown,
    /// No pair changes places.
    Agrees,
    /// These pairs change places: run solo from now on, judge by solo replicas
    /// ([`super::Basis::Solo`]), and say so.
    Differs {
        /// With `a` < `b`.
        pairs: Vec<(VariantIndex, VariantIndex)>,
    },
}

/// A pair changes places if alone and side by side its medians have opposite signs, both beyond
/// δ, and every solo replica is on the side of the solo estimate.
pub(super) fn compare(tracks: &[&Track], practical_log: f64) -> Control {
    let mut compared = false;
    let mut pairs = Vec::new();
    for track in tracks {
        let values = |solo: bool| -> Vec<f64> {
            let kind = track
                .differences()
                .filter(|(_, origin)| origin.solo == solo);
            kind.map(|(value, _)| value).collect()
        };
        let (mut alone, mut together) = (values(true), values(false));
        if alone.len().min(together.len()) < REPLICAS_MIN {
            continue;
        }
        compared = true;
        let estimates = median(&mut alone).zip(median(&mut together));
        let changes = estimates.is_some_and(|(alone_estimate, together_estimate)| {
            alone_estimate * together_estimate < 0.0
                && alone_estimate.abs().min(together_estimate.abs()) > practical_log
                && alone.iter().all(|value| value * alone_estimate > 0.0)
        });
        if changes {
            pairs.push((track.a, track.b));
        }
    }
    match (compared, pairs.is_empty()) {
        (false, _) => Control::Unknown,
        (true, true) => Control::Agrees,
        (true, false) => Control::Differs { pairs },
    }
}
