//! What several benches share.

/// The middle one of some readings: half of them are at most as large.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Whether the command line asks for a rough answer: `cargo bench --bench build -- --quick`.
pub(crate) fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}
