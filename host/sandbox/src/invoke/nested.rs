//! Values of nested types, in a compact form.
//!
//! A `Val` takes 40 bytes for each byte of a list, and has an allocation of its own for each string of
//! one. Here a value is one vector of bytes. At first it holds what lies in memory by the canonical ABI,
//! pointers being offsets in the vector; then the bytes of its strings and lists, each followed by those
//! of its own elements, in the order in which the canonical ABI asks for their memory. All other bytes
//! are 0, so that equal values are equal bytes.

use super::layout::{Cases, Field, Form, Kind, Layout, named_bits};
use super::scalar::{Scalar, canonical};
use std::borrow::Cow;
use std::sync::Arc;
use wasmtime::component::Val;

/// A value of a nested type.
#[derive(Clone, Debug)]
pub struct Nested {
    pub(super) layout: Arc<Layout>,
    pub(super) image: Vec<u8>,
}

impl Nested {
    /// Converts a dynamic value; `None` if it is not of this layout.
    pub(super) fn from_val(val: &Val, layout: &Arc<Layout>) -> Option<Self> {
        let mut image = vec![0; layout.bytes as usize];
        put(val, layout, &mut image, 0)?;
        let layout = Arc::clone(layout);
        Some(Self { layout, image })
    }

    /// Converts the value for the engine's dynamic calls.
    pub(super) fn to_val(&self) -> Val {
        val_at(&self.layout, &self.image, 0)
    }

    /// Returns the bytes of the value, in which all numbers that count as the same answer are the same.
    fn canonical(&self) -> Cow<'_, [u8]> {
        if !self.layout.has_floats {
            return Cow::Borrowed(&self.image);
        }
        let mut image = self.image.clone();
        make_canonical(&self.layout, &mut image, 0);
        Cow::Owned(image)
    }

    /// Returns true if two values are the same. Numbers are compared by value, NaN being one of them.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.layout == other.layout && self.canonical() == other.canonical()
    }

    /// Returns the number of strings and lists in it.
    pub(super) fn pieces(&self) -> u64 {
        pieces(&self.layout, &self.image, 0)
    }
}

/// Reads an unsigned number of 1, 2, 4 or 8 bytes.
#[inline]
pub(super) fn number(image: &[u8], at: usize, bytes: usize) -> u64 {
    match bytes {
        1 => u64::from(image[at]),
        2 => u64::from(u16::from_le_bytes(array(image, at))),
        4 => u64::from(u32::from_le_bytes(array(image, at))),
        _ => u64::from_le_bytes(array(image, at)),
    }
}

#[inline]
fn array<const N: usize>(image: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&image[at..at + N]);
    bytes
}

/// Reads an offset or a number of elements.
#[inline]
pub(super) fn word(image: &[u8], at: usize) -> usize {
    u32::from_le_bytes(array(image, at)) as usize
}

/// Returns where a string or list begins, and how many elements it has.
#[inline]
pub(super) fn piece(image: &[u8], at: usize) -> (usize, usize) {
    (word(image, at), word(image, at + 4))
}

/// Appends room for a string or list, and writes where it is; `None` if offsets are too short for it.
pub(super) fn push_piece(
    image: &mut Vec<u8>,
    at: usize,
    elements: usize,
    bytes: usize,
) -> Option<usize> {
    let begin = image.len();
    u32::try_from(begin.checked_add(bytes)?).ok()?;
    image[at..at + 4].copy_from_slice(&(begin as u32).to_le_bytes());
    image[at + 4..at + 8].copy_from_slice(&u32::try_from(elements).ok()?.to_le_bytes());
    image.resize(begin + bytes, 0);
    Some(begin)
}

impl Cases {
    /// Returns the payload of the case that an image holds.
    pub(super) fn present(&self, image: &[u8], at: usize) -> Option<&Layout> {
        let tag = number(image, at, self.tag_bytes) as usize;
        self.all[tag].1.as_ref()
    }
}

