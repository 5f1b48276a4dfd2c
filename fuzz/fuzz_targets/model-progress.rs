#![no_main]

#[path = "../../tests/hostile/harness.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::model_progress(bytes));
