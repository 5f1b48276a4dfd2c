//! Against the deviation from a moving mean, in standard deviations.

const DAYS: usize = 20;
/// The deviation at which the position is full.
const FULL: f64 = 2.0;

pub fn positions(prices: Vec<f64>) -> Vec<f64> {
    let position = |day: usize| {
        let Some(start) = (day + 1).checked_sub(DAYS) else {
            return 0.0;
        };
        let window = &prices[start..=day];
        let mean = window.iter().sum::<f64>() / DAYS as f64;
        let variance = window.iter().map(|price| (price - mean).powi(2)).sum::<f64>() / DAYS as f64;
        match variance > 0.0 {
            true => ((mean - prices[day]) / (FULL * variance.sqrt())).clamp(-1.0, 1.0),
            false => 0.0,
        }
    };
    (0..prices.len()).map(position).collect()
}
