//! 8: a macro that doubles what it is given, for ever.

macro_rules! bomb {
    ($($t:tt)*) => { bomb!($($t)* $($t)* x) };
}
bomb!(x);

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
