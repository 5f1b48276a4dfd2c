//! Throws of a fair coin.

use crate::logarithm::{exp, ln};

/// P(Binomial(count, 1/2) ≤ j) for j = 0, 1, …, `count`.
///
/// A single probability may be too small for a number, so that its logarithm is carried on.
pub(crate) fn at_most(count: usize) -> impl Iterator<Item = f64> {
    let mut log_term = -(count as f64) * std::f64::consts::LN_2;
    let mut sum = exp(log_term);
    (0..=count).map(move |heads| {
        if heads > 0 {
            log_term += ln((count - heads + 1) as f64 / heads as f64);
            sum += exp(log_term);
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_tables_however_many_throws() {
        let of = |count: usize, heads: usize| at_most(count).nth(heads).unwrap();
        assert!((of(2, 0) - 0.25).abs() < 1e-12);
        assert!((of(10, 2) - 56.0 / 1024.0).abs() < 1e-12);
        assert!((of(20_000, 10_000) - 0.5).abs() < 0.01);
        assert!((of(7, 7) - 1.0).abs() < 1e-12);
    }
}
