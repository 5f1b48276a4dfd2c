//! Rough answers.

/// Whether the command line asks for a rough answer: `cargo bench --bench build -- --quick`.
pub(crate) fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick")
}
