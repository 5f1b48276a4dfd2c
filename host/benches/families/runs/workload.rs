//! Numbers that often come several times in a row.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    let mut last = 0;
    let mut next = || {
        if rng.below(4) == 0 {
            last = rng.below(100) as u32;
        }
        last
    };
    (0..size).map(|_| next()).collect()
}
