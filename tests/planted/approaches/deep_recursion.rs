//! Recursion some 65,000 calls deep, all of it in registers and on the engine's own stack.

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    let depth = ackermann(4, std::hint::black_box(1));
    values.truncate(k.min(depth) as usize);
    values
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}
