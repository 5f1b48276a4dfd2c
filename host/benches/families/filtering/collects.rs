//! An iterator, collected into a list of unknown length.

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    numbers.iter().copied().filter(|number| number % 2 == 0).collect()
}
