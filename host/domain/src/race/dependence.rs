//! Correlations of a pair's ratio with time and load. An annotation, never a verdict.

use super::conditions::ReplicaConditions;
use super::pair_sequence::PairSequence;
use crate::measurement::VariantIndex;
use crate::stats::spearman;
use serde::{Deserialize, Serialize};

/// Fewest replicas for a correlation to be looked at.
const REPLICAS_MIN: usize = 16;
/// The largest p-value, corrected for the number of correlations looked at.
const P_MAX: f64 = 0.01;

/// A property of the machine that a ratio may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factor {
    /// Time since the race began.
    Time,
    /// The load of the machine at launch.
    Load,
}

/// A pair whose ratio is correlated with a factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dependence {
    /// The variant with the lower index.
    pub a: VariantIndex,
    /// The variant with the higher index.
    pub b: VariantIndex,
    /// The factor.
    pub factor: Factor,
    /// Spearman's ρ of ln(t_a / t_b) against the factor.
    pub rho: f64,
    /// Two-sided p-value, times the number of correlations looked at (Bonferroni), at most 1.
    pub p: f64,
}

/// All dependences with a corrected p below 0.01, from 16 replicas on.
pub(super) fn find(pairs: &[&PairSequence]) -> Vec<Dependence> {
    let mut tried = Vec::new();
    for pair in pairs {
        for factor in [Factor::Time, Factor::Load] {
            let known = pair
                .differences()
                .filter_map(|(value, conditions)| Some((level(factor, conditions)?, value)));
            let (levels, values): (Vec<f64>, Vec<f64>) = known.unzip();
            if values.len() < REPLICAS_MIN {
                continue;
            }
            if let Some(found) = spearman(&levels, &values) {
                tried.push(Dependence {
                    a: pair.a,
                    b: pair.b,
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

fn level(factor: Factor, conditions: &ReplicaConditions) -> Option<f64> {
    match factor {
        Factor::Time => Some(conditions.started_s),
        Factor::Load => conditions.load,
    }
}
