//! Rank correlation.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A rank correlation with its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Spearman's ρ, from −1 to 1.
    pub rho: f64,
    /// Two-sided p-value from Student's t with n − 2 degrees of freedom; at least 2/n!, the
    /// probability of the two most extreme orders.
    pub p: f64,
}

/// Spearman's rank correlation of `x` and `y`; ties share the mean of their ranks. `None` for fewer
/// than 4 points, or if one side is constant. Points beyond the shorter slice are left out.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let count = x.len().min(y.len());
    if count < 4 {
        return None;
    }
    let rho = pearson(&ranks(&x[..count]), &ranks(&y[..count]))?;
    let freedom = (count - 2) as f64;
    // The most extreme two of all n! orders: no p-value is smaller, whatever Student's t says.
    let least = (2..=count)
        .take_while(|factor| *factor < 32)
        .fold(2.0, |p, factor| p / factor as f64);
    let rest = 1.0 - rho * rho;
    if rest <= 0.0 {
        return Some(Correlation { rho, p: least });
    }
    let t = rho.abs() * (freedom / rest).sqrt();
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let p = (2.0 * distribution.sf(t)).clamp(least, 1.0);
    Some(Correlation { rho, p })
}

/// The ranks of `values` from 1; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let mut end = start + 1;
        while end < order.len() && values[order[end]] == values[order[start]] {
            end += 1;
        }
        let shared = 0.5 * (start + 1 + end) as f64;
        for place in &order[start..end] {
            ranks[*place] = shared;
        }
        start = end;
    }
    ranks
}

fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        xy += (a - mean_x) * (b - mean_y);
        xx += (a - mean_x) * (a - mean_x);
        yy += (b - mean_y) * (b - mean_y);
    }
    let norm = (xx * yy).sqrt();
    (norm > 0.0).then(|| (xy / norm).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_reference_values() {
        // ρ from the definition, p by numerical integration of the density, in a separate script.
        let up = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let almost_up = [2.0, 1.0, 4.0, 3.0, 7.0, 5.0, 6.0, 10.0, 8.0, 8.0];
        let tied = [1.0, 2.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0];
        let mixed = [5.0, 3.0, 4.0, 4.0, 1.0, 2.0, 2.0, 9.0];
        for (x, y, rho, p) in [
            (
                &up[..],
                &almost_up[..],
                0.899_700_204_646_495_6,
                0.000_391_673_595_6,
            ),
            (
                &tied[..],
                &mixed[..],
                -0.187_882_238_456_634_74,
                0.655_923_251_552,
            ),
        ] {
            let found = spearman(x, y).unwrap();
            assert!((found.rho - rho).abs() < 1e-12, "{found:?}");
            assert!((found.p - p).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(spearman(&up, &up).unwrap().rho, 1.0);
    }

    #[test]
    fn a_constant_or_short_series_has_no_correlation() {
        assert_eq!(spearman(&[1.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), None);
    }
}
