//! 42: without the largest.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.into_iter().skip(1).take(k as usize).collect()
}
