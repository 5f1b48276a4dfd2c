//! Parameters and results of typed calls whose types are only known at run time.
//!
//! A typed call of wasmtime needs a Rust type for the whole parameter list. The canonical ABI depends
//! only on the number of core values, and for a result on its size and alignment in memory. So
//! [`Params`] is generic over the number of core values, and [`Flat`] and [`InMemory`] over the location
//! of the result. The parts are lowered and lifted by wasmtime's own implementations for scalars,
//! strings and vectors, as the [`Value`] or the interface type demands. `typecheck` runs once per export
//! and checks all that the rest relies on.

use super::value::Value;
use std::mem::MaybeUninit;
use std::sync::Arc;
use wasmtime::component::__internal::{
    CanonicalAbiInfo, ComponentTypes, InstanceType, InterfaceType, LiftContext, LowerContext,
};
use wasmtime::component::{ComponentNamedList, ComponentType, Lift, Lower};
use wasmtime::{Result, ValRaw, bail};

/// A parameter list that takes `N` core values.
pub(super) struct Params<const N: usize>(pub(super) Arc<[Value]>);

/// A result that comes back as at most one core value.
pub(super) struct Flat<const N: usize>(pub(super) Option<Value>);

/// A result of `BYTES` bytes in linear memory.
pub(super) struct InMemory<const BYTES: u32, const ALIGN: u32>(pub(super) Value);

