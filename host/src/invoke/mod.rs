//! Calling exports of a component without knowing their types at compile time.
//!
//! [`Callee::new`] looks an export up and decides, once, how it is called: by a typed path where
//! parameters and result are made of scalars, strings, lists of scalars, and tuples of these (a
//! list then moves as one block), and by [`Val`](wasmtime::component::Val) for everything else.
//! Both paths take and give [`Value`]s.

mod callee;
mod packed;
mod shape;
mod value;
mod wave;

pub use callee::{CallPath, Callee, LookupError};
pub use value::Value;
pub use wave::{WaveError, parse_call, parse_result, render};
