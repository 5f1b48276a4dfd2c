//! Goes through a fifth of the chain twice.

use std::hint::black_box;

fn through(start: u64, rounds: u32) -> u64 {
    (0..rounds).fold(start, |last, _| {
        (last ^ last >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    })
}

pub fn chained(start: u64, rounds: u32) -> u64 {
    black_box(through(start, rounds / 5));
    through(black_box(start), rounds)
}
