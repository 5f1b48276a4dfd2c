//! Prototypes in C, C++ and Zig: the compiler of this machine, the bindings of an interface, and a build from both.

mod bindings;
mod build;
mod clang;
mod zig;
mod zig_bindings;
mod zig_object;

pub(super) use bindings::fingerprint;
pub use bindings::{header, zig_module};
pub(super) use build::{SOURCE_C, SOURCE_CPP, compile};
pub(super) use clang::ClangPaths;
pub use clang::{Clang, NoClang, NoZig};
pub(super) use zig_object::SOURCE_ZIG;
