//! The interface of a problem: a typed function in the user's own WIT.
//!
//! An [`Interface`] is read once, from a file or a folder. It has the world `prototype`, the function
//! that is called, and, if there is one, the world `workload` with the functions that make inputs and
//! judge answers. Where there is no WIT, a [`DerivedInterface`] follows from Rust sources.

mod constants;
mod drawn_inputs;
mod edge_values;
mod enums;
mod error;
mod examples;
mod export;
mod exported_function;
mod files;
mod from_rust;
mod function;
mod input_mutations;
mod joint_simplification;
mod literal;
mod load;
mod reproduction;
mod rust;
mod session;
mod shape;
mod signature;
mod simplification;
mod struct_fields;
mod type_mismatch;
mod types;
mod value_kind;
mod wit_names;
mod workload;

pub use constants::Constants;
pub use drawn_inputs::{DrawnInputs, Variety};
pub use edge_values::{EDGE_VALUES, edge_values};
pub use error::InterfaceError;
pub use export::world_exports;
pub use export::{Export, InterfaceCall, World};
pub use files::{FILE_BYTES_MAX, FILES_MAX, WitFile, read_files};
pub use from_rust::{ComparedFile, DerivedInterface, PublicFunction, ReadFile, UncallableFunction};
pub use function::{Function, Param};
pub use input_mutations::mutated;
pub use literal::{Literal, read_literals, written_call};
pub use load::Interface;
pub use rust::{rust_form, rust_name, rust_signature};
pub use session::PARTS as SESSION_PARTS;
pub use shape::{EnumCase, EnumShape, Shape};
pub use signature::Signature;
pub use simplification::simpler_arguments;
pub use struct_fields::StructFields;
pub use type_mismatch::{TypeMismatch, type_mismatch};
pub use types::{Type, Unsupported};
pub use value_kind::{ValueKind, large_input_seed};
pub use wit_names::wit_name;
pub use workload::{ArgumentsForm, InputRequest, WorkloadFunctions};

/// The source text of the code that decides how an interface is written in Rust; part of the keys of builds, which
/// depend on it.
pub const RUST_RULES: &str = concat!(
    include_str!("enums.rs"),
    include_str!("rust.rs"),
    include_str!("shape.rs"),
    include_str!("wit_names.rs"),
);
