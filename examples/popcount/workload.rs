//! Random numbers, of which some have few bits. The answer is checked by the standard library.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    (0..size)
        .map(|_| {
            let bits = rng.below(65) as u32;
            rng.u64().checked_shr(bits).unwrap_or(0)
        })
        .collect()
}

pub fn check(values: Vec<u64>, answer: u64) -> Result<(), String> {
    let expected: u64 = values
        .iter()
        .map(|value| u64::from(value.count_ones()))
        .sum();
    match answer == expected {
        true => Ok(()),
        false => Err(format!("expected {expected}, got {answer}")),
    }
}
