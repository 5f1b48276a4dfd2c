//! The layout of nested types in memory, by the canonical ABI.

use super::scalar::Scalar;
use wasmtime::component::{Type, types};

/// The greatest bytes of a discriminant or of flags that are not words.
const WORD_BYTES: u32 = 4;

/// A type, and how it lies in memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) kind: Kind,
    /// Bytes in memory, padded to the alignment.
    pub(super) bytes: u32,
    /// Alignment in memory, in bytes.
    pub(super) align: u32,
    /// The number of core values when it is passed flat.
    pub(super) flat_count: usize,
    /// True if the type has a string or a list in it.
    pub(super) has_pieces: bool,
    /// True if the type is numbers without a gap, of which all bits mean something: copied as one
    /// block.
    pub(super) is_solid: bool,
    /// True if the type has a float in it.
    pub(super) has_floats: bool,
}

/// The structure of a type: a scalar, or parts with layouts of their own.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar(Scalar),
    Text,
    List(Box<Layout>),
    /// A record, or a tuple, whose fields have no names.
    Fields(Vec<Field>),
    /// One of several cases.
    Cases(Cases),
    /// The names of flags.
    Flags(Vec<String>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: Option<String>,
    /// Offset from the first byte of the whole, in bytes.
    pub(super) at: usize,
    pub(super) layout: Layout,
}

/// Cases with a discriminant before them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cases {
    pub(super) form: Form,
    /// Names and payloads.
    pub(super) all: Vec<(String, Option<Layout>)>,
    /// Bytes of the discriminant.
    pub(super) tag_bytes: usize,
    /// Offset of the payload from the first byte of the whole, in bytes.
    pub(super) payload_at: usize,
}

/// The notation of a type with cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Variant,
    Enum,
    Option,
    Result,
}

impl Layout {
    /// Returns the layout of a type; `None` if it holds a handle, or is a map.
    pub(super) fn of(ty: &Type) -> Option<Self> {
        Some(match ty {
            Type::String => Self::pair(Kind::Text, false),
            Type::List(list) => {
                let element = Self::of(&list.ty())?;
                let has_floats = element.has_floats;
                Self::pair(Kind::List(Box::new(element)), has_floats)
            }
            Type::Record(record) => Self::fields(
                record
                    .fields()
                    .map(|field| Some((Some(field.name.to_owned()), Self::of(&field.ty)?)))
                    .collect::<Option<_>>()?,
            ),
            Type::Tuple(tuple) => Self::fields(
                tuple
                    .types()
                    .map(|ty| Some((None, Self::of(&ty)?)))
                    .collect::<Option<_>>()?,
            ),
            Type::Variant(variant) => Self::cases(
                Form::Variant,
                variant
                    .cases()
                    .map(|case| Some((case.name.to_owned(), Self::payload(case.ty)?)))
                    .collect::<Option<_>>()?,
            ),
            Type::Enum(names) => Self::cases(
                Form::Enum,
                names.names().map(|name| (name.to_owned(), None)).collect(),
            ),
            Type::Option(option) => {
                let some = Self::of(&option.ty())?;
                let cases = vec![("none".to_owned(), None), ("some".to_owned(), Some(some))];
                Self::cases(Form::Option, cases)
            }
            Type::Result(result) => Self::result(result)?,
            Type::Flags(flags) if flags.names().len() <= 32 => {
                Self::flags(flags.names().map(str::to_owned).collect())
            }
            other => Self::scalar(Scalar::of(other)?),
        })
    }

    /// Returns the most strings and lists of a value; `None` if there is no such number, as of a list of strings.
    pub(super) fn pieces_max(&self) -> Option<u64> {
        match &self.kind {
            Kind::Scalar(_) | Kind::Flags(_) => Some(0),
            Kind::Text => Some(1),
            Kind::List(element) => (!element.has_pieces).then_some(1),
            Kind::Fields(fields) => fields.iter().map(|field| field.layout.pieces_max()).sum(),
            Kind::Cases(cases) => {
                let payloads = cases.all.iter().filter_map(|(_, payload)| payload.as_ref());
                payloads
                    .map(Self::pieces_max)
                    .try_fold(0, |most, next| Some(next?.max(most)))
            }
        }
    }

