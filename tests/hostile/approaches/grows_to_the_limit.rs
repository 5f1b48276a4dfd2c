//! 34: takes ever more memory, and writes to all of it.

pub fn top_k(values: Vec<i64>, _k: u32) -> Vec<i64> {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    while hoard.len() < 1_000_000 {
        hoard.push(std::hint::black_box(vec![1; 1 << 20]));
    }
    values
}
