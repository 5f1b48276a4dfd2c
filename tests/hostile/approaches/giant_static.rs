//! 11: a table of a gibibyte.

static TABLE: [u8; 1 << 30] = [1; 1 << 30];

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values.push(i64::from(TABLE[k as usize]));
    values
}
