//! Values from JSON and back, by their types.

use super::reader::{Malformed, Reader};
use super::writer::{close, push_float, push_integer, push_string, push_tag};

/// A type whose values are read from JSON and written as JSON.
pub trait Json: Sized {
    /// True for an option. An option around it is written as `{"some": value}`, since `null` is a value of its own.
    const IS_OPTION: bool = false;

    /// Reads a value.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed>;

    /// Writes the value at the end of a line.
    fn write(&self, line: &mut Vec<u8>);

    /// Returns the value of a record's field that is left out; `None` if it may not be.
    fn absent() -> Option<Self> {
        None
    }
}

/// The payload that is not there, or the answer of a function without a result.
impl Json for () {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        if reader.word("null") {
            return Ok(());
        }
        reader.fail("null")
    }

    fn write(&self, line: &mut Vec<u8>) {
        line.extend_from_slice(b"null");
    }
}

impl Json for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let is_true = reader.word("true");
        if is_true || reader.word("false") {
            return Ok(is_true);
        }
        reader.fail("true or false")
    }

    fn write(&self, line: &mut Vec<u8>) {
        let word: &[u8] = if *self { b"true" } else { b"false" };
        line.extend_from_slice(word);
    }
}

macro_rules! unsigned_integers {
    ($($ty:ident)*) => {
        $(impl Json for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                let (is_negative, value) = reader.integer()?;
                match Self::try_from(value) {
                    Ok(value) if !is_negative || value == 0 => Ok(value),
                    _ => reader.fail(concat!("an integer of type ", stringify!($ty))),
                }
            }

            fn write(&self, line: &mut Vec<u8>) {
                push_integer(line, false, u64::from(*self));
            }
        })*
    };
}

unsigned_integers!(u8 u16 u32 u64);

macro_rules! signed_integers {
    ($($ty:ident)*) => {
        $(impl Json for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                let (is_negative, value) = reader.integer()?;
                let value = if is_negative {
                    0_i64.checked_sub_unsigned(value)
                } else {
                    i64::try_from(value).ok()
                };
                match value.map(Self::try_from) {
                    Some(Ok(value)) => Ok(value),
                    _ => reader.fail(concat!("an integer of type ", stringify!($ty))),
                }
            }

            fn write(&self, line: &mut Vec<u8>) {
                push_integer(line, *self < 0, i64::from(*self).unsigned_abs());
            }
        })*
    };
}

signed_integers!(i8 i16 i32 i64);

macro_rules! floats {
    ($($ty:ident)*) => {
        $(impl Json for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                let expected = concat!("a number of type ", stringify!($ty), ", \"nan\", \"inf\" or \"-inf\"");
                if reader.peek() == Some(b'"') {
                    return match &*reader.string(expected)? {
                        b"nan" | b"NaN" => Ok(Self::NAN),
                        b"inf" | b"Infinity" => Ok(Self::INFINITY),
                        b"-inf" | b"-Infinity" => Ok(Self::NEG_INFINITY),
                        _ => reader.fail(expected),
                    };
                }
                let number = reader.number()?.parse();
                match number.ok().filter(|number: &Self| number.is_finite()) {
                    Some(number) => Ok(number),
                    None => reader.fail(expected),
                }
            }

            fn write(&self, line: &mut Vec<u8>) {
                push_float(line, *self);
            }
        })*
    };
}

floats!(f32 f64);

impl Json for String {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let bytes = reader.string("a string")?;
        match String::from_utf8(bytes.into_owned()) {
            Ok(text) => Ok(text),
            Err(_) => reader.fail("a string of UTF-8"),
        }
    }

    fn write(&self, line: &mut Vec<u8>) {
        push_string(line, self);
    }
}

impl Json for char {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        const EXPECTED: &str = "a string of one character";
        let bytes = reader.string(EXPECTED)?;
        let mut letters = std::str::from_utf8(&bytes).unwrap_or_default().chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(letter),
            _ => reader.fail(EXPECTED),
        }
    }

    fn write(&self, line: &mut Vec<u8>) {
        push_string(line, self.encode_utf8(&mut [0; 4]));
    }
}

impl<T: Json> Json for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        reader.expect(b'[', "an array")?;
        let mut items = Vec::new();
        while reader.has_item(items.len(), b']')? {
            items.push(T::read(reader)?);
        }
        Ok(items)
    }

    fn write(&self, line: &mut Vec<u8>) {
        line.push(b'[');
        for item in self {
            item.write(line);
            line.push(b',');
        }
        close(line, b']');
    }
}

impl<T: Json> Json for Option<T> {
    const IS_OPTION: bool = true;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        const EXPECTED: &str = "null or {\"some\": value}";
        if reader.word("null") {
            return Ok(None);
        }
        if !T::IS_OPTION {
            return T::read(reader).map(Some);
        }
        if *reader.tag(EXPECTED)? != *b"some" {
            return reader.fail(EXPECTED);
        }
        let value = T::read(reader)?;
        reader.end_tag()?;
        Ok(Some(value))
    }

    fn write(&self, line: &mut Vec<u8>) {
        match self {
            None => ().write(line),
            Some(value) if T::IS_OPTION => write_tagged(line, "some", value),
            Some(value) => value.write(line),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Json, E: Json> Json for Result<T, E> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        const EXPECTED: &str = "{\"ok\": value} or {\"error\": value}";
        let result = match &*reader.tag(EXPECTED)? {
            b"ok" => Ok(T::read(reader)?),
            b"error" => Err(E::read(reader)?),
            _ => return reader.fail(EXPECTED),
        };
        reader.end_tag()?;
        Ok(result)
    }

    fn write(&self, line: &mut Vec<u8>) {
        match self {
            Ok(value) => write_tagged(line, "ok", value),
            Err(error) => write_tagged(line, "error", error),
        }
    }
}

