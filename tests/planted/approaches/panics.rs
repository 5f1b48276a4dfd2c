//! Panics, with a message.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let limit = 1_000;
    assert!(
        values.len() <= limit,
        "{} values are more than the {limit} that were planned for",
        values.len()
    );
    values.into_iter().take(k as usize).collect()
}
