//! What a toolchain must have, and what it means that there is none.

/// The target that prototypes are compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// No usable toolchain was found.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// There is no compiler.
    #[error(
        "no Rust compiler: {reason}; install Rust from https://rustup.rs, or set RUSTC to the \
         absolute path of a compiler"
    )]
    NoCompiler {
        /// Why there is none, or why the one that there is does not work.
        reason: String,
    },
    /// The compiler has no standard library for the target, and it could not be added.
    #[error("the Rust toolchain {sysroot} has no target {TARGET}{tried}; {next}")]
    NoTarget {
        /// The toolchain.
        sysroot: String,
        /// What was tried to add it, if anything.
        tried: String,
        /// The command that adds it.
        next: String,
    },
}
