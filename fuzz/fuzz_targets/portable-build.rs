#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bakeoff_fuzz::parse("portable-build", bytes));
