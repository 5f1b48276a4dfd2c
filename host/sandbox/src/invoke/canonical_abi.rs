//! Parameters and results of typed calls whose types are only known at run time.
//!
//! A typed call of wasmtime needs a Rust type for the whole parameter list. The canonical ABI depends
//! only on the number of core values, and for a result on whether it is more than one. So [`Params`]
//! and [`Flat`] are generic over the number of core values, and [`InMemory`] looks its result up where
//! it lies. Scalars, strings and lists of scalars are lowered and lifted by wasmtime's own
//! implementations, nested types by [`nested_abi`]. `typecheck` runs once per export and checks all
//! that the rest relies on.

use super::nested::Nested;
use super::nested_abi;
use super::shape::Shape;
use super::value::Value;
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::sync::Arc;
use wasmtime::component::__internal::{
    CanonicalAbiInfo, ComponentTypes, InstanceType, InterfaceType, LiftContext, LowerContext,
};
use wasmtime::component::{ComponentNamedList, ComponentType, Lift, Lower};
use wasmtime::{Result, ValRaw, bail};

/// The most core values that parameters are passed in.
pub(super) const FLAT_PARAMS_MAX: usize = 16;

/// A parameter list that takes `N` core values, and its types.
pub(super) struct Params<const N: usize> {
    pub(super) values: Arc<[Value]>,
    pub(super) shapes: Arc<[Shape]>,
}

/// A result that comes back as at most one core value.
pub(super) struct Flat<const N: usize>(pub(super) Option<Value>);

/// A result in linear memory.
pub(super) struct InMemory(pub(super) Value);

thread_local! {
    /// The type of the result of the call in progress: a result is lifted by a function that is given
    /// nothing but memory.
    static RESULT: RefCell<Option<Arc<Shape>>> = const { RefCell::new(None) };
}

/// Sets the type of the result of the next call.
pub(super) fn expect_result(shape: Option<&Arc<Shape>>) {
    RESULT.with_borrow_mut(|result| *result = shape.cloned());
}

fn result_shape() -> Result<Arc<Shape>> {
    match RESULT.with_borrow_mut(Option::take) {
        Some(shape) => Ok(shape),
        None => bail!("a result of a function without one"),
    }
}

const fn no_layout() -> CanonicalAbiInfo {
    CanonicalAbiInfo {
        size32: 0,
        align32: 1,
        size64: 0,
        align64: 1,
        flat_count: None,
    }
}

/// The parts of a parameter or result list.
fn parts<'a>(types: &'a ComponentTypes, ty: &InterfaceType) -> Result<&'a [InterfaceType]> {
    match ty {
        InterfaceType::Tuple(index) => Ok(&types[*index].types),
        _ => bail!("expected a tuple of parameters"),
    }
}

/// Core values of a type; `None` if they are more than parameters are passed in.
fn flat_count(types: &ComponentTypes, ty: &InterfaceType) -> Option<usize> {
    types.canonical_abi(ty).flat_count(FLAT_PARAMS_MAX)
}

// SAFETY: `Lower` is an array of `ValRaw`; `typecheck` accepts exactly the lists whose flat form
// has `N` core values; `ABI` is only used for lists of more than 16 core values, which no `N` in
// use reaches.
unsafe impl<const N: usize> ComponentType for Params<N> {
    type Lower = [ValRaw; N];
    const ABI: CanonicalAbiInfo = no_layout();

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        match flat_count(types.types, ty) {
            Some(count) if count == N => Ok(()),
            count => bail!("the parameters take {count:?} core values, not {N}"),
        }
    }
}

// SAFETY: the type is checked against an interface type that is a tuple.
unsafe impl<const N: usize> ComponentNamedList for Params<N> {}

