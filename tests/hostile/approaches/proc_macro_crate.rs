//! 14: native code for the compiler to run.

#![crate_type = "proc-macro"]

extern crate proc_macro;

#[proc_macro]
pub fn run(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    std::fs::write("@MARK@", "ran").unwrap();
    Default::default()
}

pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
