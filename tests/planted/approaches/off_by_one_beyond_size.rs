//! Right up to 20,000 values; beyond, it leaves out the largest.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    let first = usize::from(values.len() > 20_000);
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.into_iter().skip(first).take(k as usize).collect()
}
