//! Halves, as the standard library does it.

pub fn solve(numbers: Vec<u32>, wanted: Vec<u32>) -> u64 {
    let below = |wanted: &u32| numbers.partition_point(|number| number < wanted) as u64;
    wanted.iter().map(below).sum()
}
