//! The ways to call a function: by typed paths, and by values that the engine converts.

use super::canonical_abi::{Flat, InMemory, Params, expect_result};
use super::shape::Shape;
use super::signature::CallTypes;
use super::value::Value;
use std::borrow::Cow;
use std::sync::Arc;
use wasmtime::component::{Func, ResourceAny, Type, Val};
use wasmtime::{Result, Store, StoreContextMut};

/// Answers arguments.
pub(super) type Call<T> =
    Box<dyn Fn(StoreContextMut<'_, T>, &Arc<[Value]>) -> Result<Option<Value>> + Send>;

/// Makes a resource of arguments.
pub(super) type Make<T> =
    Box<dyn Fn(StoreContextMut<'_, T>, &Arc<[Value]>) -> Result<ResourceAny> + Send>;
/// Asks a resource for a value.
pub(super) type Ask<T> =
    Box<dyn Fn(StoreContextMut<'_, T>, ResourceAny) -> Result<Option<Value>> + Send>;

/// Calls a function that is generic over the number of core values of the parameters.
macro_rules! by_flat_count {
    ($count:expr, $typed:ident $arguments:tt) => {
        by_flat_count!($count, $typed, $arguments, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    ($count:expr, $typed:ident, $arguments:tt, $($n:literal)*) => {
        match $count { $($n => by_flat_count!(one $typed, $n, $arguments),)* _ => None }
    };
    (one $typed:ident, $n:literal, ($($argument:expr),*)) => { $typed::<T, $n>($($argument),*) };
}

/// The typed path, for parameters of up to 16 core values.
pub(super) fn typed<T: 'static>(
    store: &Store<T>,
    func: Func,
    types: &CallTypes,
) -> Option<Call<T>> {
    let params = shapes(&types.params)?;
    let result = match &types.result {
        Some(ty) => Some(Arc::new(Shape::of(ty)?)),
        None => None,
    };
    let count = params.iter().map(Shape::flat_count).sum::<usize>();
    by_flat_count!(count, typed_params(store, func, params, result))
}

/// The typed path of a function that makes a resource.
pub(super) fn making<T: 'static>(store: &Store<T>, func: Func, params: &[Type]) -> Option<Make<T>> {
    let params = shapes(params)?;
    let count = params.iter().map(Shape::flat_count).sum::<usize>();
    by_flat_count!(count, resource(store, func, params))
}

fn shapes(types: &[Type]) -> Option<Arc<[Shape]>> {
    types.iter().map(Shape::of).collect()
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

fn resource<T: 'static, const N: usize>(
    store: &Store<T>,
    func: Func,
    shapes: Arc<[Shape]>,
) -> Option<Make<T>> {
    let func = func.typed::<Params<N>, (ResourceAny,)>(store).ok()?;
    Some(Box::new(move |store, values| {
        let (values, shapes) = (Arc::clone(values), Arc::clone(&shapes));
        Ok(func.call(store, Params { values, shapes })?.0)
    }))
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

/// A method without arguments of its own, which returns a value of this type.
pub(super) fn method<T: 'static>(store: &Store<T>, func: Func, result: Option<&Type>) -> Ask<T> {
    let shape = result.and_then(Shape::of).map(Arc::new);
    if let Some(shape) = &shape {
        let shape = Arc::clone(shape);
        if shape.flat_count() == 1 {
            if let Ok(func) = func.typed::<(ResourceAny,), Flat<1>>(store) {
                return Box::new(move |store, handle| {
                    expect_result(Some(&shape));
                    Ok(func.call(store, (handle,))?.0)
                });
            }
        } else if let Ok(func) = func.typed::<(ResourceAny,), InMemory>(store) {
            return Box::new(move |store, handle| {
                expect_result(Some(&shape));
                Ok(Some(func.call(store, (handle,))?.0))
            });
        }
    }
    let dynamic = DynamicCall {
        func,
        results: usize::from(result.is_some()),
        shape: None,
    };
    Box::new(move |store, handle| dynamic.call(store, &[Val::Resource(handle)]))
}

pub(super) fn dynamic<T: 'static>(func: Func, result: Option<&Type>) -> Call<T> {
    let dynamic = DynamicCall {
        func,
        results: usize::from(result.is_some()),
        shape: result.and_then(Shape::of),
    };
    Box::new(move |store, arguments| dynamic.call(store, &vals(arguments)))
}

/// A function whose values are converted.
struct DynamicCall {
    func: Func,
    results: usize,
    shape: Option<Shape>,
}

impl DynamicCall {
    fn call<T: 'static>(
        &self,
        store: StoreContextMut<'_, T>,
        arguments: &[Val],
    ) -> Result<Option<Value>> {
        let mut results = vec![Val::Bool(false); self.results];
        self.func.call(store, arguments, &mut results)?;
        let result = results.pop();
        Ok(result.map(|val| Value::from_val(val, self.shape.as_ref())))
    }
}

/// Returns arguments for a dynamic call. A single one, which may have thousands of pieces, is not copied.
pub(super) fn vals(arguments: &[Value]) -> Cow<'_, [Val]> {
    match arguments {
        [Value::Other(val)] => Cow::Borrowed(std::slice::from_ref(val)),
        _ => arguments.iter().map(Value::to_val).collect(),
    }
}
