//! The interface of a problem: a typed function in the user's own WIT.
//!
//! An [`Interface`] is read once, from a file or a folder. It has the world `prototype`, the function
//! that is called, and, if there is one, the world `workload` with the functions that make inputs and
//! judge answers. Where there is no WIT, a [`DerivedInterface`] follows from Rust sources.

mod error;
mod export;
mod files;
mod from_rust;
mod function;
mod load;
mod rust;
mod session;
mod shape;
mod type_mismatch;
mod types;
mod wit_names;
mod workload;

pub use error::InterfaceError;
pub(crate) use export::world_exports;
pub use export::{Call, Export, World};
pub use files::{FILE_BYTES_MAX, FILES_MAX, WitFile, read_files};
pub use from_rust::{
    ComparedFile, Constants, DerivedInterface, PublicFunction, ReadFile, Signature,
};
pub use function::{Function, Param};
pub use load::Interface;
pub use rust::{rust_form, rust_name, rust_signature};
pub(crate) use session::PARTS as SESSION_PARTS;
pub use shape::Shape;
pub use type_mismatch::{TypeMismatch, type_mismatch};
pub use types::{Type, Unsupported};
pub use workload::{ArgumentsForm, InputRequest, WorkloadFunctions};
