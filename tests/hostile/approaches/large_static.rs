//! 11: a table that the compiler can hold, and whose file is too large.

static TABLE: [u8; 1 << 27] = [1; 1 << 27];

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values.push(i64::from(TABLE[k as usize]));
    values
}
