//! The uncertainty of a statistic over replicas, by resampling them.

use super::{below, quantile};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Number of resamples of the values.
const RESAMPLES: usize = 2_000;

/// A statistic with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampled {
    /// The statistic of the values.
    pub value: f64,
    /// Lower end of the percentile interval.
    pub low: f64,
    /// Upper end of the percentile interval.
    pub high: f64,
    /// The standard deviation over the resamples.
    pub standard_error: f64,
}

/// Returns a statistic of `values` with its percentile bootstrap interval at `confidence` (Efron, 1979); `None`
/// without values. The same values always give the same interval. With few values it is too narrow, as all such
/// intervals are: it decides nothing, and is for tools that expect one.
///
/// ```
/// use bakeoff_domain::stats::resampled;
/// let mean = |values: &mut [f64]| values.iter().sum::<f64>() / values.len() as f64;
/// let of = resampled(&[10.0, 11.0, 12.0, 13.0], 0.95, mean).unwrap();
/// assert_eq!(of.value, 11.5);
/// assert!(of.low >= 10.0 && of.low < 11.5 && of.high > 11.5 && of.high <= 13.0);
/// ```
pub fn resampled(
    values: &[f64],
    confidence: f64,
    statistic: impl Fn(&mut [f64]) -> f64,
) -> Option<Resampled> {
    if values.is_empty() {
        return None;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut drawn = values.to_vec();
    let value = statistic(&mut drawn);
    let mut found: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            for place in &mut drawn {
                *place = values[below(&mut random, values.len() as u64) as usize];
            }
            statistic(&mut drawn)
        })
        .collect();
    let mean = found.iter().sum::<f64>() / RESAMPLES as f64;
    let squares: f64 = found.iter().map(|one| (one - mean).powi(2)).sum();
    let tail = (1.0 - confidence) / 2.0;
    Some(Resampled {
        value,
        low: quantile(&mut found, tail)?,
        high: quantile(&mut found, 1.0 - tail)?,
        standard_error: (squares / (RESAMPLES - 1) as f64).sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(values: &mut [f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn the_standard_error_of_a_mean_is_that_of_the_formula() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let of = resampled(&values, 0.95, mean).unwrap();
        // The standard deviation with n in the denominator, over the root of n.
        let formula = ((40.0_f64.powi(2) - 1.0) / 12.0 / 40.0).sqrt();
        assert!((of.standard_error / formula - 1.0).abs() < 0.1, "{of:?}");
        let half = 1.96 * formula;
        assert!((of.low - (19.5 - half)).abs() < 0.15 * half, "{of:?}");
        assert!((of.high - (19.5 + half)).abs() < 0.15 * half, "{of:?}");
    }

    #[test]
    fn one_value_is_its_own_interval_and_none_has_none() {
        let of = resampled(&[3.0], 0.95, mean).unwrap();
        assert_eq!(
            (of.value, of.low, of.high, of.standard_error),
            (3.0, 3.0, 3.0, 0.0)
        );
        assert_eq!(resampled(&[], 0.95, mean), None);
    }
}
