//! A distribution-free interval for a median, from order statistics.

use super::coin::at_most;
use super::estimate::median;

/// An interval that holds the median of the distribution of `values` with at least the given
/// confidence, whatever the distribution: the widest order statistics whose binomial probability
/// suffices. `None` if there are too few values (fewer than 6 at 0.95). Reorders its argument.
///
/// Valid for a fixed number of values: shown beside a time, not used for verdicts.
///
/// ```
/// use bakeoff_domain::stats::median_interval;
/// let mut values = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0];
/// assert_eq!(median_interval(&mut values, 0.95), Some((1.0, 6.0)));
/// assert_eq!(median_interval(&mut values[..5], 0.95), None);
/// ```
pub fn median_interval(values: &mut [f64], confidence: f64) -> Option<(f64, f64)> {
    let count = values.len();
    median(values)?;
    let spare = 0.5 * (1.0 - confidence);
    // The order statistics below the middle that leave out no more than there is to spare.
    let ranks = at_most(count).take(count.div_ceil(2));
    let rank = ranks
        .take_while(|below| *below <= spare)
        .count()
        .checked_sub(1)?;
    values.sort_unstable_by(f64::total_cmp);
    Some((values[rank], values[count - 1 - rank]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_agree_with_the_tables() {
        // Ranks of the 95 % interval for a median: n = 10 gives 2 and 9, n = 20 gives 6 and 15,
        // n = 50 gives 18 and 33 (the tables count from 1).
        for (count, low, high) in [(10, 2.0, 9.0), (20, 6.0, 15.0), (50, 18.0, 33.0)] {
            let mut values: Vec<f64> = (1..=count).map(f64::from).collect();
            assert_eq!(median_interval(&mut values, 0.95), Some((low, high)));
        }
        assert_eq!(median_interval(&mut [], 0.95), None);
    }

    #[test]
    fn of_many_values_the_ranks_are_those_of_the_normal_approximation() {
        for count in [1_070, 1_075, 1_080, 20_000, 1_000_000] {
            let mut values: Vec<f64> = (1..=count).map(f64::from).collect();
            let (low, high) = median_interval(&mut values, 0.95).unwrap();
            let expected = 0.5 * f64::from(count) - 0.98 * f64::from(count).sqrt();
            assert!((low - expected).abs() < 2.0, "{count}: {low} {expected}");
            assert_eq!(low + high, f64::from(count + 1));
        }
    }
}
