//! The sum of a list, in Rust.

pub fn total(values: Vec<u64>) -> u64 {
    values.iter().sum()
}