/// Writes an object of one field.
pub fn write_tagged(line: &mut Vec<u8>, name: &str, value: &impl Json) {
    push_tag(line, name);
    value.write(line);
    line.push(b'}');
}

/// Implements [`Json`] for tuples of so many items: `tuple!(A 0, B 1)`.
macro_rules! tuple {
    ($($item:ident $place:tt),+) => {
        impl<$($item: Json),+> Json for ($($item,)+) {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                reader.expect(b'[', "an array")?;
                let items = ($(
                    {
                        reader.item($place)?;
                        $item::read(reader)?
                    },
                )+);
                reader.expect(b']', "the end of the array")?;
                Ok(items)
            }

            fn write(&self, line: &mut Vec<u8>) {
                line.push(b'[');
                $(
                    self.$place.write(line);
                    line.push(b',');
                )+
                close(line, b']');
            }
        }
    };
}

/// Implements [`Json`] for a record: `record!(Person { name = "name", nick_name = "nick-name" })`.
macro_rules! record {
    ($ty:path { $($field:ident = $name:literal),+ $(,)? }) => {
        impl Json for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                $(let mut $field = None;)+
                let mut count = 0;
                reader.expect(b'{', "an object")?;
                while let Some(name) = reader.field(count)? {
                    count += 1;
                    $(
                        if *name == *$name.as_bytes() {
                            if $field.replace(Json::read(reader)?).is_some() {
                                return reader.fail(concat!("the field `", $name, "` once"));
                            }
                            continue;
                        }
                    )+
                    return reader.fail(concat!("a field of ", $("`", $name, "` "),+));
                }
                Ok(Self {
                    $($field: match $field.or_else(Json::absent) {
                        Some(value) => value,
                        None => return reader.fail(concat!("the field `", $name, "` before this")),
                    },)+
                })
            }

            fn write(&self, line: &mut Vec<u8>) {
                line.push(b'{');
                $(
                    line.extend_from_slice(concat!("\"", $name, "\":").as_bytes());
                    self.$field.write(line);
                    line.push(b',');
                )+
                close(line, b'}');
            }
        }
    };
}

/// Implements [`Json`] for a variant, or an enum, whose cases hold nothing:
/// `variant!(Figure { Dot = "dot" } { Circle = "circle" })`, the cases that hold a value in the second braces.
macro_rules! variant {
    ($ty:path { $($case:ident = $name:literal),* $(,)? } { $($holder:ident = $tag:literal),* $(,)? }) => {
        impl Json for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                const EXPECTED: &str = concat!("a case of ", $("`", $name, "` ",)* $("`{\"", $tag, "\": payload}` ",)*);
                if reader.peek() == Some(b'"') {
                    let name = reader.string(EXPECTED)?;
                    $(
                        if *name == *$name.as_bytes() {
                            return Ok(Self::$case);
                        }
                    )*
                    return reader.fail(EXPECTED);
                }
                let tag = reader.tag(EXPECTED)?;
                $(
                    if *tag == *$tag.as_bytes() {
                        let payload = Json::read(reader)?;
                        reader.end_tag()?;
                        return Ok(Self::$holder(payload));
                    }
                )*
                let _ = tag;
                reader.fail(EXPECTED)
            }

            fn write(&self, line: &mut Vec<u8>) {
                match self {
                    $(Self::$case => line.extend_from_slice(concat!("\"", $name, "\"").as_bytes()),)*
                    $(Self::$holder(payload) => write_tagged(line, $tag, payload),)*
                }
            }
        }
    };
}

/// Implements [`Json`] for flags: `flags!(Rights { READ = "read" })`.
macro_rules! flags {
    ($ty:path { $($flag:ident = $name:literal),* $(,)? }) => {
        impl Json for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                const EXPECTED: &str = concat!("each once of ", $("`", $name, "` "),*);
                let mut flags = Self::empty();
                let mut count = 0;
                reader.expect(b'[', "an array")?;
                while reader.has_item(count, b']')? {
                    count += 1;
                    let name = reader.string(EXPECTED)?;
                    let flag = match &*name {
                        $(name if *name == *$name.as_bytes() => Self::$flag,)*
                        _ => return reader.fail(EXPECTED),
                    };
                    if flags.contains(flag) {
                        return reader.fail(EXPECTED);
                    }
                    flags.insert(flag);
                }
                Ok(flags)
            }

            fn write(&self, line: &mut Vec<u8>) {
                line.push(b'[');
                $(
                    if self.contains(Self::$flag) {
                        line.extend_from_slice(concat!("\"", $name, "\",").as_bytes());
                    }
                )*
                close(line, b']');
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

#[cfg(test)]
mod tests;
