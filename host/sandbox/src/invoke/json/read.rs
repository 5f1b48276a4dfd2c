//! Values from JSON: scalars and lists of them straight into vectors, nested values into their images.

use super::super::layout::{Cases, Field, Form, Kind, Layout};
use super::super::nested::{Nested, push_piece};
use super::super::scalar::Scalar;
use super::super::shape::Shape;
use super::super::value::Value;
use super::error::{Fault, shortened};
use super::reader::Reader;
use bakeoff_domain::wording;
use std::sync::Arc;

/// Reads a value of this shape.
pub(super) fn value(reader: &mut Reader<'_>, shape: &Shape) -> Result<Value, Fault> {
    macro_rules! by_type {
        ($($scalar:ident $list:ident),* $(,)?) => {
            match shape {
                $(
                    Shape::Scalar(Scalar::$scalar) => FromJson::read(reader).map(Value::$scalar),
                    Shape::List(Scalar::$scalar) => list(reader).map(Value::$list),
                )*
                Shape::Text => text(reader).map(Value::Text),
                Shape::Tuple(shapes) => tuple(reader, shapes).map(Value::Tuple),
                Shape::Outcome => outcome(reader).map(Value::Outcome),
                Shape::Nested(layout) => nested(reader, layout).map(Value::Nested),
            }
        };
    }
    by_type! {
        Bool BoolList, S8 S8List, U8 U8List, S16 S16List, U16 U16List, S32 S32List, U32 U32List,
        S64 S64List, U64 U64List, F32 F32List, F64 F64List, Char CharList,
    }
}

/// Reads the answer of a function that has no result.
pub(super) fn nothing(reader: &mut Reader<'_>) -> Result<(), Fault> {
    if !reader.word("null") {
        return Err(reader.expected("null, as the function has no result"));
    }
    Ok(())
}

/// A scalar that is read from one token.
trait FromJson: Sized {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault>;
}

macro_rules! integers {
    ($($ty:ident $wit:literal),* $(,)?) => {
        $(impl FromJson for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                let before = *reader;
                // No unsigned number of Rust has a sign.
                let digits = reader.number().map(|digits| if digits == "-0" { "0" } else { digits });
                digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
                    before.expected(&format!("an integer from {} to {} ({})", Self::MIN, Self::MAX, $wit))
                })
            }
        })*
    };
}

integers! {
    i8 "s8", u8 "u8", i16 "s16", u16 "u16", i32 "s32", u32 "u32", i64 "s64", u64 "u64",
}

macro_rules! floats {
    ($($ty:ident),*) => {
        $(impl FromJson for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                let before = *reader;
                let Some(digits) = reader.number() else {
                    return match reader.string().as_deref() {
                        Some("nan" | "NaN") => Ok(Self::NAN),
                        Some("inf" | "Infinity") => Ok(Self::INFINITY),
                        Some("-inf" | "-Infinity") => Ok(Self::NEG_INFINITY),
                        _ => Err(before.expected(concat!(
                            "a number (", stringify!($ty), r#"), "nan", "inf" or "-inf""#
                        ))),
                    };
                };
                let number = digits.parse().ok().filter(|number: &Self| number.is_finite());
                number.ok_or_else(|| {
                    before.expected(&format!("a number up to {:e} ({})", Self::MAX, stringify!($ty)))
                })
            }
        })*
    };
}

floats!(f32, f64);

impl FromJson for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let is_true = reader.word("true");
        if !is_true && !reader.word("false") {
            return Err(reader.expected("true or false"));
        }
        Ok(is_true)
    }
}

impl FromJson for char {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let before = *reader;
        let text = reader.string().unwrap_or_default();
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(letter),
            _ => Err(before.expected("a string of one character")),
        }
    }
}

fn text(reader: &mut Reader<'_>) -> Result<String, Fault> {
    let before = *reader;
    let text = reader.string();
    text.map(String::from)
        .ok_or_else(|| before.expected("a string"))
}

fn list<T: FromJson>(reader: &mut Reader<'_>) -> Result<Vec<T>, Fault> {
    let mut items = Vec::new();
    reader.array(|reader, _| {
        items.push(T::read(reader)?);
        Ok(())
    })?;
    Ok(items)
}

fn tuple(reader: &mut Reader<'_>, shapes: &[Shape]) -> Result<Vec<Value>, Fault> {
    let mut items = Vec::with_capacity(shapes.len());
    array_of(reader, shapes.len(), |reader, index| {
        items.push(value(reader, &shapes[index])?);
        Ok(())
    })?;
    Ok(items)
}

/// Reads an array of exactly this many elements.
fn array_of(
    reader: &mut Reader<'_>,
    length: usize,
    element: impl FnMut(&mut Reader<'_>, usize) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if reader.elements() != Some(length) {
        let elements = wording::counted(length, "element");
        return Err(reader.expected(&format!("an array of {elements}")));
    }
    reader.array(element)
}

