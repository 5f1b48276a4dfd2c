//! Right, and many times slower than `good`.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut sorted = Vec::new();
    for _ in 0..4 {
        sorted = std::hint::black_box(&values).clone();
        sorted.sort_by(|a, b| b.cmp(a));
    }
    sorted.truncate(k as usize);
    sorted
}