    /// Returns true if it is that of an option.
    pub(super) fn is_option(&self) -> bool {
        matches!(&self.kind, Kind::Cases(cases) if cases.form == Form::Option)
    }

    fn payload(ty: Option<Type>) -> Option<Option<Self>> {
        match ty {
            Some(ty) => Self::of(&ty).map(Some),
            None => Some(None),
        }
    }

    fn result(result: &types::ResultType) -> Option<Self> {
        let ok = ("ok".to_owned(), Self::payload(result.ok())?);
        let err = ("err".to_owned(), Self::payload(result.err())?);
        Some(Self::cases(Form::Result, vec![ok, err]))
    }

    fn scalar(scalar: Scalar) -> Self {
        Self {
            bytes: scalar.bytes(),
            align: scalar.bytes(),
            flat_count: 1,
            has_pieces: false,
            is_solid: !matches!(scalar, Scalar::Bool | Scalar::Char),
            has_floats: matches!(scalar, Scalar::F32 | Scalar::F64),
            kind: Kind::Scalar(scalar),
        }
    }

    /// A pointer and a length.
    fn pair(kind: Kind, has_floats: bool) -> Self {
        Self {
            kind,
            bytes: 8,
            align: 4,
            flat_count: 2,
            has_pieces: true,
            is_solid: false,
            has_floats,
        }
    }

    fn fields(parts: Vec<(Option<String>, Self)>) -> Self {
        let mut end = 0_u32;
        let mut fields = Vec::with_capacity(parts.len());
        for (name, layout) in parts {
            let at = end.next_multiple_of(layout.align);
            end = at + layout.bytes;
            let at = at as usize;
            fields.push(Field { name, at, layout });
        }
        let layouts = || fields.iter().map(|field| &field.layout);
        let align = layouts().map(|layout| layout.align).max().unwrap_or(1);
        let bytes = end.next_multiple_of(align);
        let has_gap = layouts().map(|layout| layout.bytes).sum::<u32>() < bytes;
        Self {
            bytes,
            align,
            flat_count: layouts().map(|layout| layout.flat_count).sum(),
            has_pieces: layouts().any(|layout| layout.has_pieces),
            is_solid: !has_gap && layouts().all(|layout| layout.is_solid),
            has_floats: layouts().any(|layout| layout.has_floats),
            kind: Kind::Fields(fields),
        }
    }

    fn cases(form: Form, all: Vec<(String, Option<Self>)>) -> Self {
        let tag_bytes = match all.len() {
            ..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => WORD_BYTES,
        };
        let payloads = || all.iter().filter_map(|(_, payload)| payload.as_ref());
        let payload_align = payloads().map(|layout| layout.align).max().unwrap_or(1);
        let payload_bytes = payloads().map(|layout| layout.bytes).max().unwrap_or(0);
        let payload_flat = payloads().map(|layout| layout.flat_count).max();
        let payload_at = tag_bytes.next_multiple_of(payload_align);
        let align = payload_align.max(tag_bytes);
        Self {
            bytes: (payload_at + payload_bytes).next_multiple_of(align),
            align,
            flat_count: 1 + payload_flat.unwrap_or(0),
            has_pieces: payloads().any(|layout| layout.has_pieces),
            is_solid: false,
            has_floats: payloads().any(|layout| layout.has_floats),
            kind: Kind::Cases(Cases {
                form,
                tag_bytes: tag_bytes as usize,
                payload_at: payload_at as usize,
                all,
            }),
        }
    }

    /// Flags, of which there are 32 at most.
    fn flags(names: Vec<String>) -> Self {
        let bytes = match names.len() {
            ..=8 => 1,
            9..=16 => 2,
            _ => WORD_BYTES,
        };
        Self {
            kind: Kind::Flags(names),
            bytes,
            align: bytes,
            flat_count: 1,
            has_pieces: false,
            is_solid: false,
            has_floats: false,
        }
    }
}

/// The bits of a byte of flags that have a name.
pub(super) fn named_bits(names: usize, byte: usize) -> u8 {
    match names.saturating_sub(8 * byte) {
        0 => 0,
        left @ 1..=7 => (1 << left) - 1,
        _ => u8::MAX,
    }
}
