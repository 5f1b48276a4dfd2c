//! Random numbers, of which each comes about four times.

use crate::bakeoff::Rng;
use std::collections::BTreeSet;

pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    let range = u64::from(size / 4).max(1);
    // Spread over all 32 bits: an approach should not gain from small numbers.
    let spread = |number: u32| number.wrapping_mul(0x9e37_79b1);
    (0..size).map(|_| spread(rng.below(range) as u32)).collect()
}

/// An oracle may be slow, but it should not be one of the approaches.
pub fn check(values: Vec<u32>, answer: u32) -> Result<(), String> {
    let expected = values.into_iter().collect::<BTreeSet<u32>>().len();
    if answer as usize == expected {
        Ok(())
    } else {
        Err(format!("expected {expected}, got {answer}"))
    }
}
