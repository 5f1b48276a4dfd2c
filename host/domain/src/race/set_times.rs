//! The times of one replica on a set of instances: the means over those that it drew.
//!
//! Each instance counts the same, however long its calls take: a difference on the set is the mean of
//! the differences on its instances, and a ratio the geometric mean of theirs.

use super::block_times::{BlockTimes, Difference};
use crate::measurement::{CaseIndex, VariantIndex};

impl BlockTimes {
    /// The instances that count and that the replica drew.
    fn drawn<'a>(&'a self, weights: &'a [f64]) -> impl Iterator<Item = CaseIndex> + 'a {
        let cases = self.cases.iter().copied();
        cases.filter(|case| weights.get(*case).is_some_and(|weight| *weight > 0.0))
    }

    fn makes_full_samples(&self, variant: VariantIndex, weights: &[f64]) -> bool {
        let mut drawn = self.drawn(weights);
        drawn.any(|case| self.has_full_samples(variant, case))
    }

    /// The difference of a pair on the set: the mean of [`difference`](Self::difference) over the
    /// instances on which both made full samples; of single calls, if one of them makes no others.
    /// `None` if they have no instance in common.
    pub(super) fn difference_on_set(
        &self,
        a: VariantIndex,
        b: VariantIndex,
        weights: &[f64],
    ) -> Option<Difference> {
        let full = [a, b].map(|variant| self.makes_full_samples(variant, weights));
        let is_full =
            |case: &CaseIndex| self.has_full_samples(a, *case) && self.has_full_samples(b, *case);
        let drawn = self.drawn(weights);
        let compared = drawn.filter(|case| full != [true, true] || is_full(case));
        let found = compared.filter_map(|case| self.difference(a, b, case));
        let (mut count, mut value, mut resolution) = (0.0, 0.0, 0.0);
        for difference in found {
            count += 1.0;
            value += difference.value;
            resolution += difference.resolution;
        }
        (count > 0.0).then(|| Difference {
            value: value / count,
            resolution: resolution / count,
        })
    }

    /// The geometric mean over the instances of the time of one call, in nanoseconds; `None` if the
    /// variant did not run. Single calls count for a variant that makes no others.
    pub(super) fn mean_ns_on_set(&self, variant: VariantIndex, weights: &[f64]) -> Option<f64> {
        let full = self.makes_full_samples(variant, weights);
        let drawn = self.drawn(weights);
        let counted = drawn.filter(|case| !full || self.has_full_samples(variant, *case));
        let times = counted.filter_map(|case| self.median_ns(variant, case));
        let logs: Vec<f64> = times.map(f64::ln).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// By block, the mean over its instances of the difference of full samples, NaN where a block has
    /// none; and the resolution of these means.
    pub(super) fn differences_on_set_by_block(
        &self,
        a: VariantIndex,
        b: VariantIndex,
        weights: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let mut sums: Vec<(f64, f64)> = Vec::new();
        let mut resolutions = (0.0, 0.0);
        for case in self.drawn(weights) {
            let differences = self.differences_by_block(a, b, case);
            sums.resize(differences.len().max(sums.len()), (0.0, 0.0));
            for (sum, difference) in sums.iter_mut().zip(&differences) {
                if difference.is_finite() {
                    *sum = (sum.0 + difference, sum.1 + 1.0);
                }
            }
            resolutions.0 += self.resolution(a, b, case);
            resolutions.1 += 1.0;
        }
        let means = sums.into_iter().map(|(sum, count)| sum / count);
        (resolutions.1 > 0.0).then(|| (means.collect(), resolutions.0 / resolutions.1))
    }
}
