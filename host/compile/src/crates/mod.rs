//! Crates that the user allows, and packages of the user's own: fetched by the toolchain's cargo, which runs no code of
//! theirs, and built once in a fenced child, with their build scripts and macros.

mod build;
mod child;
mod own_package;
mod package;
mod product;
mod protocol;
mod target;
mod vendor;

pub use build::{BuildLimits, BuiltCrates, CratesError};
pub use child::crates_role;
pub use own_package::OwnPackage;
pub use target::LibraryTarget;
pub use vendor::{VendorError, vendor, vendor_locked};
