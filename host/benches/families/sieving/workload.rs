//! A limit a little above the size.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> u32 {
    size + Rng::new(seed).below(1000) as u32
}
