//! Random lists with equal numbers among them, some short or sorted. The answer is checked by another way
//! than those that are likely to be tried: by counts of values.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> Vec<i32> {
    let mut rng = Rng::new(seed);
    let range = i64::from(size / 2).max(1);
    let mut values: Vec<i32> = (0..size)
        .map(|_| rng.between(-range, range) as i32)
        .collect();
    match rng.below(16) {
        0 => values.sort(),
        1 => values.sort_by(|a, b| b.cmp(a)),
        2 => values.truncate(rng.below(3) as usize),
        _ => {}
    }
    values
}

pub fn check(values: Vec<i32>, answer: u64) -> Result<(), String> {
    let least = values.iter().copied().min().unwrap_or(0);
    let most = values.iter().copied().max().unwrap_or(0);
    // How many of the numbers so far have each value.
    let mut seen = vec![0_u64; (i64::from(most) - i64::from(least)) as usize + 1];
    let mut expected = 0;
    for value in &values {
        let place = (i64::from(*value) - i64::from(least)) as usize;
        expected += seen[place + 1..].iter().sum::<u64>();
        seen[place] += 1;
    }
    match answer == expected {
        true => Ok(()),
        false => Err(format!("expected {expected}, got {answer}")),
    }
}
