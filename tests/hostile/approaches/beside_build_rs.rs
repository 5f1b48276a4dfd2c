//! 13: a good prototype. Beside it lie a manifest, a build script and settings for cargo and
//! rustup, each of which would leave a mark if anybody followed it.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
