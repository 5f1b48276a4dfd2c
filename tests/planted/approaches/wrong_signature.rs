//! The right name with other types.

pub fn top_k(mut values: Vec<i32>, k: u32) -> Vec<i32> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