fn outcome(reader: &mut Reader<'_>) -> Result<Result<(), String>, Fault> {
    let mut outcome = Ok(());
    tagged(reader, RESULT, result_case, |reader, case| {
        if case == 0 {
            return no_payload(reader);
        }
        outcome = Err(text(reader)?);
        Ok(())
    })?;
    Ok(outcome)
}

fn nested(reader: &mut Reader<'_>, layout: &Arc<Layout>) -> Result<Nested, Fault> {
    let mut image = vec![0; layout.bytes as usize];
    put(reader, layout, &mut image, 0)?;
    let layout = Arc::clone(layout);
    Ok(Nested { layout, image })
}

/// Reads a value to its place in an image, and its strings and lists to the end, in the order of their types.
fn put(
    reader: &mut Reader<'_>,
    layout: &Layout,
    image: &mut Vec<u8>,
    at: usize,
) -> Result<(), Fault> {
    match &layout.kind {
        Kind::Scalar(scalar) => put_scalar(reader, *scalar, &mut image[at..]),
        Kind::Text => {
            let text = text(reader)?;
            let begin = push_piece(image, at, text.len(), text.len()).ok_or_else(too_long)?;
            image[begin..].copy_from_slice(text.as_bytes());
            Ok(())
        }
        Kind::List(element) => {
            let elements = reader.elements();
            let elements = elements.ok_or_else(|| reader.expected("an array"))?;
            let each = element.bytes as usize;
            let bytes = elements.checked_mul(each).ok_or_else(too_long)?;
            let begin = push_piece(image, at, elements, bytes).ok_or_else(too_long)?;
            reader.array(|reader, index| put(reader, element, image, begin + index * each))
        }
        Kind::Fields(fields) if fields.iter().any(|field| field.name.is_some()) => {
            put_record(reader, fields, image, at)
        }
        Kind::Fields(fields) => array_of(reader, fields.len(), |reader, index| {
            put(reader, &fields[index].layout, image, at + fields[index].at)
        }),
        Kind::Cases(cases) => put_case(reader, cases, image, at),
        Kind::Flags(names) => put_flags(reader, names, &mut image[at..]),
    }
}

fn too_long() -> Fault {
    Fault::new("longer than what fits into a guest's memory".to_owned())
}

fn put_scalar(reader: &mut Reader<'_>, scalar: Scalar, to: &mut [u8]) -> Result<(), Fault> {
    let mut put = |bytes: &[u8]| to[..bytes.len()].copy_from_slice(bytes);
    match scalar {
        Scalar::Bool => put(&[u8::from(bool::read(reader)?)]),
        Scalar::S8 => put(&i8::read(reader)?.to_le_bytes()),
        Scalar::U8 => put(&u8::read(reader)?.to_le_bytes()),
        Scalar::S16 => put(&i16::read(reader)?.to_le_bytes()),
        Scalar::U16 => put(&u16::read(reader)?.to_le_bytes()),
        Scalar::S32 => put(&i32::read(reader)?.to_le_bytes()),
        Scalar::U32 => put(&u32::read(reader)?.to_le_bytes()),
        Scalar::S64 => put(&i64::read(reader)?.to_le_bytes()),
        Scalar::U64 => put(&u64::read(reader)?.to_le_bytes()),
        Scalar::F32 => put(&f32::read(reader)?.to_le_bytes()),
        Scalar::F64 => put(&f64::read(reader)?.to_le_bytes()),
        Scalar::Char => put(&u32::from(char::read(reader)?).to_le_bytes()),
    }
    Ok(())
}

/// Finds the fields, which may stand in any order, and reads them in that of their type.
fn put_record(
    reader: &mut Reader<'_>,
    fields: &[Field],
    image: &mut Vec<u8>,
    at: usize,
) -> Result<(), Fault> {
    let mut found: Vec<Option<Reader<'_>>> = vec![None; fields.len()];
    reader.object("an object", |reader, name| {
        let place = fields
            .iter()
            .position(|field| field.name.as_deref() == Some(name));
        let place = place.ok_or_else(|| {
            let name = shortened(name);
            Fault::new(format!("there is no field `{name}`"))
        })?;
        if found[place].replace(*reader).is_some() {
            return Err(Fault::new(format!("the field `{name}` is there twice")));
        }
        reader.skip();
        Ok(())
    })?;
    for (field, found) in fields.iter().zip(found) {
        let name = field.name.as_deref().unwrap_or_default();
        if let Some(mut reader) = found {
            put(&mut reader, &field.layout, image, at + field.at)
                .map_err(|fault| fault.in_field(name))?;
        } else if !field.layout.is_option() {
            return Err(Fault::new(format!("the field `{name}` is missing")));
        }
    }
    Ok(())
}

fn put_case(
    reader: &mut Reader<'_>,
    cases: &Cases,
    image: &mut Vec<u8>,
    at: usize,
) -> Result<(), Fault> {
    match cases.form {
        Form::Option if reader.word("null") => Ok(()),
        Form::Option => put_some(reader, cases, image, at),
        Form::Result => tagged(reader, RESULT, result_case, |reader, case| {
            put_payload(reader, cases, case, image, at)
        }),
        Form::Enum => put_named_case(reader, cases, image, at),
        Form::Variant => put_variant(reader, cases, image, at),
    }
}

