//! Arguments and answers in the host.

use super::nested::Nested;
use super::scalar::{Scalar, canonical};
use super::shape::Shape;
use wasmtime::component::Val;

macro_rules! hash_scalars {
    (bool, $items:expr, $sink:ident) => {
        $items.iter().for_each(|item| $sink(&[u8::from(*item)]))
    };
    (char, $items:expr, $sink:ident) => {
        $items
            .iter()
            .for_each(|item| $sink(&u32::from(*item).to_le_bytes()))
    };
    (f32, $items:expr, $sink:ident) => {
        $items
            .iter()
            .for_each(|item| $sink(&canonical(f64::from(*item)).to_le_bytes()))
    };
    (f64, $items:expr, $sink:ident) => {
        $items
            .iter()
            .for_each(|item| $sink(&canonical(*item).to_le_bytes()))
    };
    ($ty:ty, $items:expr, $sink:ident) => {
        $items.iter().for_each(|item| $sink(&item.to_le_bytes()))
    };
}

macro_rules! scalars {
    ($($scalar:ident $list:ident $val:ident $ty:tt),* $(,)?) => {
        /// A value of the component model. Lists of scalars are kept as plain vectors: 8 bytes for
        /// an `s64` instead of the 40 of a [`Val`].
        #[derive(Clone, Debug)]
        pub enum Value {
            $(
                #[doc = concat!("A `", stringify!($ty), "`.")]
                $scalar($ty),
                #[doc = concat!("A list of `", stringify!($ty), "`.")]
                $list(Vec<$ty>),
            )*
            /// A string.
            Text(String),
            /// A tuple.
            Tuple(Vec<Value>),
            /// A `result<_, string>`.
            Outcome(Result<(), String>),
            /// A value of any other type without handles.
            Nested(Nested),
            /// Everything else.
            Other(Val),
        }

        impl Value {
            /// Converts the value for the engine's dynamic calls.
            pub fn to_val(&self) -> Val {
                match self {
                    $(
                        Self::$scalar(value) => Val::$val(*value),
                        Self::$list(items) => Val::List(items.iter().map(|item| Val::$val(*item)).collect()),
                    )*
                    Self::Text(text) => Val::String(text.clone()),
                    Self::Tuple(items) => Val::Tuple(items.iter().map(Self::to_val).collect()),
                    Self::Outcome(Ok(())) => Val::Result(Ok(None)),
                    Self::Outcome(Err(text)) => Val::Result(Err(Some(Box::new(Val::String(text.clone()))))),
                    Self::Nested(nested) => nested.to_val(),
                    Self::Other(val) => val.clone(),
                }
            }

            /// Converts a dynamic value; `shape` is its typed form, if it has one.
            pub(super) fn from_val(val: Val, shape: Option<&Shape>) -> Self {
                match (val, shape) {
                    $((Val::$val(value), _) => Self::$scalar(value),)*
                    (Val::String(text), _) => Self::Text(text),
                    (Val::Result(Ok(None)), Some(Shape::Outcome)) => Self::Outcome(Ok(())),
                    (Val::Result(Err(Some(val))), Some(Shape::Outcome)) => match *val {
                        Val::String(text) => Self::Outcome(Err(text)),
                        other => Self::Other(other),
                    },
                    $((Val::List(items), Some(Shape::List(Scalar::$scalar))) => Self::$list(
                        items.into_iter().filter_map(|item| match item {
                            Val::$val(value) => Some(value),
                            _ => None,
                        }).collect(),
                    ),)*
                    (Val::Tuple(items), Some(Shape::Tuple(shapes))) => Self::Tuple(
                        items.into_iter().zip(shapes).map(|(item, shape)| Self::from_val(item, Some(shape))).collect(),
                    ),
                    (val, Some(Shape::Nested(layout))) => match Nested::from_val(&val, layout) {
                        Some(nested) => Self::Nested(nested),
                        None => Self::Other(val),
                    },
                    (val, _) => Self::Other(val),
                }
            }

            /// Passes the bytes of the value to a hasher, with one form for all NaNs and zeros. Values of
            /// one type that are [the same](Self::same_as) give the same bytes.
            pub fn hash_into(&self, sink: &mut impl FnMut(&[u8])) {
                match self {
                    $(
                        Self::$scalar(value) => hash_scalars!($ty, std::slice::from_ref(value), sink),
                        Self::$list(items) => {
                            sink(&(items.len() as u64).to_le_bytes());
                            hash_scalars!($ty, items, sink);
                        }
                    )*
                    Self::Text(text) => {
                        sink(&(text.len() as u64).to_le_bytes());
                        sink(text.as_bytes());
                    }
                    Self::Tuple(items) if !self.has_nested() => {
                        items.iter().for_each(|item| item.hash_into(sink));
                    }
                    other => sink(canonical_val(other.to_val()).to_wave().unwrap_or_default().as_bytes()),
                }
            }

            /// Returns the number of allocations that lowering the value in UTF-8 asks for: one for each string and
            /// each list, the empty ones included.
            pub fn allocations(&self) -> u64 {
                match self {
                    $(
                        Self::$scalar(_) => 0,
                        Self::$list(_) => 1,
                    )*
                    Self::Text(_) | Self::Outcome(Err(_)) => 1,
                    Self::Outcome(Ok(())) => 0,
                    Self::Tuple(items) => items.iter().map(Self::allocations).sum(),
                    Self::Nested(nested) => nested.pieces(),
                    Self::Other(val) => val_allocations(val),
                }
            }

            /// The approximate memory of the value in bytes, for the limits on inputs and answers.
            pub fn bytes(&self) -> usize {
                match self {
                    $(
                        Self::$scalar(_) => size_of::<$ty>(),
                        Self::$list(items) => size_of_val(items.as_slice()),
                    )*
                    Self::Text(text) => text.len(),
                    Self::Tuple(items) => items.iter().map(Self::bytes).sum(),
                    Self::Outcome(outcome) => outcome.as_ref().err().map_or(0, String::len),
                    Self::Nested(nested) => nested.image.len(),
                    Self::Other(val) => val_bytes(val),
                }
            }
        }
    };
}

