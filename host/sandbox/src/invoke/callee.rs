//! An export that is looked up once, and called by a typed or a dynamic path.

use super::paths::{Call, dynamic, typed};
use super::session::{self, Parts};
use super::signature::CallTypes;
use super::value::Value;
use bakeoff_source::interface::SESSION_PARTS;
use std::sync::Arc;
use wasmtime::component::{Func, Instance};
use wasmtime::{Result, Store};

/// The path by which an export is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPath {
    /// Values are lowered and lifted as they are kept here.
    Typed,
    /// Every element is converted to a `Val`.
    Dynamic,
}

/// An exported function of one instance, or a resource that is called in three parts.
pub struct Callee<T: 'static> {
    call: Call<T>,
    path: CallPath,
    types: CallTypes,
    functions: u64,
}

/// The instance has no such function.
#[derive(Debug, thiserror::Error)]
#[error("no function `{0}` is exported")]
pub struct LookupError(pub String);

impl<T: Parts + 'static> Callee<T> {
    /// Looks up `path`: the names of exported instances, then of the function (`["top-k"]`, or
    /// `["example:search/index", "find"]`) or of the resource.
    ///
    /// # Errors
    /// Nothing of that name is exported, or it is not a function.
    pub fn new(
        store: &mut Store<T>,
        instance: &Instance,
        path: &[String],
    ) -> Result<Self, LookupError> {
        let missing = || LookupError(path.join("#"));
        let (name, interfaces) = path.split_last().ok_or_else(missing)?;
        let mut parent = None;
        for name in interfaces {
            parent = Some(
                instance
                    .get_export_index(&mut *store, parent.as_ref(), name)
                    .ok_or_else(missing)?,
            );
        }
        let index = instance
            .get_export_index(&mut *store, parent.as_ref(), name)
            .ok_or_else(missing)?;
        match instance.get_func(&mut *store, index) {
            Some(func) => Ok(Self::of(store, func)),
            None => {
                let found =
                    session::look_up(store, instance, parent.as_ref(), name).ok_or_else(missing)?;
                Ok(Self {
                    call: found.call,
                    path: CallPath::Typed,
                    types: found.types,
                    functions: SESSION_PARTS.len() as u64,
                })
            }
        }
    }

    fn of(store: &Store<T>, func: Func) -> Self {
        let types = CallTypes::of(&func.ty(store));
        let (call, path) = match typed(store, func, &types) {
            Some(call) => (call, CallPath::Typed),
            None => (dynamic(func, types.result.as_ref()), CallPath::Dynamic),
        };
        Self {
            call,
            path,
            types,
            functions: 1,
        }
    }
}

impl<T: 'static> Callee<T> {
    /// Types of its arguments and its answer, as the component declares them.
    pub fn ty(&self) -> &CallTypes {
        &self.types
    }

    /// Number of guest functions that one call runs: 1, or one for each part of a resource.
    pub fn functions(&self) -> u64 {
        self.functions
    }

    /// The path by which it is called.
    pub fn path(&self) -> CallPath {
        self.path
    }

    /// Calls the export, including its post-return. `None`: the function has no result.
    ///
    /// # Errors
    /// The guest trapped, a limit was exceeded, or the arguments do not have the parameters' types.
    pub fn call(&self, store: &mut Store<T>, arguments: &Arc<[Value]>) -> Result<Option<Value>> {
        use wasmtime::AsContextMut as _;
        (self.call)(store.as_context_mut(), arguments)
    }
}
