//! The relative strength index of `days` days (Wilder 1978), by smoothed averages: long while it is above `enter`, and
//! flat from `exit` on.

use crate::bakeoff::param;

pub fn positions(prices: Vec<f64>) -> Vec<f64> {
    let days: f64 = param::get("days");
    let enter: f64 = param::get("enter");
    let exit: f64 = param::get("exit");
    let (mut gain, mut loss) = (0.0, 0.0);
    let mut before = prices.first().copied().unwrap_or(0.0);
    let position = |price: &f64| {
        let change = price - before;
        before = *price;
        gain += (change.max(0.0) - gain) / days;
        loss += ((-change).max(0.0) - loss) / days;
        let sum = gain + loss;
        let rsi = if sum > 0.0 { 100.0 * gain / sum } else { 50.0 };
        if rsi > enter && rsi < exit { 1.0 } else { 0.0 }
    };
    prices.iter().map(position).collect()
}
