//! Errors of an interface.

use super::types::Unsupported;

/// An interface that cannot be used. Each message names the place and the next step.
#[derive(Debug, thiserror::Error)]
pub enum InterfaceError {
    /// A file or folder could not be read.
    #[error("cannot read the interface {path}: {reason}")]
    Read {
        /// The path, as it was given.
        path: String,
        /// The error of the system, or the limit that was exceeded.
        reason: String,
    },
    /// The WIT does not parse or resolve. The text shows file and line.
    #[error("the interface is not valid WIT\n{0}")]
    Wit(String),
    /// A type has more flags than a component can pass.
    #[error(
        "the flags `{name}` are {count}, and a component passes {most} at most; use a list of an enum"
    )]
    ManyFlags {
        /// The type.
        name: String,
        /// The number of its flags.
        count: usize,
        /// The most flags that a type may have.
        most: usize,
    },
    /// The package lacks a world.
    #[error(
        "the interface has no world `{wanted}`: {has}; add `world {wanted} {{ export {example}; }}` to package `{package}`"
    )]
    World {
        /// The missing world.
        wanted: &'static str,
        /// The worlds that are there, in words.
        has: String,
        /// The user's package.
        package: String,
        /// An export that the world could have.
        example: &'static str,
    },
    /// The called function is not among the exports.
    #[error("`{call}` is not exported by world `prototype`, which exports {exports}")]
    Call {
        /// The call, as it was given.
        call: String,
        /// The exported functions, in words.
        exports: String,
    },
    /// The signature of a function has a type that cannot be passed to or from a prototype.
    #[error("`{function}` cannot be called: {reason}")]
    Unsupported {
        /// The function.
        function: String,
        /// The type, and what to use instead.
        reason: Unsupported,
    },
    /// A function of the world `workload` is missing.
    #[error("world `workload` does not export `{function}`; it wants\n  export {wanted};")]
    WorkloadMissing {
        /// The missing function.
        function: &'static str,
        /// The function with its signature, in WIT.
        wanted: String,
    },
    /// A function of the world `workload` has types that do not fit the call.
    #[error(
        "`{function}` of world `workload` does not fit the call `{call}`: {difference}; it wants\n  export {wanted};"
    )]
    WorkloadMisfit {
        /// `generate`, `check` or `assess`.
        function: &'static str,
        /// The called function.
        call: String,
        /// The difference between the types, as a sentence without its end.
        difference: String,
        /// The function with its signature, in WIT.
        wanted: String,
    },
    /// The call has no parameters or no result, so that no workload can fit it.
    #[error(
        "`{call}` {lack}, so no workload fits it: a prototype is compared by its answers to inputs"
    )]
    NothingToCheck {
        /// The called function.
        call: String,
        /// The missing part, in words that follow the call: `takes nothing`.
        lack: &'static str,
    },
}
