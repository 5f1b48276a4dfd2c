//! The settings of a race: declared before the first replica, never changed by looking at the data.

use super::alpha::{ClaimScope, ClaimUnit};
use crate::measurement::{CaseIndex, Metric, Overrun, VariantIndex};
use crate::plan::{LAYOUTS, ShortCase};
use crate::verdict;
use serde::{Deserialize, Serialize};

fn whole() -> f64 {
    1.0
}

/// The scale of the first differences of a pair: the median absolute deviation of its differences in
/// the blocks of the pilot, at least the clock's resolution.
///
/// It is as large as the noise within a process; that of a replica's difference is smaller, since this rests on the
/// totals of several blocks, but has the differences between processes in addition. Whatever it is, it was known before
/// the first replica, so the bets are fair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstScale {
    /// The variant with the lower index.
    pub a: VariantIndex,
    /// The variant with the higher index.
    pub b: VariantIndex,
    /// The case; `None` for all cases that count together.
    pub case: Option<CaseIndex>,
    /// The scale, as a difference of logarithms.
    pub scale: f64,
}

/// Everything that verdicts follow from, besides the replicas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceSettings {
    /// k: the number of variants in the race. Those that leave or fail still count.
    pub variants: usize,
    /// Weights of the cases in the comparison over all of them; only their proportions matter. A case of weight 0 gets
    /// no verdict: its calls are too short to time.
    pub case_weights: Vec<f64>,
    /// True if the cases are instances of one set, of which each block draws a few: claims are about
    /// the whole set, and none about a single instance.
    #[serde(default)]
    pub instances: bool,
    /// True if every call of a case has the same input: then a few calls have met all inputs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed_inputs: bool,
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
    /// Margin, as a fraction by which the others may be slower than variant 0: the race goes on until each of them is
    /// surely within it, or beyond.
    #[serde(default)]
    pub margin: Option<f64>,
    /// Precision, as a fraction: the race may end once the interval of every open pair is within it, up and down.
    #[serde(default)]
    pub precision: Option<f64>,
    /// The scales of each pair's first differences, in ascending order, as
    /// [`first_scales`](super::first_scales) takes them from the pilot; empty without one.
    #[serde(default)]
    pub first_scales: Vec<FirstScale>,
    /// The variants that run in replicas of their own, beside the leader: far slower than the others, or one of
    /// their samples took far longer than was predicted.
    #[serde(default)]
    pub aside: Vec<VariantIndex>,
    /// The samples that took far longer than was predicted, at most one of a variant. Their times count as far as they
    /// are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overruns: Vec<Overrun>,
    /// The cases whose calls are timed by a cheaper clock, as the pilot fixed them.
    #[serde(default)]
    pub short_cases: Vec<ShortCase>,
    /// Numbers of layouts, by variant: the places in which its code lies, one of which each replica draws. Empty in
    /// results of earlier versions, which did not keep them.
    #[serde(default)]
    pub layouts: Vec<u32>,
    /// Variants that failed after the race began: they get no verdicts any more.
    #[serde(default)]
    pub withdrawn: Vec<VariantIndex>,
}

impl RaceSettings {
    /// Settings for this many variants and cases of equal weight, at 95 % confidence, δ = 1 %, CPU time with a
    /// clock resolution of 0.5 µs, 96 replicas at most.
    pub fn new(variants: usize, cases: usize) -> Self {
        Self {
            variants,
            case_weights: vec![1.0; cases],
            instances: false,
            fixed_inputs: false,
            confidence: 0.95,
            practical: 0.01,
            metric: Metric::Cpu,
            metric_share: 1.0,
            cold_start: false,
            clock_ns: 500.0,
            replicas_max: 96,
            margin: None,
            precision: None,
            first_scales: Vec::new(),
            aside: Vec::new(),
            overruns: Vec::new(),
            short_cases: Vec::new(),
            layouts: Vec::new(),
            withdrawn: Vec::new(),
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

    /// The cases that get verdicts of their own: those of positive weight where there are several, and
    /// none for instances of one set.
    pub(super) fn single_scopes(&self) -> Vec<CaseIndex> {
        let cases = self.claimed_cases();
        if self.instances || cases.len() < 2 {
            Vec::new()
        } else {
            cases
        }
    }

    /// The weights of the rows of [`TimeSummary`](super::TimeSummary): those of the cases, or of the
    /// only row that a set of instances has.
    pub fn time_weights(&self) -> Vec<f64> {
        if self.instances {
            vec![1.0]
        } else {
            self.weights()
        }
    }

    /// The cases that count: those of positive weight.
    pub fn claimed_cases(&self) -> Vec<CaseIndex> {
        let weights = self.weights();
        (0..weights.len())
            .filter(|case| weights[*case] > 0.0)
            .collect()
    }

    /// The probability with which one claim of this scope may be wrong, by the table of α: evidence ×
    /// scope × reading ÷ the directed pairs. 0 for a claim that is not made.
    pub(super) fn alpha_of_claim(&self, unit: ClaimUnit, scope: ClaimScope) -> f64 {
        self.alpha_of_share(unit.share() * self.share(scope))
    }

    /// The evidence that a claim of this scope needs by replicas, in nats: ln(1/α) of its α.
    pub fn threshold(&self, scope: ClaimScope) -> f64 {
        -self.alpha_of_claim(ClaimUnit::Replicas, scope).ln()
    }

    /// The evidence that a claim of this scope needs by blocks, in nats.
    pub fn block_threshold(&self, scope: ClaimScope) -> f64 {
        -self.alpha_of_claim(ClaimUnit::Blocks, scope).ln()
    }

    /// The evidence that a claim about a reading with one value for each replica needs, in nats: such
    /// a claim has the whole share of its reading, whatever the number of cases.
    pub(super) fn reading_threshold(&self) -> f64 {
        -self.alpha_of_share(self.metric_share).ln()
    }

    /// The probability with which one claim may be wrong that has this share among all of its pair.
    fn alpha_of_share(&self, share: f64) -> f64 {
        let alpha = (1.0 - self.confidence).clamp(f64::MIN_POSITIVE, 1.0);
        alpha * share / self.directed_pairs()
    }

    /// The scale of the first differences of a pair over all cases or on one, if the pilot has it.
    pub(super) fn first_scale(
        &self,
        (a, b): (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
    ) -> Option<f64> {
        let key = |known: &FirstScale| (known.a, known.b, known.case);
        let place = self.first_scales.binary_search_by_key(&(a, b, case), key);
        place.ok().map(|place| self.first_scales[place].scale)
    }

    /// Returns true if the code of one of a pair lies in fewer places than [`LAYOUTS`].
    pub(super) fn has_few_layouts(&self, (a, b): (VariantIndex, VariantIndex)) -> bool {
        let few = |variant: VariantIndex| self.layouts.get(variant).is_some_and(|of| *of < LAYOUTS);
        few(a) || few(b)
    }

    /// The share of one verdict of this scope among all verdicts of its pair.
    pub(super) fn share(&self, scope: ClaimScope) -> f64 {
        self.metric_share * scope.share(self.single_scopes().len())
    }

    /// δ as a difference of logarithms, for the metric.
    pub fn practical_log(&self) -> f64 {
        verdict::practical_log(self.practical, self.metric)
    }

    fn directed_pairs(&self) -> f64 {
        let variants = self.variants.max(2) as f64;
        variants * (variants - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
