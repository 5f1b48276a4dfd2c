//! A text of four letters, and a pattern of 24 that was put into it at some places.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut rng = Rng::new(seed);
    let mut letters = |count: usize| -> Vec<u8> {
        (0..count).map(|_| b"acgt"[rng.below(4) as usize]).collect()
    };
    let (mut text, pattern) = (letters(size as usize), letters(24));
    for place in text.chunks_exact_mut(1000) {
        place[500..524].copy_from_slice(&pattern);
    }
    (text, pattern)
}
