//! Numbers to be looked up; the answer is the sum of what stands for them.

use crate::bakeoff::Rng;

/// What stands for a number.
fn mix(number: u32) -> u32 {
    let mut mixed = number;
    for _ in 0..8 {
        mixed = (mixed ^ mixed >> 16).wrapping_mul(0x45d9_f3b1);
    }
    mixed
}

pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1 << 16) as u32).collect()
}

pub fn check(values: Vec<u32>, answer: Vec<u32>) -> Result<(), String> {
    let sum = values.into_iter().map(mix).fold(0, u32::wrapping_add);
    if answer == [sum] {
        return Ok(());
    }
    Err(format!("expected [{sum}], got {answer:?}"))
}
