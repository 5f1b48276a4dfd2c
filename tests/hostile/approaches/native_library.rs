//! 14: native code for the linker to link.

#[link(name = "c", kind = "static")]
unsafe extern "C" {
    fn system(command: *const u8) -> i32;
}

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    // SAFETY: none.
    values.push(i64::from(unsafe { system(c"touch @MARK@".as_ptr().cast()) }));
    values
}
