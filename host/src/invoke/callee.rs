//! An export that is looked up once, and called by a typed or a dynamic path.

use super::canonical_abi::{Flat, InMemory, Params};
use super::shape::Shape;
use super::value::Value;
use std::borrow::Cow;
use std::sync::Arc;
use wasmtime::component::types::ComponentFunc;
use wasmtime::component::{Func, Instance, Type, Val};
use wasmtime::{Result, Store, StoreContextMut};

/// The path by which an export is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPath {
    /// Lists are copied as blocks.
    Typed,
    /// Every element is converted to a `Val`.
    Dynamic,
}

type Call<T> = Box<dyn Fn(StoreContextMut<'_, T>, &Arc<[Value]>) -> Result<Option<Value>> + Send>;

/// An exported function of one instance.
pub struct Callee<T: 'static> {
    call: Call<T>,
    path: CallPath,
    ty: ComponentFunc,
}

/// The instance has no such function.
#[derive(Debug, thiserror::Error)]
#[error("no function `{0}` is exported")]
pub struct LookupError(pub String);

impl<T: 'static> Callee<T> {
    /// Looks up `path`: the names of exported instances, then of the function (`["top-k"]`, or
    /// `["example:search/index", "find"]`).
    ///
    /// # Errors
    /// Nothing of that name is exported, or it is not a function.
    pub fn new(
        store: &mut Store<T>,
        instance: &Instance,
        path: &[String],
    ) -> Result<Self, LookupError> {
        let missing = || LookupError(path.join("#"));
        let mut parent = None;
        for name in path {
            parent = Some(
                instance
                    .get_export_index(&mut *store, parent.as_ref(), name)
                    .ok_or_else(missing)?,
            );
        }
        let index = parent.ok_or_else(missing)?;
        let func = instance.get_func(&mut *store, index).ok_or_else(missing)?;
        Ok(Self::of(store, func))
    }

    fn of(store: &Store<T>, func: Func) -> Self {
        let ty = func.ty(store);
        match typed(store, func, &ty) {
            Some(call) => Self {
                call,
                path: CallPath::Typed,
                ty,
            },
            None => Self {
                call: dynamic(func, &ty),
                path: CallPath::Dynamic,
                ty,
            },
        }
    }

    /// Its type, as the component declares it.
    pub fn ty(&self) -> &ComponentFunc {
        &self.ty
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

/// The typed path, for parameters of up to 8 core values and results of common layouts.
fn typed<T: 'static>(store: &Store<T>, func: Func, ty: &ComponentFunc) -> Option<Call<T>> {
    let params: Vec<Shape> = ty
        .params()
        .map(|(_, ty)| Shape::of(&ty))
        .collect::<Option<_>>()?;
    if !params.iter().all(Shape::is_parameter) {
        return None;
    }
    let results: Vec<Shape> = ty
        .results()
        .map(|ty| Shape::of(&ty))
        .collect::<Option<_>>()?;
    let count = Shape::Tuple(params).flat_count();
    macro_rules! by_count {
        ($($n:literal),*) => {
            match count { $($n => typed_params::<T, $n>(store, func, &Shape::Tuple(results)),)* _ => None }
        };
    }
    by_count!(0, 1, 2, 3, 4, 5, 6, 7, 8)
}

fn typed_params<T: 'static, const N: usize>(
    store: &Store<T>,
    func: Func,
    results: &Shape,
) -> Option<Call<T>> {
    macro_rules! by_layout {
        ($(($bytes:literal, $align:literal)),*) => {
            match (results.flat_count(), results.bytes(), results.align()) {
                (0, ..) => flat::<T, N, 0>(store, func),
                (1, ..) => flat::<T, N, 1>(store, func),
                $((_, $bytes, $align) => in_memory::<T, N, $bytes, $align>(store, func),)*
                _ => None,
            }
        };
    }
    by_layout!((8, 4), (12, 4), (16, 4), (16, 8), (20, 4), (24, 4), (24, 8))
}

fn flat<T: 'static, const N: usize, const R: usize>(
    store: &Store<T>,
    func: Func,
) -> Option<Call<T>> {
    let func = func.typed::<Params<N>, Flat<R>>(store).ok()?;
    Some(Box::new(move |store, arguments| {
        Ok(func.call(store, Params(Arc::clone(arguments)))?.0)
    }))
}

fn in_memory<T: 'static, const N: usize, const BYTES: u32, const ALIGN: u32>(
    store: &Store<T>,
    func: Func,
) -> Option<Call<T>> {
    let func = func
        .typed::<Params<N>, InMemory<BYTES, ALIGN>>(store)
        .ok()?;
    Some(Box::new(move |store, arguments| {
        Ok(Some(func.call(store, Params(Arc::clone(arguments)))?.0))
    }))
}

fn dynamic<T: 'static>(func: Func, ty: &ComponentFunc) -> Call<T> {
    let results: Vec<Type> = ty.results().collect();
    let shape = results.first().and_then(Shape::of);
    let count = results.len();
    Box::new(move |store, arguments| {
        let mut results = vec![Val::Bool(false); count];
        func.call(store, &vals(arguments), &mut results)?;
        Ok(results
            .pop()
            .map(|val| Value::from_val(val, shape.as_ref())))
    })
}

/// Returns arguments for a dynamic call. A single one, which may have thousands of pieces, is not copied.
fn vals(arguments: &[Value]) -> Cow<'_, [Val]> {
    match arguments {
        [Value::Other(val)] => Cow::Borrowed(std::slice::from_ref(val)),
        _ => arguments.iter().map(Value::to_val).collect(),
    }
}
