//! Goes through the chain.

pub fn chained(start: u64, rounds: u32) -> u64 {
    (0..rounds).fold(start, |last, _| {
        (last ^ last >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    })
}
