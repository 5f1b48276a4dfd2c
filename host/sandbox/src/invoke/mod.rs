//! Calls of exports whose types are not known at compile time.
//!
//! [`Callee::new`] looks an export up and decides once how it is called: by a typed path, on which
//! a list of scalars is copied as one block and nested values are read and written in a compact form,
//! or, where there are more parameters than are passed flat, or handles, by
//! [`Val`](wasmtime::component::Val). Both paths take and return [`Value`]s.

mod callee;
mod canonical_abi;
mod change;
mod json;
mod layout;
mod nested;
mod nested_abi;
mod paths;
mod scalar;
mod session;
mod shape;
mod signature;
mod value;
mod wave;

pub use callee::{CallPath, Callee, LookupError};
pub use change::{CHANGES_MAX, changes, form};
pub use json::{ValueJsonError, answer_from_json, arguments_as_json, has_json};
pub use nested::Nested;
pub use session::Parts;
pub use signature::CallTypes;
pub use value::Value;
pub use wave::{WaveError, parse_call, parse_result, render, render_both, whole};
