//! The compilation target that a toolchain must have, and the errors of finding a toolchain.

/// The target that prototypes are compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The reason why no usable toolchain was found.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// There is no compiler.
    #[error(
        "no Rust compiler: {reason}; install Rust from https://rustup.rs, or set RUSTC to the \
         absolute path of a compiler"
    )]
    NoCompiler {
        /// The reason why there is no compiler, or why it does not work.
        reason: String,
    },
    /// The compiler has no standard library for the target, and it could not be added.
    #[error("the Rust toolchain {sysroot} has no target {TARGET}{tried}; {next}")]
    NoTarget {
        /// The toolchain.
        sysroot: String,
        /// The failed attempt to add the target, as words that begin with a comma; empty if nothing was tried.
        tried: String,
        /// The next step, with the command that adds the target.
        next: String,
    },
}
