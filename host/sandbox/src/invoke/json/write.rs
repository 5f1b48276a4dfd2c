//! Values to JSON, as they are kept: no other value is made of them.

use super::super::layout::{Cases, Field, Form, Kind, Layout};
use super::super::nested::{number, piece};
use super::super::scalar::Scalar;
use super::super::shape::Shape;
use super::super::value::Value;
use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

/// A value with its type.
pub(super) struct Typed<'a> {
    pub(super) value: &'a Value,
    pub(super) shape: &'a Shape,
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        macro_rules! by_type {
            ($($scalar:ident $list:ident),* $(,)?) => {
                match (self.value, self.shape) {
                    $(
                        (Value::$scalar(value), Shape::Scalar(Scalar::$scalar)) => value.serialize(serializer),
                        (Value::$list(items), Shape::List(Scalar::$scalar)) => items.serialize(serializer),
                    )*
                    (Value::F32(value), Shape::Scalar(Scalar::F32)) => Float(*value).serialize(serializer),
                    (Value::F64(value), Shape::Scalar(Scalar::F64)) => Float(*value).serialize(serializer),
                    (Value::F32List(items), Shape::List(Scalar::F32)) => {
                        serializer.collect_seq(items.iter().copied().map(Float))
                    }
                    (Value::F64List(items), Shape::List(Scalar::F64)) => {
                        serializer.collect_seq(items.iter().copied().map(Float))
                    }
                    (Value::Text(text), Shape::Text) => serializer.serialize_str(text),
                    (Value::Tuple(items), Shape::Tuple(shapes)) if items.len() == shapes.len() => {
                        let items = items.iter().zip(shapes);
                        serializer.collect_seq(items.map(|(value, shape)| Typed { value, shape }))
                    }
                    (Value::Outcome(Ok(())), Shape::Outcome) => tagged(serializer, "ok", &()),
                    (Value::Outcome(Err(text)), Shape::Outcome) => tagged(serializer, "error", text),
                    (Value::Nested(nested), Shape::Nested(layout)) if nested.layout == *layout => {
                        let image = nested.image.as_slice();
                        InImage { layout, image, at: 0 }.serialize(serializer)
                    }
                    (Value::Other(val), shape) => match Value::from_val(val.clone(), Some(shape)) {
                        Value::Other(_) => Err(other_type()),
                        value => Typed { value: &value, shape }.serialize(serializer),
                    },
                    _ => Err(other_type()),
                }
            };
        }
        by_type! {
            Bool BoolList, S8 S8List, U8 U8List, S16 S16List, U16 U16List, S32 S32List, U32 U32List,
            S64 S64List, U64 U64List, Char CharList,
        }
    }
}

fn other_type<E: serde::ser::Error>() -> E {
    E::custom("it does not have the type of its parameter")
}

/// A float. JSON has no number for some.
struct Float<T>(T);

impl<T: Copy + Into<f64> + Serialize> Serialize for Float<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: f64 = self.0.into();
        if number.is_nan() {
            serializer.serialize_str("nan")
        } else if number == f64::INFINITY {
            serializer.serialize_str("inf")
        } else if number == f64::NEG_INFINITY {
            serializer.serialize_str("-inf")
        } else {
            self.0.serialize(serializer)
        }
    }
}

/// Writes an object of one field.
fn tagged<S: Serializer>(
    serializer: S,
    name: &str,
    payload: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, payload)?;
    map.end()
}

/// A value that lies in the image of a nested one.
struct InImage<'a> {
    layout: &'a Layout,
    image: &'a [u8],
    at: usize,
}

impl<'a> InImage<'a> {
    /// Returns a part of it, which lies at this offset in the image.
    fn part(&self, layout: &'a Layout, at: usize) -> Self {
        let image = self.image;
        Self { layout, image, at }
    }

    fn scalar<S: Serializer>(&self, scalar: Scalar, serializer: S) -> Result<S::Ok, S::Error> {
        let bits = number(self.image, self.at, scalar.bytes() as usize);
        match scalar {
            Scalar::Bool => serializer.serialize_bool(bits != 0),
            Scalar::S8 => serializer.serialize_i8(bits as i8),
            Scalar::S16 => serializer.serialize_i16(bits as i16),
            Scalar::S32 => serializer.serialize_i32(bits as i32),
            Scalar::S64 => serializer.serialize_i64(bits as i64),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => serializer.serialize_u64(bits),
            Scalar::F32 => Float(f32::from_bits(bits as u32)).serialize(serializer),
            Scalar::F64 => Float(f64::from_bits(bits)).serialize(serializer),
            Scalar::Char => {
                serializer.serialize_char(char::from_u32(bits as u32).unwrap_or_default())
            }
        }
    }

    fn case<S: Serializer>(&self, cases: &'a Cases, serializer: S) -> Result<S::Ok, S::Error> {
        let tag = number(self.image, self.at, cases.tag_bytes) as usize;
        let (name, layout) = &cases.all[tag];
        let payload = layout.as_ref();
        let payload = payload.map(|layout| self.part(layout, self.at + cases.payload_at));
        match (cases.form, payload) {
            (Form::Result, payload) => {
                let name = if tag == 0 { "ok" } else { "error" };
                tagged(serializer, name, &payload)
            }
            (Form::Option, None) => serializer.serialize_unit(),
            (Form::Option, Some(payload)) if !payload.layout.is_option() => {
                payload.serialize(serializer)
            }
            (_, None) => serializer.serialize_str(name),
            (_, Some(payload)) => tagged(serializer, name, &payload),
        }
    }
}

impl<'a> Serialize for InImage<'a> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (image, at) = (self.image, self.at);
        let part = |field: &'a Field| self.part(&field.layout, at + field.at);
        match &self.layout.kind {
            Kind::Scalar(scalar) => self.scalar(*scalar, serializer),
            Kind::Text => {
                let (begin, bytes) = piece(image, at);
                let text = str::from_utf8(&image[begin..begin + bytes]);
                serializer.serialize_str(text.map_err(S::Error::custom)?)
            }
            Kind::List(element) => {
                let (begin, elements) = piece(image, at);
                let place = |index: usize| begin + index * element.bytes as usize;
                serializer.collect_seq((0..elements).map(|index| self.part(element, place(index))))
            }
            Kind::Fields(fields) if fields.iter().any(|field| field.name.is_some()) => {
                let named =
                    |field: &'a Field| (field.name.as_deref().unwrap_or_default(), part(field));
                serializer.collect_map(fields.iter().map(named))
            }
            Kind::Fields(fields) => serializer.collect_seq(fields.iter().map(part)),
            Kind::Cases(cases) => self.case(cases, serializer),
            Kind::Flags(names) => {
                let is_set = |bit: usize| image[at + bit / 8] >> (bit % 8) & 1 == 1;
                let set = (0..names.len()).filter(|bit| is_set(*bit));
                serializer.collect_seq(set.map(|bit| &names[bit]))
            }
        }
    }
}
