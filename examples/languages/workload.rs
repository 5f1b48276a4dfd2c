//! Numbers, and their sum.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1_000_000)).collect()
}

pub fn check(values: Vec<u64>, answer: u64) -> Result<(), String> {
    let wanted: u64 = values.iter().sum();
    match wanted == answer {
        true => Ok(()),
        false => Err(format!("expected {wanted}, got {answer}")),
    }
}