// SAFETY: every core value of `dst` is written before `Ok` is returned: the loop counts them.
unsafe impl<const N: usize> Lower for Params<N> {
    fn linear_lower_to_flat<T>(
        &self,
        cx: &mut LowerContext<'_, T>,
        ty: InterfaceType,
        dst: &mut MaybeUninit<[ValRaw; N]>,
    ) -> Result<()> {
        let types = cx.types;
        let mut flat = [ValRaw::u64(0); N];
        let mut used = 0;
        let wanted = parts(types, &ty)?;
        if wanted.len() != self.values.len() || wanted.len() != self.shapes.len() {
            let given = self.values.len();
            bail!("{given} arguments for {} parameters", wanted.len());
        }
        for ((value, shape), ty) in self.values.iter().zip(&*self.shapes).zip(wanted) {
            lower(value, shape, cx, *ty, &mut flat, &mut used)?;
        }
        dst.write(flat);
        Ok(())
    }

    fn linear_lower_to_memory<T>(
        &self,
        _cx: &mut LowerContext<'_, T>,
        _ty: InterfaceType,
        _offset: usize,
    ) -> Result<()> {
        bail!("parameters of more than 16 core values have no typed path")
    }
}

/// Lowers one value to the core values from `used` on.
fn lower<T>(
    value: &Value,
    shape: &Shape,
    cx: &mut LowerContext<'_, T>,
    ty: InterfaceType,
    flat: &mut [ValRaw],
    used: &mut usize,
) -> Result<()> {
    macro_rules! by_type {
        ($($scalar:ident $list:ident $wit:ident),* $(,)?) => {
            match (value, ty) {
                $(
                    (Value::$scalar(value), InterfaceType::$wit) => lower_one(value, cx, ty, flat, used),
                    (Value::$list(items), InterfaceType::List(index))
                        if cx.types[index].element == InterfaceType::$wit => lower_two(items, cx, ty, flat, used),
                )*
                (Value::Text(text), InterfaceType::String) => lower_two(text, cx, ty, flat, used),
                (Value::Tuple(items), InterfaceType::Tuple(index)) => {
                    let types = cx.types;
                    let wanted = &types[index].types;
                    let shapes = match shape {
                        Shape::Tuple(shapes) => shapes.as_slice(),
                        _ => &[],
                    };
                    if wanted.len() != items.len() || shapes.len() != items.len() {
                        bail!("a tuple of {} for one of {}", items.len(), wanted.len());
                    }
                    for ((item, shape), ty) in items.iter().zip(shapes).zip(wanted.iter()) {
                        lower(item, shape, cx, *ty, flat, used)?;
                    }
                    Ok(())
                }
                (Value::Nested(nested), _) => lower_nested(nested, shape, cx, flat, used),
                (Value::Outcome(Ok(())), InterfaceType::Result(_)) => {
                    push(&[ValRaw::u64(0); 3], flat, used)
                }
                (Value::Outcome(Err(text)), InterfaceType::Result(_)) => {
                    push(&[ValRaw::u32(1)], flat, used)?;
                    lower_two(text, cx, InterfaceType::String, flat, used)
                }
                (Value::Other(val), _) => match Value::from_val(val.clone(), Some(shape)) {
                    Value::Other(_) => bail!("an argument does not have the type of its parameter"),
                    value => lower(&value, shape, cx, ty, flat, used),
                },
                _ => bail!("an argument does not have the type of its parameter"),
            }
        };
    }
    by_type! {
        Bool BoolList Bool, S8 S8List S8, U8 U8List U8, S16 S16List S16, U16 U16List U16,
        S32 S32List S32, U32 U32List U32, S64 S64List S64, U64 U64List U64,
        F32 F32List Float32, F64 F64List Float64, Char CharList Char,
    }
}

fn lower_nested<T>(
    nested: &Nested,
    shape: &Shape,
    cx: &mut LowerContext<'_, T>,
    flat: &mut [ValRaw],
    used: &mut usize,
) -> Result<()> {
    match shape {
        Shape::Nested(layout) if *layout == nested.layout => {
            let Some(place) = flat.get_mut(*used..*used + layout.flat_count) else {
                bail!("more core values than the parameters take");
            };
            *used += layout.flat_count;
            nested_abi::lower_flat(nested, cx, place)
        }
        _ => bail!("an argument does not have the type of its parameter"),
    }
}