scalars! {
    Bool BoolList Bool bool,
    S8 S8List S8 i8,
    U8 U8List U8 u8,
    S16 S16List S16 i16,
    U16 U16List U16 u16,
    S32 S32List S32 i32,
    U32 U32List U32 u32,
    S64 S64List S64 i64,
    U64 U64List U64 u64,
    F32 F32List Float32 f32,
    F64 F64List Float64 f64,
    Char CharList Char char,
}

impl Value {
    /// Returns true if it is a nested value, or a tuple with one in it.
    fn has_nested(&self) -> bool {
        match self {
            Self::Nested(_) => true,
            Self::Tuple(items) => items.iter().any(Self::has_nested),
            _ => false,
        }
    }

    /// Returns true if two answers are the same. Numbers are compared by value; any NaN equals any other,
    /// because the sandbox may choose the bits of one freely.
    pub fn same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::F32(a), Self::F32(b)) => same_f64(f64::from(*a), f64::from(*b)),
            (Self::F64(a), Self::F64(b)) => same_f64(*a, *b),
            (Self::F32List(a), Self::F32List(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| same_f64(f64::from(*a), f64::from(*b)))
            }
            (Self::F64List(a), Self::F64List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_f64(*a, *b))
            }
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_as(b))
            }
            (Self::S64List(a), Self::S64List(b)) => a == b,
            (Self::U8List(a), Self::U8List(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Nested(a), Self::Nested(b)) => a.same_as(b),
            (a, b) => canonical_val(a.to_val()) == canonical_val(b.to_val()),
        }
    }
}

