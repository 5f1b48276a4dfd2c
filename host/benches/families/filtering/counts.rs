//! Counted first, then filled.

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let count = numbers.iter().filter(|number| **number % 2 == 0).count();
    let mut even = Vec::with_capacity(count);
    even.extend(numbers.iter().copied().filter(|number| number % 2 == 0));
    even
}
