//! The settings of a race: declared before the first replica, never changed by looking at the data.

use crate::measurement::{CaseIndex, Metric, VariantIndex};
use crate::verdict;
use serde::{Deserialize, Serialize};

/// The replicas that verdicts rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// All replicas.
    #[default]
    All,
    /// Replicas that ran alone on the machine: the fallback when [`super::SoloComparison::Differs`].
    Solo,
}

/// The share of α that is kept for the fallback.
const SOLO_SHARE: f64 = 0.1;

/// Everything that verdicts follow from, besides the replicas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceSettings {
    /// k: the number of variants in the race. Those that leave or fail still count.
    pub variants: usize,
    /// By case, its weight in the comparison over all cases; only their proportions matter. A case
    /// of weight 0 gets no verdict: its calls are too short to time.
    pub case_weights: Vec<f64>,
    /// 1 − α for all published claims about pairs together, in (0, 1).
    pub confidence: f64,
    /// δ as a fraction: 0.01 is one per cent.
    pub practical: f64,
    /// The clock that verdicts are about.
    #[serde(default)]
    pub metric: Metric,
    /// The share of α that the claims by one reading have: 1 if time is the only reading that ranks,
    /// see [`metric_share`](crate::metric_share::metric_share).
    #[serde(default = "whole")]
    pub metric_share: f64,
    /// True if verdicts about the cold start are wanted.
    #[serde(default)]
    pub cold_start: bool,
    /// q: the resolution of the thread clock, in nanoseconds.
    pub clock_ns: f64,
    /// The largest number of replicas.
    pub replicas_max: u32,
    /// A fraction by which the others may be slower than variant 0: the race goes on until each of
    /// them is surely within it, or beyond.
    #[serde(default)]
    pub margin: Option<f64>,
    /// A fraction: the race may end once the interval of every open pair is within it, up and down.
    #[serde(default)]
    pub precision: Option<f64>,
    /// Variants that make a single call in each replica, as chosen from the pilot; the first
    /// replicas' times replace this choice.
    #[serde(default)]
    pub single_call_at_start: Vec<VariantIndex>,
    /// Variants that failed after the race began: they get no verdicts any more.
    #[serde(default)]
    pub withdrawn: Vec<VariantIndex>,
    /// The replicas that verdicts rest on.
    #[serde(default)]
    pub basis: Basis,
}

fn whole() -> f64 {
    1.0
}

impl RaceSettings {
    /// Settings for this many variants and cases of equal weight, at 95 % confidence, δ = 1 %, CPU time with a
    /// clock resolution of 0.5 µs, 96 replicas at most.
    pub fn new(variants: usize, cases: usize) -> Self {
        Self {
            variants,
            case_weights: vec![1.0; cases],
            confidence: 0.95,
            practical: 0.01,
            metric: Metric::Cpu,
            metric_share: 1.0,
            cold_start: false,
            clock_ns: 500.0,
            replicas_max: 96,
            margin: None,
            precision: None,
            single_call_at_start: Vec::new(),
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

    /// The cases that get verdicts: those of positive weight.
    pub fn claimed_cases(&self) -> Vec<CaseIndex> {
        let weights = self.weights();
        (0..weights.len())
            .filter(|case| weights[*case] > 0.0)
            .collect()
    }

    /// The evidence that a claim needs, in nats: ln(n/α), with n the number of claims that may be
    /// published together. These are both directions of every pair, over all cases and, where
    /// several count, on each of them. α is [`metric_share`](Self::metric_share) of 1 − confidence:
    /// every reading that ranks has a part of it. Nine tenths of α are for [`Basis::All`], one
    /// tenth for the fallback [`Basis::Solo`].
    pub fn threshold(&self) -> f64 {
        let share = match self.basis {
            Basis::All => 1.0 - SOLO_SHARE,
            Basis::Solo => SOLO_SHARE,
        };
        let alpha = self.alpha() * self.metric_share.clamp(f64::MIN_POSITIVE, 1.0);
        (self.pair_claims() * self.scopes() / (share * alpha)).ln()
    }

    /// The number of verdicts that each pair may get.
    pub fn scopes(&self) -> f64 {
        let cases = self.claimed_cases().len();
        (if cases > 1 { cases + 1 } else { 1 }) as f64
    }

    /// δ as a difference of logarithms, for the metric.
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
        let mut settings = RaceSettings::new(4, 1);
        assert!((settings.threshold() - needs(12.0, 0.9)).abs() < 1e-12);
        settings.basis = Basis::Solo;
        assert!((settings.threshold() - needs(12.0, 0.1)).abs() < 1e-12);
        let mut settings = RaceSettings::new(4, 3);
        assert!((settings.threshold() - needs(48.0, 0.9)).abs() < 1e-12);
        settings.metric_share = 0.5;
        assert!((settings.threshold() - needs(96.0, 0.9)).abs() < 1e-12);
    }

    #[test]
    fn only_proportions_of_weights_matter_and_zero_leaves_a_case_out() {
        let mut settings = RaceSettings::new(2, 3);
        settings.case_weights = vec![2.0, 0.0, 6.0];
        assert_eq!(settings.weights(), [0.25, 0.0, 0.75]);
        assert_eq!(settings.claimed_cases(), [0, 2]);
        settings.case_weights = vec![0.0; 3];
        assert!(settings.claimed_cases().is_empty());
    }
}