fn same_f64(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// Applies [`canonical`] to each number in a value: the engine's own comparison distinguishes −0 from 0.
fn canonical_val(val: Val) -> Val {
    let all = |vals: Vec<Val>| vals.into_iter().map(canonical_val).collect();
    let boxed = |val: Option<Box<Val>>| val.map(|val| Box::new(canonical_val(*val)));
    match val {
        Val::Float32(number) => Val::Float32(canonical(f64::from(number)) as f32),
        Val::Float64(number) => Val::Float64(canonical(number)),
        Val::List(items) => Val::List(all(items)),
        Val::FixedLengthList(items) => Val::FixedLengthList(all(items)),
        Val::Tuple(items) => Val::Tuple(all(items)),
        Val::Map(entries) => {
            let entry = |(key, val)| (canonical_val(key), canonical_val(val));
            Val::Map(entries.into_iter().map(entry).collect())
        }
        Val::Record(fields) => {
            let field = |(name, val)| (name, canonical_val(val));
            Val::Record(fields.into_iter().map(field).collect())
        }
        Val::Variant(name, val) => Val::Variant(name, boxed(val)),
        Val::Option(val) => Val::Option(boxed(val)),
        Val::Result(Ok(val)) => Val::Result(Ok(boxed(val))),
        Val::Result(Err(val)) => Val::Result(Err(boxed(val))),
        other => other,
    }
}

fn val_bytes(val: &Val) -> usize {
    size_of::<Val>()
        + match val {
            Val::String(text) | Val::Enum(text) => text.len(),
            Val::List(items) | Val::Tuple(items) => items.iter().map(val_bytes).sum(),
            Val::Record(fields) => fields
                .iter()
                .map(|(name, val)| name.len() + val_bytes(val))
                .sum(),
            Val::Variant(name, val) => name.len() + val.as_deref().map_or(0, val_bytes),
            Val::Option(val) | Val::Result(Ok(val) | Err(val)) => {
                val.as_deref().map_or(0, val_bytes)
            }
            Val::Flags(names) => names.iter().map(String::len).sum(),
            _ => 0,
        }
}

/// The number of strings and lists in a value; see [`Value::allocations`].
fn val_allocations(val: &Val) -> u64 {
    let all = |vals: &[Val]| vals.iter().map(val_allocations).sum::<u64>();
    match val {
        Val::String(_) => 1,
        Val::List(items) => 1 + all(items),
        Val::Map(entries) => {
            let entry = |(key, val): &(Val, Val)| val_allocations(key) + val_allocations(val);
            1 + entries.iter().map(entry).sum::<u64>()
        }
        Val::FixedLengthList(items) | Val::Tuple(items) => all(items),
        Val::Record(fields) => fields.iter().map(|(_, val)| val_allocations(val)).sum(),
        Val::Variant(_, val) | Val::Option(val) | Val::Result(Ok(val) | Err(val)) => {
            val.as_deref().map_or(0, val_allocations)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_survive_the_way_through_val() {
        let value = Value::Tuple(vec![Value::S64List(vec![-1, 7]), Value::U32(3)]);
        let shape = Shape::Tuple(vec![Shape::List(Scalar::S64), Shape::Scalar(Scalar::U32)]);
        let back = Value::from_val(value.to_val(), Some(&shape));
        assert!(back.same_as(&value));
        assert!(matches!(&back, Value::Tuple(items) if matches!(items[0], Value::S64List(_))));
        assert_eq!(value.bytes(), 20);
    }

    #[test]
    fn nan_is_the_same_answer_as_nan_but_not_as_a_number() {
        let nan = Value::F64List(vec![f64::NAN, 1.0]);
        assert!(nan.same_as(&Value::F64List(vec![-f64::NAN, 1.0])));
        assert!(!nan.same_as(&Value::F64List(vec![0.0, 1.0])));
        assert!(!nan.same_as(&Value::F64List(vec![f64::NAN])));
        assert!(Value::F64(0.0).same_as(&Value::F64(-0.0)));
    }

    #[test]
    fn zero_is_the_same_answer_as_minus_zero_wherever_it_stands() {
        let digest = |value: &Value| {
            let mut bytes = Vec::new();
            value.hash_into(&mut |more| bytes.extend_from_slice(more));
            bytes
        };
        let around: [fn(Val) -> Val; 5] = [
            |zero| Val::Record(vec![("x".into(), zero)]),
            |zero| Val::Option(Some(Box::new(zero))),
            |zero| Val::List(vec![Val::Tuple(vec![zero])]),
            |zero| Val::Variant("some".into(), Some(Box::new(zero))),
            |zero| Val::Result(Err(Some(Box::new(zero)))),
        ];
        for around in around {
            let other = |number| Value::Other(around(Val::Float64(number)));
            assert!(other(0.0).same_as(&other(-0.0)));
            assert_eq!(digest(&other(0.0)), digest(&other(-0.0)));
            assert!(other(f64::NAN).same_as(&other(-f64::NAN)));
            assert!(!other(0.0).same_as(&other(1.0)));
        }
    }
}
