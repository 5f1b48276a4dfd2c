//! The interface: what a problem is, as a typed function in the user's own WIT.
//!
//! An [`Interface`] is read once, from a file or a folder. It knows the world `prototype`, the
//! function that is called, and, when there is one, the world `workload` with the functions that
//! make inputs and judge answers.

mod call;
mod difference;
mod error;
mod files;
mod rust;
mod types;
mod workload;

pub(crate) use call::world_exports;
pub use call::{Call, Export, Function, Interface, Param, World};
pub use difference::{Difference, difference};
pub use error::InterfaceError;
pub use files::{FILE_BYTES_MAX, FILES_MAX, WitFile, read_files};
pub use rust::{rust_name, rust_signature};
pub use types::{Type, Unsupported};
pub use workload::{Arguments, Workload};