/// Calls `visit` with the parts of a value that are not lists, and where they are.
fn each_part(layout: &Layout, image: &[u8], at: usize, visit: &mut impl FnMut(&Layout, usize)) {
    match &layout.kind {
        Kind::Scalar(_) | Kind::Text | Kind::Flags(_) => visit(layout, at),
        Kind::List(element) => {
            visit(layout, at);
            if element.has_pieces || element.has_floats {
                let (begin, elements) = piece(image, at);
                for index in 0..elements {
                    let at = begin + index * element.bytes as usize;
                    each_part(element, image, at, visit);
                }
            }
        }
        Kind::Fields(fields) => {
            for field in fields {
                each_part(&field.layout, image, at + field.at, visit);
            }
        }
        Kind::Cases(cases) => {
            if let Some(payload) = cases.present(image, at) {
                each_part(payload, image, at + cases.payload_at, visit);
            }
        }
    }
}

fn pieces(layout: &Layout, image: &[u8], at: usize) -> u64 {
    let mut count = 0;
    each_part(layout, image, at, &mut |part, _| {
        count += u64::from(matches!(part.kind, Kind::Text | Kind::List(_)));
    });
    count
}

fn make_canonical(layout: &Layout, image: &mut [u8], at: usize) {
    let mut floats = Vec::new();
    each_part(layout, image, at, &mut |part, at| {
        if let Kind::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) = part.kind {
            floats.push((scalar, at));
        }
    });
    for (scalar, at) in floats {
        match scalar {
            Scalar::F32 => {
                let value = f32::from_bits(word(image, at) as u32);
                let value = canonical(f64::from(value)) as f32;
                image[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            _ => {
                let value = canonical(f64::from_bits(number(image, at, 8)));
                image[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
}

/// Writes a value to its place in an image, and its strings and lists at the end.
fn put(val: &Val, layout: &Layout, image: &mut Vec<u8>, at: usize) -> Option<()> {
    match (&layout.kind, val) {
        (Kind::Scalar(scalar), val) => put_scalar(val, *scalar, image, at)?,
        (Kind::Text, Val::String(text)) => {
            let begin = push_piece(image, at, text.len(), text.len())?;
            image[begin..].copy_from_slice(text.as_bytes());
        }
        (Kind::List(element), Val::List(items)) => {
            let bytes = element.bytes as usize;
            let begin = push_piece(image, at, items.len(), items.len().checked_mul(bytes)?)?;
            for (index, item) in items.iter().enumerate() {
                put(item, element, image, begin + index * bytes)?;
            }
        }
        (Kind::Fields(fields), Val::Record(items)) if fields.len() == items.len() => {
            for (field, (name, item)) in fields.iter().zip(items) {
                (field.name.as_ref() == Some(name)).then_some(())?;
                put(item, &field.layout, image, at + field.at)?;
            }
        }
        (Kind::Fields(fields), Val::Tuple(items)) if fields.len() == items.len() => {
            for (field, item) in fields.iter().zip(items) {
                field.name.is_none().then_some(())?;
                put(item, &field.layout, image, at + field.at)?;
            }
        }
        (Kind::Cases(cases), val) => {
            let (name, payload) = match (cases.form, val) {
                (Form::Variant, Val::Variant(name, payload)) => (name.as_str(), payload.as_deref()),
                (Form::Enum, Val::Enum(name)) => (name.as_str(), None),
                (Form::Option, Val::Option(None)) => ("none", None),
                (Form::Option, Val::Option(some)) => ("some", some.as_deref()),
                (Form::Result, Val::Result(Ok(ok))) => ("ok", ok.as_deref()),
                (Form::Result, Val::Result(Err(err))) => ("err", err.as_deref()),
                _ => return None,
            };
            let tag = cases.all.iter().position(|(case, _)| case == name)?;
            let tag_bytes = cases.tag_bytes;
            image[at..at + tag_bytes].copy_from_slice(&(tag as u64).to_le_bytes()[..tag_bytes]);
            match (&cases.all[tag].1, payload) {
                (Some(layout), Some(payload)) => {
                    put(payload, layout, image, at + cases.payload_at)?;
                }
                (None, None) => {}
                _ => return None,
            }
        }
        (Kind::Flags(all), Val::Flags(names)) => {
            for name in names {
                let bit = all.iter().position(|flag| flag == name)?;
                image[at + bit / 8] |= 1 << (bit % 8);
            }
        }
        _ => return None,
    }
    Some(())
}

fn put_scalar(val: &Val, scalar: Scalar, image: &mut [u8], at: usize) -> Option<()> {
    let mut put = |bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    match (scalar, val) {
        (Scalar::Bool, Val::Bool(value)) => put(&[u8::from(*value)]),
        (Scalar::S8, Val::S8(value)) => put(&value.to_le_bytes()),
        (Scalar::U8, Val::U8(value)) => put(&value.to_le_bytes()),
        (Scalar::S16, Val::S16(value)) => put(&value.to_le_bytes()),
        (Scalar::U16, Val::U16(value)) => put(&value.to_le_bytes()),
        (Scalar::S32, Val::S32(value)) => put(&value.to_le_bytes()),
        (Scalar::U32, Val::U32(value)) => put(&value.to_le_bytes()),
        (Scalar::S64, Val::S64(value)) => put(&value.to_le_bytes()),
        (Scalar::U64, Val::U64(value)) => put(&value.to_le_bytes()),
        (Scalar::F32, Val::Float32(value)) => put(&value.to_le_bytes()),
        (Scalar::F64, Val::Float64(value)) => put(&value.to_le_bytes()),
        (Scalar::Char, Val::Char(value)) => put(&u32::from(*value).to_le_bytes()),
        _ => return None,
    }
    Some(())
}

fn val_at(layout: &Layout, image: &[u8], at: usize) -> Val {
    match &layout.kind {
        Kind::Scalar(scalar) => scalar_at(*scalar, image, at),
        Kind::Text => {
            let (begin, bytes) = piece(image, at);
            Val::String(String::from_utf8_lossy(&image[begin..begin + bytes]).into_owned())
        }
        Kind::List(element) => {
            let (begin, elements) = piece(image, at);
            let item = |index| val_at(element, image, begin + index * element.bytes as usize);
            Val::List((0..elements).map(item).collect())
        }
        Kind::Fields(fields) => {
            let val = |field: &Field| val_at(&field.layout, image, at + field.at);
            let named = |field: &Field| Some((field.name.clone()?, val(field)));
            match fields.iter().map(named).collect() {
                Some(named) => Val::Record(named),
                None => Val::Tuple(fields.iter().map(val).collect()),
            }
        }
        Kind::Cases(cases) => {
            let tag = number(image, at, cases.tag_bytes) as usize;
            let name = || cases.all[tag].0.clone();
            let payload = cases.present(image, at);
            let payload =
                payload.map(|layout| Box::new(val_at(layout, image, at + cases.payload_at)));
            match (cases.form, tag) {
                (Form::Variant, _) => Val::Variant(name(), payload),
                (Form::Enum, _) => Val::Enum(name()),
                (Form::Option, _) => Val::Option(payload),
                (Form::Result, 0) => Val::Result(Ok(payload)),
                (Form::Result, _) => Val::Result(Err(payload)),
            }
        }
        Kind::Flags(names) => {
            let is_set = |bit: usize| image[at + bit / 8] >> (bit % 8) & 1 == 1;
            let names = names.iter().enumerate();
            let set = names.filter(|(bit, _)| is_set(*bit));
            Val::Flags(set.map(|(_, name)| name.clone()).collect())
        }
    }
}

fn scalar_at(scalar: Scalar, image: &[u8], at: usize) -> Val {
    let bits = number(image, at, scalar.bytes() as usize);
    match scalar {
        Scalar::Bool => Val::Bool(bits != 0),
        Scalar::S8 => Val::S8(bits as i8),
        Scalar::U8 => Val::U8(bits as u8),
        Scalar::S16 => Val::S16(bits as i16),
        Scalar::U16 => Val::U16(bits as u16),
        Scalar::S32 => Val::S32(bits as i32),
        Scalar::U32 => Val::U32(bits as u32),
        Scalar::S64 => Val::S64(bits as i64),
        Scalar::U64 => Val::U64(bits),
        Scalar::F32 => Val::Float32(f32::from_bits(bits as u32)),
        Scalar::F64 => Val::Float64(f64::from_bits(bits)),
        Scalar::Char => Val::Char(char::from_u32(bits as u32).unwrap_or_default()),
    }
}

/// Writes flags without the bits that have no name.
pub(super) fn put_flags(names: usize, from: &[u8], to: &mut [u8]) {
    for (byte, (from, to)) in from.iter().zip(to).enumerate() {
        *to = from & named_bits(names, byte);
    }
}
