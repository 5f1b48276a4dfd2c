//! 4: takes a variable of the environment that bakeoff was started with.

static SECRET: &str = env!("BAKEOFF_CANARY");

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values.extend(SECRET.bytes().map(i64::from));
    values
}
