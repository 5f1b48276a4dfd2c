//! Two functions, none of which has the name of the interface's: a single one would be taken.

pub fn k_largest(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    first(values, k)
}

pub fn first(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.truncate(k as usize);
    values
}
