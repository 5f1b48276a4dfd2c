//! Calls of exports whose types are not known at compile time.
//!
//! [`Callee::new`] looks an export up and decides once how it is called: by a typed path if parameters
//! and result consist of scalars, strings, lists of scalars, and tuples of these (a list is then
//! copied as one block), and by [`Val`](wasmtime::component::Val) otherwise. Both paths take and return
//! [`Value`]s.

mod callee;
mod canonical_abi;
mod shape;
mod value;
mod wave;

pub use callee::{CallPath, Callee, LookupError};
pub use value::Value;
pub use wave::{WaveError, parse_call, parse_result, render};
