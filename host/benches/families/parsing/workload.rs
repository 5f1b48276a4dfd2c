//! Numbers of up to eight digits with a comma behind each.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut text = Vec::new();
    for _ in 0..size {
        let digits = 1 + rng.below(8) as u32;
        let number = rng.below(10_u64.pow(digits));
        text.extend_from_slice(number.to_string().as_bytes());
        text.push(b',');
    }
    text
}
