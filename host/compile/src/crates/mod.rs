//! Crates that the user allows: fetched by the toolchain's cargo, which runs no code of theirs, and built
//! once in a fenced child, with their build scripts and macros.

mod build;
mod child;
mod package;
mod protocol;
mod vendor;

pub use build::{BuildLimits, BuiltCrates, CratesError};
pub use child::crates_role;
pub use vendor::{VendorError, vendor};
