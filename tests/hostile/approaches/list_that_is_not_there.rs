//! 41: answers with a list that claims to reach far beyond its memory.

pub fn top_k(values: Vec<i64>, _k: u32) -> Vec<i64> {
    let start = std::mem::ManuallyDrop::new(values);
    // SAFETY: none. What lies there is not ours, and is not even there.
    unsafe { Vec::from_raw_parts(start.as_ptr().cast_mut(), 1 << 28, 1 << 28) }
}
