//! Ascending numbers with uneven gaps, and a quarter as many to look for.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut rng = Rng::new(seed);
    let mut last = 0_u32;
    let mut next = || {
        let gap = rng.below(40) * rng.below(40);
        last = last.saturating_add(gap as u32);
        last
    };
    let numbers: Vec<u32> = (0..size).map(|_| next()).collect();
    let largest = u64::from(last) + 1;
    let wanted = (0..size / 4).map(|_| rng.below(largest) as u32).collect();
    (numbers, wanted)
}
