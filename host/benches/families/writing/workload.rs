//! Any numbers at all.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..size).map(|_| rng.below(1 << 32) as u32).collect()
}
