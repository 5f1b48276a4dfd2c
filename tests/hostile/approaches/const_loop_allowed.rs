//! 6: a constant that takes for ever to evaluate, and a word to the lint that would say so.

#![allow(long_running_const_eval)]

const _: () = {
    let mut i = 0_u64;
    while i < u64::MAX {
        i += 1;
    }
};

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
