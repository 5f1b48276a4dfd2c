//! 41: answers with a million values, whatever was wanted.

pub fn top_k(values: Vec<i64>, _k: u32) -> Vec<i64> {
    values.into_iter().cycle().take(1_000_000).collect()
}