fn put_variant(
    reader: &mut Reader<'_>,
    cases: &Cases,
    image: &mut Vec<u8>,
    at: usize,
) -> Result<(), Fault> {
    let mut ahead = *reader;
    if ahead.string().is_some() {
        return put_named_case(reader, cases, image, at);
    }
    let find = |name: &str| cases.all.iter().position(|(case, _)| case == name);
    let wanted = r#"a case: "name", or {"name": payload}"#;
    tagged(reader, wanted, find, |reader, case| {
        put_payload(reader, cases, case, image, at)
    })
}

/// Reads the value of an option that is there.
fn put_some(
    reader: &mut Reader<'_>,
    cases: &Cases,
    image: &mut Vec<u8>,
    at: usize,
) -> Result<(), Fault> {
    /// The number of the case `some`, after `none`.
    const SOME: usize = 1;
    let payload = cases.all.get(SOME).and_then(|(_, layout)| layout.as_ref());
    if !payload.is_some_and(Layout::is_option) {
        return put_payload(reader, cases, SOME, image, at);
    }
    let find = |name: &str| (name == "some").then_some(SOME);
    tagged(
        reader,
        r#"null or {"some": value}"#,
        find,
        |reader, case| put_payload(reader, cases, case, image, at),
    )
}

/// Reads the name of a case that has no payload.
fn put_named_case(
    reader: &mut Reader<'_>,
    cases: &Cases,
    image: &mut [u8],
    at: usize,
) -> Result<(), Fault> {
    let before = *reader;
    let name = reader.string();
    let is_named = |(case, _): &(String, _)| Some(case.as_str()) == name.as_deref();
    let Some(case) = cases.all.iter().position(is_named) else {
        let names: Vec<&str> = cases.all.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        return Err(before.expected(&format!("one of {}", shortened(&names))));
    };
    if cases.all[case].1.is_some() {
        let name = &cases.all[case].0;
        return Err(before.expected(&format!(r#"{{"{name}": payload}}"#)));
    }
    put_tag(cases, case, image, at);
    Ok(())
}

/// Writes which case it is, and reads its payload, which is `null` if it has none.
fn put_payload(
    reader: &mut Reader<'_>,
    cases: &Cases,
    case: usize,
    image: &mut Vec<u8>,
    at: usize,
) -> Result<(), Fault> {
    put_tag(cases, case, image, at);
    match &cases.all[case] {
        (_, Some(layout)) => put(reader, layout, image, at + cases.payload_at),
        (_, None) if cases.form == Form::Result => no_payload(reader),
        (name, None) => Err(Fault::new(format!(
            r#"the case has no payload: it is written "{name}""#
        ))),
    }
}

fn put_tag(cases: &Cases, case: usize, image: &mut [u8], at: usize) {
    let tag = &(case as u64).to_le_bytes()[..cases.tag_bytes];
    image[at..at + tag.len()].copy_from_slice(tag);
}

fn no_payload(reader: &mut Reader<'_>) -> Result<(), Fault> {
    if !reader.word("null") {
        return Err(reader.expected("null"));
    }
    Ok(())
}

/// The JSON of a result.
const RESULT: &str = r#"{"ok": value} or {"error": value}"#;

fn result_case(name: &str) -> Option<usize> {
    ["ok", "error"].iter().position(|case| *case == name)
}

/// Reads an object of one field, whose name says which case it is.
fn tagged(
    reader: &mut Reader<'_>,
    wanted: &str,
    find: impl Fn(&str) -> Option<usize>,
    mut payload: impl FnMut(&mut Reader<'_>, usize) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let before = *reader;
    let mut is_read = false;
    reader.object(wanted, |reader, name| {
        let case = find(name).filter(|_| !is_read);
        let case = case.ok_or_else(|| before.expected(wanted))?;
        is_read = true;
        payload(reader, case).map_err(|fault| fault.in_field(name))
    })?;
    if !is_read {
        return Err(before.expected(wanted));
    }
    Ok(())
}

fn put_flags(reader: &mut Reader<'_>, names: &[String], to: &mut [u8]) -> Result<(), Fault> {
    reader.array(|reader, _| {
        let before = *reader;
        let flag = reader.string();
        let is_named = |name: &String| Some(name.as_str()) == flag.as_deref();
        let Some(bit) = names.iter().position(is_named) else {
            let names = names.join(", ");
            return Err(before.expected(&format!("one of {}", shortened(&names))));
        };
        let (byte, mask) = (bit / 8, 1 << (bit % 8));
        if to[byte] & mask != 0 {
            return Err(Fault::new(format!(
                "the flag `{}` is there twice",
                names[bit]
            )));
        }
        to[byte] |= mask;
        Ok(())
    })
}