fn lower_one<T, V: Lower<Lower = ValRaw>>(
    value: &V,
    cx: &mut LowerContext<'_, T>,
    ty: InterfaceType,
    flat: &mut [ValRaw],
    used: &mut usize,
) -> Result<()> {
    let mut dst = MaybeUninit::uninit();
    value.linear_lower_to_flat(cx, ty, &mut dst)?;
    // SAFETY: `linear_lower_to_flat` initialises its destination when it returns `Ok`.
    push(&[unsafe { dst.assume_init() }], flat, used)
}

fn lower_two<T, V: Lower<Lower = [ValRaw; 2]>>(
    value: &V,
    cx: &mut LowerContext<'_, T>,
    ty: InterfaceType,
    flat: &mut [ValRaw],
    used: &mut usize,
) -> Result<()> {
    let mut dst = MaybeUninit::uninit();
    value.linear_lower_to_flat(cx, ty, &mut dst)?;
    // SAFETY: as above.
    push(&unsafe { dst.assume_init() }, flat, used)
}

fn push(values: &[ValRaw], flat: &mut [ValRaw], used: &mut usize) -> Result<()> {
    let Some(place) = flat.get_mut(*used..*used + values.len()) else {
        bail!("more core values than the parameters take");
    };
    place.copy_from_slice(values);
    *used += values.len();
    Ok(())
}

// SAFETY: `Lower` is an array of `N` ≤ 1 core values, which is what `typecheck` accepts.
unsafe impl<const N: usize> ComponentType for Flat<N> {
    type Lower = [ValRaw; N];
    const ABI: CanonicalAbiInfo = no_layout();

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        match flat_count(types.types, ty) {
            Some(count) if count == N && N <= 1 => Ok(()),
            count => bail!("the result takes {count:?} core values, not {N}"),
        }
    }
}

// SAFETY: the type is checked against an interface type that is a tuple.
unsafe impl<const N: usize> ComponentNamedList for Flat<N> {}

// SAFETY: only reads the core values that wasmtime hands over.
unsafe impl<const N: usize> Lift for Flat<N> {
    fn linear_lift_from_flat(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        src: &[ValRaw; N],
    ) -> Result<Self> {
        let types = Arc::clone(cx.types);
        match (parts(&types, &ty)?, src.first()) {
            ([ty], Some(raw)) => {
                let value = lift_scalar(cx, &*result_shape()?, *ty, raw)?;
                Ok(Self(Some(value)))
            }
            _ => Ok(Self(None)),
        }
    }

    fn linear_lift_from_memory(
        _: &mut LiftContext<'_>,
        _: InterfaceType,
        _: &[u8],
    ) -> Result<Self> {
        bail!("a flat result does not lie in memory")
    }
}

// SAFETY: two core values are more than a result may have flat, so wasmtime takes the way through
// memory, which is what `typecheck` accepts.
unsafe impl ComponentType for InMemory {
    type Lower = [ValRaw; 2];
    /// The smallest layout there is: the real size and alignment are known only when the result is lifted.
    const ABI: CanonicalAbiInfo = no_layout();

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        match flat_count(types.types, ty) {
            Some(..2) => bail!("the result is no more than one core value"),
            _ => Ok(()),
        }
    }
}

// SAFETY: the type is checked against an interface type that is a tuple.
unsafe impl ComponentNamedList for InMemory {}

// SAFETY: reads memory at offsets that follow from the type, by checked slices.
unsafe impl Lift for InMemory {
    fn linear_lift_from_flat(
        _: &mut LiftContext<'_>,
        _: InterfaceType,
        _: &[ValRaw; 2],
    ) -> Result<Self> {
        bail!("a result of several core values lies in memory")
    }

