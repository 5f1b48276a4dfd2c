//! Random lists, some of them rising, falling or full of equal numbers, and windows of 1 to 200. The answer is checked by
//! another way than those that are likely to be tried: by the maxima of parts whose lengths are powers of two.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<i32>, u32) {
    let mut rng = Rng::new(seed);
    let range = match rng.below(4) {
        0 => 3,
        _ => 1_000_000,
    };
    let mut values: Vec<i32> = (0..size)
        .map(|_| rng.between(-range, range) as i32)
        .collect();
    let mut width = 1 + rng.below(200) as u32;
    match rng.below(16) {
        0 => values.sort(),
        1 => values.sort_by(|a, b| b.cmp(a)),
        2 => values.truncate(rng.below(4) as usize),
        3 => width = 1 + rng.below(3) as u32,
        _ => {}
    }
    (values, width)
}

pub fn check(values: Vec<i32>, width: u32, answer: Vec<i32>) -> Result<(), String> {
    let width = width as usize;
    let windows = (values.len() + 1).saturating_sub(width);
    if answer.len() != windows {
        return Err(format!("expected {windows} maxima, got {}", answer.len()));
    }
    let mut length = 1;
    let mut parts = values;
    while 2 * length <= width {
        for at in 0..parts.len().saturating_sub(length) {
            parts[at] = parts[at].max(parts[at + length]);
        }
        length *= 2;
    }
    for (at, own) in answer.iter().enumerate() {
        let expected = parts[at].max(parts[at + width - length]);
        if *own != expected {
            return Err(format!("expected {expected} for the window from {at} on, got {own}"));
        }
    }
    Ok(())
}
