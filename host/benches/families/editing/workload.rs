//! A text of four letters, and the same with one letter in eight changed, put in or taken out.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut rng = Rng::new(seed);
    let from: Vec<u8> = (0..size).map(|_| b"acgt"[rng.below(4) as usize]).collect();
    let mut to = Vec::new();
    for &letter in &from {
        let other = b"acgt"[rng.below(4) as usize];
        match rng.below(24) {
            0 => {}
            1 => to.extend([letter, other]),
            2 => to.push(other),
            _ => to.push(letter),
        }
    }
    (from, to)
}
