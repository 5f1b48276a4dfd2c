//! The option for rough results.

/// Returns true if the command line asks for rough results: `cargo bench --bench build -- --quick`.
pub(crate) fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}
