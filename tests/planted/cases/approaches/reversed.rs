//! The right values in ascending order.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable();
    let first = values.len().saturating_sub(k as usize);
    values.split_off(first)
}