    /// Lifts the result that begins where `bytes` does; `bytes` itself is empty.
    fn linear_lift_from_memory(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        bytes: &[u8],
    ) -> Result<Self> {
        // The slice is as long as `ABI` says, which is 0, so only its address tells where the result lies.
        let from = bytes.as_ptr().addr() - cx.memory().as_ptr().addr();
        let types = Arc::clone(cx.types);
        let [ty] = parts(&types, &ty)? else {
            bail!("expected one result");
        };
        let shape = result_shape()?;
        let abi = types.canonical_abi(ty);
        if (abi.size32, abi.align32) != (shape.bytes(), shape.align()) {
            bail!("the result does not have the layout of its type");
        }
        if !from.is_multiple_of(abi.align32 as usize) {
            bail!("return pointer not aligned");
        }
        let end = from.checked_add(abi.size32 as usize);
        if end.is_none_or(|end| end > cx.memory().len()) {
            bail!("pointer out of bounds of memory");
        }
        lift(cx, &shape, *ty, from).map(Self)
    }
}

/// Lifts a value that lies in memory from `from` on, which is aligned and within the memory.
fn lift(cx: &mut LiftContext<'_>, shape: &Shape, ty: InterfaceType, from: usize) -> Result<Value> {
    let bytes = &cx.memory()[from..][..shape.bytes() as usize];
    macro_rules! by_type {
        ($($scalar:ident $list:ident $wit:ident),* $(,)?) => {
            match (shape, ty) {
                (Shape::Nested(layout), _) => nested_abi::lift(cx, layout, from).map(Value::Nested),
                $((_, InterfaceType::$wit) => Lift::linear_lift_from_memory(cx, ty, bytes).map(Value::$scalar),)*
                (_, InterfaceType::String) => Lift::linear_lift_from_memory(cx, ty, bytes).map(Value::Text),
                (_, InterfaceType::List(index)) => match cx.types[index].element {
                    $(InterfaceType::$wit => Lift::linear_lift_from_memory(cx, ty, bytes).map(Value::$list),)*
                    _ => bail!("a list without a typed path"),
                },
                (Shape::Outcome, InterfaceType::Result(_)) => {
                    let outcome: std::result::Result<(), String> =
                        Lift::linear_lift_from_memory(cx, ty, bytes)?;
                    Ok(Value::Outcome(outcome))
                }
                (Shape::Tuple(shapes), InterfaceType::Tuple(index)) => {
                    let types = Arc::clone(cx.types);
                    let mut end = 0;
                    let mut items = Vec::new();
                    for (shape, part) in shapes.iter().zip(&*types[index].types) {
                        let start = u32::next_multiple_of(end, shape.align());
                        end = start + shape.bytes();
                        items.push(lift(cx, shape, *part, from + start as usize)?);
                    }
                    Ok(Value::Tuple(items))
                }
                _ => bail!("a type without a typed path"),
            }
        };
    }
    by_type! {
        Bool BoolList Bool, S8 S8List S8, U8 U8List U8, S16 S16List S16, U16 U16List U16,
        S32 S32List S32, U32 U32List U32, S64 S64List S64, U64 U64List U64,
        F32 F32List Float32, F64 F64List Float64, Char CharList Char,
    }
}

/// Lifts a value of one core value.
fn lift_scalar(
    cx: &mut LiftContext<'_>,
    shape: &Shape,
    ty: InterfaceType,
    raw: &ValRaw,
) -> Result<Value> {
    macro_rules! by_type {
        ($($scalar:ident $wit:ident),* $(,)?) => {
            match (shape, ty) {
                (Shape::Nested(layout), _) => nested_abi::lift_flat(layout, raw).map(Value::Nested),
                $((_, InterfaceType::$wit) => Lift::linear_lift_from_flat(cx, ty, raw).map(Value::$scalar),)*
                (Shape::Tuple(shapes), InterfaceType::Tuple(index)) => {
                    let types = Arc::clone(cx.types);
                    match (shapes.as_slice(), &*types[index].types) {
                        ([shape], [part]) => {
                            lift_scalar(cx, shape, *part, raw).map(|value| Value::Tuple(vec![value]))
                        }
                        _ => bail!("a tuple that is more than one core value"),
                    }
                }
                _ => bail!("a type that is more than one core value"),
            }
        };
    }
    by_type! {
        Bool Bool, S8 S8, U8 U8, S16 S16, U16 U16, S32 S32, U32 U32, S64 S64, U64 U64,
        F32 Float32, F64 Float64, Char Char,
    }
}
