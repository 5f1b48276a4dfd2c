//! 47: looks for what anybody left in memory that it takes from its host. It gives itself away by
//! a wrong answer if there is anything.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    let start = core::arch::wasm32::memory_grow(0, 16);
    if start != usize::MAX {
        // SAFETY: these sixteen pages are ours since the line above.
        let pages = unsafe { std::slice::from_raw_parts((start << 16) as *const u64, 2 << 16) };
        if pages.iter().any(|&word| word != 0) {
            return Vec::new();
        }
    }
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
