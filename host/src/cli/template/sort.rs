//! Sort the numbers: equal ones become neighbours.

pub fn count_distinct(mut values: Vec<u32>) -> u32 {
    values.sort_unstable();
    values.dedup();
    values.len() as u32
}
