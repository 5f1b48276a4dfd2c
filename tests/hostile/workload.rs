//! Random numbers, and how many of them are wanted: one in 250. In which order they come is left
//! open.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<i64>, u32) {
    let mut rng = Rng::new(seed);
    let values = (0..size)
        .map(|_| rng.between(-1_000_000, 1_000_000))
        .collect();
    (values, (size / 250).max(1))
}

pub fn check(mut values: Vec<i64>, k: u32, mut answer: Vec<i64>) -> Result<(), String> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    answer.sort_unstable_by(|a, b| b.cmp(a));
    match answer == values {
        true => Ok(()),
        false => Err(format!("expected {values:?}, got {answer:?}")),
    }
}
