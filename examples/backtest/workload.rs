//! Prices that never were: a random walk whose drift changes, and what a rule earns on it.
//!
//! Answers are floats. Whether one is right does not depend on its last digits, so nothing is compared
//! for equality: `check` asks for the range, and `assess` for what it is worth.

use crate::bakeoff::Rng;

/// Days of a year on which there is a price.
const YEAR_DAYS: f64 = 252.0;
/// The drift changes after so many days on average.
const REGIME_DAYS: u64 = 120;
/// Standard deviation of a day's return, and the largest drift in it.
const DAY_SPREAD: f64 = 0.011;
const DRIFT_MAX: f64 = 0.0022;

pub fn generate(size: u32, seed: u64) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    let mut price = 100.0_f64;
    let mut drift = 0.0;
    let mut prices = Vec::with_capacity(size as usize);
    for _ in 0..size {
        if rng.below(REGIME_DAYS) == 0 {
            // More years rise than fall.
            drift = (rng.f64() * 1.8 - 0.7) * DRIFT_MAX;
        }
        prices.push(price);
        price *= (drift + DAY_SPREAD * normal(&mut rng)).exp();
        price = price.clamp(1e-6, 1e12);
    }
    prices
}

/// A nearly normal number: the sum of twelve uniform ones, less its mean.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

pub fn check(prices: Vec<f64>, answer: Vec<f64>) -> Result<(), String> {
    if answer.len() != prices.len() {
        let (wanted, got) = (prices.len(), answer.len());
        return Err(format!("expected {wanted} positions, got {got}"));
    }
    match answer.iter().position(|position| !(-1.0..=1.0).contains(position)) {
        Some(day) => Err(format!("day {day}: the position {} is not from -1 to 1", answer[day])),
        None => Ok(()),
    }
}

pub fn assess(prices: Vec<f64>, answer: Vec<f64>) -> Vec<(String, f64)> {
    let days = prices.windows(2).zip(&answer);
    let returns: Vec<f64> = days.map(|(day, held)| held * (day[1] / day[0] - 1.0)).collect();
    let count = returns.len().max(1) as f64;
    let mean = returns.iter().sum::<f64>() / count;
    let variance = returns.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count;
    let sharpe = match variance > 0.0 {
        true => mean / variance.sqrt() * YEAR_DAYS.sqrt(),
        false => 0.0,
    };
    let (mut worth, mut highest, mut drawdown) = (1.0_f64, 1.0_f64, 0.0_f64);
    for one in returns {
        worth *= 1.0 + one;
        highest = highest.max(worth);
        drawdown = drawdown.max(1.0 - worth / highest);
    }
    vec![
        ("sharpe".to_owned(), sharpe),
        ("drawdown".to_owned(), 100.0 * drawdown),
    ]
}
