//! Prototypes in C and C++: the compiler of this machine, the bindings of an interface, and a build from both.

mod bindings;
mod build;
mod clang;

pub(super) use bindings::fingerprint;
pub use bindings::header;
pub(super) use build::{SOURCE_C, SOURCE_CPP, compile};
pub(super) use clang::ClangPaths;
pub use clang::{Clang, NoClang};
