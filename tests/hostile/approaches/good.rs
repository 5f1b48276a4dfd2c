//! Right, and fast: partition until the k largest stand in front, then sort only those.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    let k = k as usize;
    if k == 0 {
        return Vec::new();
    }
    if k < values.len() {
        values.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
        values.truncate(k);
    }
    values.sort_unstable_by(|a, b| b.cmp(a));
    values
}
