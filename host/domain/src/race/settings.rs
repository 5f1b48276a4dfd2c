//! What is declared before the first replica, and never changed by looking at the data.

use crate::measurement::{CaseIndex, Metric, VariantIndex};
use crate::verdict;
use serde::{Deserialize, Serialize};

/// Which replicas count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// All of them.
    #[default]
    All,
    /// Those that ran alone on the machine: the fallback when [`super::Control::Differs`].
    Solo,
}

/// The share of α that is kept for the fallback.
const SOLO_SHARE: f64 = 0.1;

/// All that verdicts follow from, besides the replicas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// k: how many variants entered the race. Those that leave or fail still count.
    pub variants: usize,
    /// By case, how much it counts in the comparison over all cases; only their proportions matter.
    /// A case of weight 0 is not spoken of at all: its calls are too short to time.
    pub case_weights: Vec<f64>,
    /// By case, its size; empty if cases have no sizes. Crossovers are looked for between sizes.
    #[serde(default)]
    pub sizes: Vec<u32>,
    /// 1 − α for all published claims about pairs together, in (0, 1).
    pub confidence: f64,
    /// δ as a fraction: 0.01 is one per cent.
    pub practical: f64,
    /// Which clock is gone by.
    #[serde(default)]
    pub metric: Metric,
    /// By how many clocks verdicts are given: 2 where a criterion asks for wall time.
    #[serde(default)]
    pub clocks: u32,
    /// q: the granularity of the thread clock, in nanoseconds.
    pub clock_ns: f64,
    /// Replicas at most.
    pub replicas_max: u32,
    /// A fraction by which the others may be slower than variant 0: the race goes on until each of
    /// them is surely within it, or beyond.
    #[serde(default)]
    pub margin: Option<f64>,
    /// A fraction: the race may end once every open pair is known to it, up and down.
    #[serde(default)]
    pub precision: Option<f64>,
    /// Variants that the pilot found so slow that a single call in each replica is enough; what the
    /// first replicas say replaces it.
    #[serde(default)]
    pub brief_at_start: Vec<VariantIndex>,
    /// Variants that failed after the race began: nothing is said of them any more.
    #[serde(default)]
    pub withdrawn: Vec<VariantIndex>,
    /// Which replicas count.
    #[serde(default)]
    pub basis: Basis,
}

impl Settings {
    /// So many variants and cases of equal weight, at 95 % confidence, δ = 1 %, CPU time with a
    /// clock of 0.5 µs, 96 replicas at most.
    pub fn new(variants: usize, cases: usize) -> Self {
        Self {
            variants,
            case_weights: vec![1.0; cases],
            sizes: Vec::new(),
            confidence: 0.95,
            practical: 0.01,
            metric: Metric::Cpu,
            clocks: 1,
            clock_ns: 500.0,
            replicas_max: 96,
            margin: None,
            precision: None,
            brief_at_start: Vec::new(),
            withdrawn: Vec::new(),
            basis: Basis::All,
        }
    }

    /// The weights of the cases, summing to 1; all 0 if none counts.
    pub fn weights(&self) -> Vec<f64> {
        let usable = |weight: &f64| if *weight > 0.0 { *weight } else { 0.0 };
        let total: f64 = self.case_weights.iter().map(usable).sum();
        let scale = if total > 0.0 && total.is_finite() {
            1.0 / total
        } else {
            0.0
        };
        let shares = self
            .case_weights
            .iter()
            .map(|weight| usable(weight) * scale);
        shares.collect()
    }

    /// The cases that are spoken of.
    pub fn claimed_cases(&self) -> Vec<CaseIndex> {
        let weights = self.weights();
        (0..weights.len())
            .filter(|case| weights[*case] > 0.0)
            .collect()
    }

    /// Evidence in nats that a claim needs, over all cases or on one: ln(n/α) with n for all that may
    /// be published together. These are both directions of every pair, over all cases and, where
    /// several count, on each of them, by every clock that verdicts are given by. Nine tenths of α are
    /// for the replicas as they come, the last one for those that ran alone, should they be fallen
    /// back to ([`Basis::Solo`]).
    pub fn threshold(&self) -> f64 {
        let share = match self.basis {
            Basis::All => 1.0 - SOLO_SHARE,
            Basis::Solo => SOLO_SHARE,
        };
        (self.pair_claims() * self.scopes() / (share * self.alpha())).ln()
    }

    /// How many verdicts each pair may get.
    pub fn scopes(&self) -> f64 {
        let cases = self.claimed_cases().len();
        let scopes = if cases > 1 { cases + 1 } else { 1 };
        scopes as f64 * f64::from(self.clocks.max(1))
    }

    /// δ as a difference of logarithms, for the clock that is gone by.
    pub fn practical_log(&self) -> f64 {
        verdict::practical_log(self.practical, self.metric)
    }

    fn alpha(&self) -> f64 {
        (1.0 - self.confidence).clamp(f64::MIN_POSITIVE, 1.0)
    }

    fn pair_claims(&self) -> f64 {
        let variants = self.variants.max(2) as f64;
        variants * (variants - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_divisor_counts_every_claim() {
        let needs = |claims: f64, share: f64| (claims / (share * 0.05)).ln();
        let mut settings = Settings::new(4, 1);
        assert!((settings.threshold() - needs(12.0, 0.9)).abs() < 1e-12);
        settings.basis = Basis::Solo;
        assert!((settings.threshold() - needs(12.0, 0.1)).abs() < 1e-12);
        let mut settings = Settings::new(4, 3);
        assert!((settings.threshold() - needs(48.0, 0.9)).abs() < 1e-12);
        settings.clocks = 2;
        assert!((settings.threshold() - needs(96.0, 0.9)).abs() < 1e-12);
    }

    #[test]
    fn only_proportions_of_weights_matter_and_zero_is_silent() {
        let mut settings = Settings::new(2, 3);
        settings.case_weights = vec![2.0, 0.0, 6.0];
        assert_eq!(settings.weights(), [0.25, 0.0, 0.75]);
        assert_eq!(settings.claimed_cases(), [0, 2]);
        settings.case_weights = vec![0.0; 3];
        assert!(settings.claimed_cases().is_empty());
    }
}
