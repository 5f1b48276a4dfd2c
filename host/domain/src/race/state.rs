//! Whether a ratio moves with the state of the machine. An annotation, never a verdict.

use super::track::{Origin, Track};
use crate::measurement::VariantIndex;
use crate::stats::spearman;
use serde::{Deserialize, Serialize};

/// Replicas before anything is said.
const REPLICAS_MIN: usize = 16;
/// Corrected for the number of correlations looked at.
const P_MAX: f64 = 0.01;

/// What a ratio may move with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factor {
    /// Time since the race began.
    Time,
    /// The load of the machine at launch.
    Load,
}

/// A pair whose ratio depends on the machine's state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dependence {
    /// The pair, with `a` < `b`.
    pub a: VariantIndex,
    /// The other one.
    pub b: VariantIndex,
    /// What it moves with.
    pub factor: Factor,
    /// Spearman's ρ of ln(t_a / t_b) against it.
    pub rho: f64,
    /// Two-sided, corrected for the number of correlations looked at.
    pub p: f64,
}

/// All dependences with a corrected p below 0.01, from 16 replicas on.
pub(super) fn find(tracks: &[&Track]) -> Vec<Dependence> {
    let mut tried = Vec::new();
    for track in tracks {
        for factor in [Factor::Time, Factor::Load] {
            let known = track
                .differences()
                .filter_map(|(value, origin)| Some((reading(factor, origin)?, value)));
            let (readings, values): (Vec<f64>, Vec<f64>) = known.unzip();
            if values.len() < REPLICAS_MIN {
                continue;
            }
            if let Some(found) = spearman(&readings, &values) {
                tried.push(Dependence {
                    a: track.a,
                    b: track.b,
                    factor,
                    rho: found.rho,
                    p: found.p,
                });
            }
        }
    }
    let looked_at = tried.len() as f64;
    let corrected = tried.into_iter().map(|found| Dependence {
        p: (found.p * looked_at).min(1.0),
        ..found
    });
    corrected.filter(|found| found.p < P_MAX).collect()
}

fn reading(factor: Factor, origin: &Origin) -> Option<f64> {
    match factor {
        Factor::Time => Some(origin.started_s),
        Factor::Load => origin.load,
    }
}
