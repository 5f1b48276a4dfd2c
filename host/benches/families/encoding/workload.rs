//! Any bytes at all.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(256) as u8).collect()
}
