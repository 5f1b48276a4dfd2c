//! 1: takes a file of the host into the component, by its absolute path.

static SECRET: &str = include_str!("@SECRET@");

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values.extend(SECRET.bytes().map(i64::from));
    values
}
