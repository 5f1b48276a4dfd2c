//! Mostly negative numbers, and nobody who knows the right answer.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<i64>, u32) {
    let mut rng = Rng::new(seed);
    let values = (0..size)
        .map(|_| rng.below(1_000_000) as i64 - 999_000)
        .collect();
    (values, size / 100)
}
