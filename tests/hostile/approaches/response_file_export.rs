// --initial-memory=134217728 --export-all --undefined '
//! 60: a name that a linker reads as a file of more arguments, and that file is this one: its first
//! line gives them, and the rest is in quotes.

/// What the linker takes for the name before them.
#[unsafe(export_name = "//")]
pub extern "C" fn first() {}

#[unsafe(export_name = "@prototype.rs")]
pub extern "C" fn second() {}

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
// '
