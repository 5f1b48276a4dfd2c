//! 37: calls itself for ever.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let depth = down(std::hint::black_box(k));
    values.into_iter().take(depth as usize).collect()
}

#[inline(never)]
fn down(n: u32) -> u32 {
    down(std::hint::black_box(n + 1)) + 1
}