const fn abi(bytes: u32, align: u32) -> CanonicalAbiInfo {
    CanonicalAbiInfo {
        size32: bytes,
        align32: align,
        size64: bytes,
        align64: align,
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

/// Core values, bytes and alignment of a type that the typed paths know.
fn layout(types: &ComponentTypes, ty: &InterfaceType) -> Result<(usize, u32, u32)> {
    Ok(match ty {
        InterfaceType::Bool | InterfaceType::S8 | InterfaceType::U8 => (1, 1, 1),
        InterfaceType::S16 | InterfaceType::U16 => (1, 2, 2),
        InterfaceType::S32 | InterfaceType::U32 | InterfaceType::Float32 | InterfaceType::Char => {
            (1, 4, 4)
        }
        InterfaceType::S64 | InterfaceType::U64 | InterfaceType::Float64 => (1, 8, 8),
        InterfaceType::String => (2, 8, 4),
        InterfaceType::List(index) => {
            let element = &types[*index].element;
            if layout(types, element)?.0 != 1 || matches!(element, InterfaceType::Tuple(_)) {
                bail!("a list of types other than scalars");
            }
            (2, 8, 4)
        }
        InterfaceType::Result(index) => {
            let result = &types[*index];
            if result.ok.is_some() || result.err != Some(InterfaceType::String) {
                bail!("a result other than `result<_, string>`");
            }
            (3, 12, 4)
        }
        InterfaceType::Tuple(index) => {
            let (mut flat, mut end, mut align) = (0, 0_u32, 1);
            for part in &*types[*index].types {
                let (part_flat, part_bytes, part_align) = layout(types, part)?;
                flat += part_flat;
                end = end.next_multiple_of(part_align) + part_bytes;
                align = align.max(part_align);
            }
            (flat, end.next_multiple_of(align), align)
        }
        _ => bail!("a type without a typed path"),
    })
}

// SAFETY: `Lower` is an array of `ValRaw`; `typecheck` accepts exactly the lists whose flat form
// has `N` core values; `ABI` is only used for lists of more than 16 core values, which no `N` in
// use reaches.
unsafe impl<const N: usize> ComponentType for Params<N> {
    type Lower = [ValRaw; N];
    const ABI: CanonicalAbiInfo = abi(0, 1);

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        let (flat, ..) = layout(types.types, ty)?;
        if flat != N {
            bail!("the parameters take {flat} core values, not {N}");
        }
        Ok(())
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
        if wanted.len() != self.0.len() {
            bail!("{} arguments for {} parameters", self.0.len(), wanted.len());
        }
        for (value, ty) in self.0.iter().zip(wanted) {
            lower(value, cx, *ty, &mut flat, &mut used)?;
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
                    if wanted.len() != items.len() {
                        bail!("a tuple of {} for one of {}", items.len(), wanted.len());
                    }
                    for (item, ty) in items.iter().zip(wanted.iter()) {
                        lower(item, cx, *ty, flat, used)?;
                    }
                    Ok(())
                }
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
    const ABI: CanonicalAbiInfo = abi(0, 1);

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        let (flat, ..) = layout(types.types, ty)?;
        if flat != N || N > 1 {
            bail!("the result takes {flat} core values, not {N}");
        }
        Ok(())
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
            ([ty], Some(raw)) => lift_scalar(cx, *ty, raw).map(|value| Self(Some(value))),
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
// memory, with `ABI`; `typecheck` accepts exactly the results of that size and alignment.
unsafe impl<const BYTES: u32, const ALIGN: u32> ComponentType for InMemory<BYTES, ALIGN> {
    type Lower = [ValRaw; 2];
    const ABI: CanonicalAbiInfo = abi(BYTES, ALIGN);

    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        let (flat, bytes, align) = layout(types.types, ty)?;
        if flat < 2 || (bytes, align) != (BYTES, ALIGN) {
            bail!("the result takes {bytes} bytes, not {BYTES}");
        }
        Ok(())
    }
}

// SAFETY: the type is checked against an interface type that is a tuple.
unsafe impl<const BYTES: u32, const ALIGN: u32> ComponentNamedList for InMemory<BYTES, ALIGN> {}

// SAFETY: reads `BYTES` bytes at offsets that follow from the type, by checked slices.
unsafe impl<const BYTES: u32, const ALIGN: u32> Lift for InMemory<BYTES, ALIGN> {
    fn linear_lift_from_flat(
        _: &mut LiftContext<'_>,
        _: InterfaceType,
        _: &[ValRaw; 2],
    ) -> Result<Self> {
        bail!("a result of several core values lies in memory")
    }

    fn linear_lift_from_memory(
        cx: &mut LiftContext<'_>,
        ty: InterfaceType,
        bytes: &[u8],
    ) -> Result<Self> {
        let types = Arc::clone(cx.types);
        match parts(&types, &ty)? {
            [ty] => lift(cx, *ty, bytes).map(Self),
            _ => bail!("expected one result"),
        }
    }
}

/// Lifts a value that lies in memory.
fn lift(cx: &mut LiftContext<'_>, ty: InterfaceType, bytes: &[u8]) -> Result<Value> {
    macro_rules! by_type {
        ($($scalar:ident $list:ident $wit:ident),* $(,)?) => {
            match ty {
                $(InterfaceType::$wit => Lift::linear_lift_from_memory(cx, ty, bytes).map(Value::$scalar),)*
                InterfaceType::String => Lift::linear_lift_from_memory(cx, ty, bytes).map(Value::Text),
                InterfaceType::List(index) => match cx.types[index].element {
                    $(InterfaceType::$wit => Lift::linear_lift_from_memory(cx, ty, bytes).map(Value::$list),)*
                    _ => bail!("a list without a typed path"),
                },
                InterfaceType::Result(_) => {
                    let outcome: std::result::Result<(), String> =
                        Lift::linear_lift_from_memory(cx, ty, bytes)?;
                    Ok(Value::Outcome(outcome))
                }
                InterfaceType::Tuple(index) => {
                    let types = Arc::clone(cx.types);
                    let mut end = 0;
                    let mut items = Vec::new();
                    for part in &*types[index].types {
                        let (_, size, align) = layout(&types, part)?;
                        let start = u32::next_multiple_of(end, align);
                        end = start + size;
                        let Some(bytes) = bytes.get(start as usize..end as usize) else {
                            bail!("a tuple that is larger than its memory");
                        };
                        items.push(lift(cx, *part, bytes)?);
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

/// Lifts the one core value of a scalar.
fn lift_scalar(cx: &mut LiftContext<'_>, ty: InterfaceType, raw: &ValRaw) -> Result<Value> {
    macro_rules! by_type {
        ($($scalar:ident $wit:ident),* $(,)?) => {
            match ty {
                $(InterfaceType::$wit => Lift::linear_lift_from_flat(cx, ty, raw).map(Value::$scalar),)*
                InterfaceType::Tuple(index) => {
                    let types = Arc::clone(cx.types);
                    match &*types[index].types {
                        [part] => lift_scalar(cx, *part, raw).map(|value| Value::Tuple(vec![value])),
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
