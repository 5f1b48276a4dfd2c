//! Random numbers, and how many of them are wanted: one in 16.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<i64>, u32) {
    let mut rng = Rng::new(seed);
    // A range as wide as the list is long: some numbers are negative, and many come twice.
    let range = u64::from(size).max(1);
    let values = (0..size)
        .map(|_| rng.below(range) as i64 - (range / 2) as i64)
        .collect();
    (values, (size / 16).max(1))
}

/// If the last number of the answer is right, then so many numbers of the list are as large that
/// sorting only these gives the answer; if it is not, some position differs.
pub fn check(values: Vec<i64>, k: u32, answer: Vec<i64>) -> Result<(), String> {
    let wanted = values.len().min(k as usize);
    if answer.len() != wanted {
        return Err(format!("expected {wanted} numbers, got {}", answer.len()));
    }
    let Some(&last) = answer.last() else {
        return Ok(());
    };
    let mut largest: Vec<i64> = values.into_iter().filter(|&value| value >= last).collect();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    for (i, &got) in answer.iter().enumerate() {
        let expected = largest.get(i);
        if expected != Some(&got) {
            let expected = expected.map_or(format!("less than {last}"), i64::to_string);
            return Err(format!("position {i}: expected {expected}, got {got}"));
        }
    }
    Ok(())
}
