//! Channels: in above the highest price of 55 days, out below the lowest of 20.

const IN_DAYS: usize = 55;
const OUT_DAYS: usize = 20;

pub fn positions(prices: Vec<f64>) -> Vec<f64> {
    let mut is_in = false;
    let position = |day: usize| {
        let window = |days: usize| &prices[day.saturating_sub(days)..day];
        let highest = window(IN_DAYS).iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lowest = window(OUT_DAYS).iter().copied().fold(f64::INFINITY, f64::min);
        if day >= IN_DAYS && prices[day] > highest {
            is_in = true;
        } else if prices[day] < lowest {
            is_in = false;
        }
        if is_in { 1.0 } else { 0.0 }
    };
    (0..prices.len()).map(position).collect()
}
