//! The relative strength index of 14 days (Wilder 1978), by smoothed averages: long while it is above
//! 50, and flat from the threshold on, where a rise is taken to be over.

use crate::bakeoff::param;

const DAYS: f64 = 14.0;

pub fn positions(prices: Vec<f64>) -> Vec<f64> {
    let threshold: f64 = param::get("rsi");
    let (mut gain, mut loss) = (0.0, 0.0);
    let mut before = prices.first().copied().unwrap_or(0.0);
    let position = |price: &f64| {
        let change = price - before;
        before = *price;
        gain += (change.max(0.0) - gain) / DAYS;
        loss += ((-change).max(0.0) - loss) / DAYS;
        let sum = gain + loss;
        let rsi = if sum > 0.0 { 100.0 * gain / sum } else { 50.0 };
        if rsi > 50.0 && rsi < threshold { 1.0 } else { 0.0 }
    };
    prices.iter().map(position).collect()
}
