//! 32: never answers.

pub fn top_k(values: Vec<i64>, _k: u32) -> Vec<i64> {
    while std::hint::black_box(true) {
        std::hint::black_box(&values);
    }
    values
}
