//! Two matrices with as many rows as the size says.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut rng = Rng::new(seed);
    let mut matrix = || {
        (0..size * size)
            .map(|_| rng.below(1 << 32) as u32)
            .collect()
    };
    (matrix(), matrix())
}
