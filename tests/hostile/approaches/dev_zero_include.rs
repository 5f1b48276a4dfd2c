//! 5: a file without end.

static ZEROS: &[u8] = include_bytes!("/dev/zero");

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values.push(ZEROS.len() as i64);
    values
}
