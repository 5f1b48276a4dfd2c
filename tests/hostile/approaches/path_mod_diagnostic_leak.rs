//! 3: has the compiler complain about a file of the host, and quote it.

mod within {
    #[path = "@SECRET@"]
    mod secret;
}

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
