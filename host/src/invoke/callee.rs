//! An export that is looked up once, and called by a typed or a dynamic path.

use super::canonical_abi::{Flat, InMemory, Params, expect_result};
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
    /// Values are lowered and lifted as they are kept here.
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

/// The typed path, for parameters of up to 16 core values.
fn typed<T: 'static>(store: &Store<T>, func: Func, ty: &ComponentFunc) -> Option<Call<T>> {
    let params: Arc<[Shape]> = ty
        .params()
        .map(|(_, ty)| Shape::of(&ty))
        .collect::<Option<_>>()?;
    let results: Vec<Arc<Shape>> = ty
        .results()
        .map(|ty| Shape::of(&ty).map(Arc::new))
        .collect::<Option<_>>()?;
    let count = params.iter().map(Shape::flat_count).sum();
    let result = results.into_iter().next();
    macro_rules! by_count {
        ($($n:literal),*) => {
            match count { $($n => typed_params::<T, $n>(store, func, params, result),)* _ => None }
        };
    }
    by_count!(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
}

fn typed_params<T: 'static, const N: usize>(
    store: &Store<T>,
    func: Func,
    params: Arc<[Shape]>,
    result: Option<Arc<Shape>>,
) -> Option<Call<T>> {
    match result {
        None => flat::<T, N, 0>(store, func, params, None),
        Some(shape) if shape.flat_count() == 1 => flat::<T, N, 1>(store, func, params, Some(shape)),
        Some(shape) => in_memory::<T, N>(store, func, params, shape),
    }
}

fn flat<T: 'static, const N: usize, const R: usize>(
    store: &Store<T>,
    func: Func,
    shapes: Arc<[Shape]>,
    result: Option<Arc<Shape>>,
) -> Option<Call<T>> {
    let func = func.typed::<Params<N>, Flat<R>>(store).ok()?;
    Some(Box::new(move |store, values| {
        let (values, shapes) = (Arc::clone(values), Arc::clone(&shapes));
        expect_result(result.as_ref());
        Ok(func.call(store, Params { values, shapes })?.0)
    }))
}

fn in_memory<T: 'static, const N: usize>(
    store: &Store<T>,
    func: Func,
    shapes: Arc<[Shape]>,
    result: Arc<Shape>,
) -> Option<Call<T>> {
    let func = func.typed::<Params<N>, InMemory>(store).ok()?;
    Some(Box::new(move |store, values| {
        let (values, shapes) = (Arc::clone(values), Arc::clone(&shapes));
        expect_result(Some(&result));
        Ok(Some(func.call(store, Params { values, shapes })?.0))
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
