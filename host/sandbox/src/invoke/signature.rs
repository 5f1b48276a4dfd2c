//! The types of a function that is called: its arguments and its answer.

use wasmtime::component::Type;
use wasmtime::component::types::ComponentFunc;

/// The types of the arguments and of the answer of a call.
#[derive(Clone, Debug)]
pub struct CallTypes {
    /// The types of the arguments.
    pub params: Vec<Type>,
    /// The type of the answer; `None` without one.
    pub result: Option<Type>,
}

impl CallTypes {
    /// The types of a function.
    pub fn of(function: &ComponentFunc) -> Self {
        Self {
            params: function.params().map(|(_, ty)| ty).collect(),
            result: function.results().next(),
        }
    }
}
