//! A robust trend: the Theil–Sen slope.

use super::estimate::median;

/// The Theil–Sen slope of `y` against `x`: the median of the slopes between all pairs of points
/// with different `x`. `None` if there is no such pair. Points beyond the shorter slice are left
/// out.
///
/// ```
/// use bakeoff_domain::stats::theil_sen;
/// let x = [0.0, 1.0, 2.0, 3.0, 4.0];
/// assert_eq!(theil_sen(&x, &[1.0, 3.0, 5.0, 7.0, 900.0]), Some(2.0));
/// assert_eq!(theil_sen(&[1.0, 1.0], &[1.0, 2.0]), None);
/// ```
pub fn theil_sen(x: &[f64], y: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
    for (place, first) in points.iter().enumerate() {
        for second in &points[place + 1..] {
            if second.0 != first.0 {
                slopes.push((second.1 - first.1) / (second.0 - first.0));
            }
        }
    }
    median(&mut slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_reference_values() {
        // Computed from the definition by a separate script: one wild value does not matter.
        let x = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let y = [3.0, 3.9, 8.1, 15.2, 90.0, 63.7, 129.0];
        let slope = theil_sen(&x, &y).unwrap();
        assert!((slope - 2.0).abs() < 1e-12, "{slope}");
    }
}
