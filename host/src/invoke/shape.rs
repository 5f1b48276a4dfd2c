//! The types that the typed path supports, and their layout in the canonical ABI.

use wasmtime::component::Type;

/// A type that can be passed without going through `Val`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One number, `bool` or `char`.
    Scalar(Scalar),
    /// A string.
    Text,
    /// A list of scalars.
    List(Scalar),
    /// A tuple of shapes.
    Tuple(Vec<Shape>),
    /// `result<_, string>`: the answer of `check`. Only as a result.
    Outcome,
}

/// The scalar types of the component model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    S64,
    U64,
    F32,
    F64,
    Char,
}

impl Scalar {
    fn of(ty: &Type) -> Option<Self> {
        Some(match ty {
            Type::Bool => Self::Bool,
            Type::S8 => Self::S8,
            Type::U8 => Self::U8,
            Type::S16 => Self::S16,
            Type::U16 => Self::U16,
            Type::S32 => Self::S32,
            Type::U32 => Self::U32,
            Type::S64 => Self::S64,
            Type::U64 => Self::U64,
            Type::Float32 => Self::F32,
            Type::Float64 => Self::F64,
            Type::Char => Self::Char,
            _ => return None,
        })
    }

    /// Bytes in linear memory; scalars are aligned to their size.
    fn bytes(self) -> u32 {
        match self {
            Self::Bool | Self::S8 | Self::U8 => 1,
            Self::S16 | Self::U16 => 2,
            Self::S32 | Self::U32 | Self::F32 | Self::Char => 4,
            Self::S64 | Self::U64 | Self::F64 => 8,
        }
    }
}

impl Shape {
    /// The shape of a type, or `None` for a type that only `Val` can carry.
    pub(super) fn of(ty: &Type) -> Option<Self> {
        match ty {
            Type::String => Some(Self::Text),
            Type::List(list) => Scalar::of(&list.ty()).map(Self::List),
            Type::Tuple(tuple) => tuple
                .types()
                .map(|ty| Self::of(&ty))
                .collect::<Option<_>>()
                .map(Self::Tuple),
            Type::Result(result) => {
                let error_is_text = matches!(result.err(), Some(Type::String));
                (result.ok().is_none() && error_is_text).then_some(Self::Outcome)
            }
            other => Scalar::of(other).map(Self::Scalar),
        }
    }

    /// Returns true if it can be a parameter.
    pub(super) fn is_parameter(&self) -> bool {
        match self {
            Self::Outcome => false,
            Self::Tuple(items) => items.iter().all(Self::is_parameter),
            _ => true,
        }
    }

    /// The number of core values when it is passed flat.
    pub(super) fn flat_count(&self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Text | Self::List(_) => 2,
            Self::Outcome => 3,
            Self::Tuple(items) => items.iter().map(Self::flat_count).sum(),
        }
    }

    /// Alignment in linear memory, in bytes.
    pub(super) fn align(&self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.bytes(),
            Self::Text | Self::List(_) | Self::Outcome => 4,
            Self::Tuple(items) => items.iter().map(Self::align).max().unwrap_or(1),
        }
    }

    /// Bytes in linear memory, padded to the alignment.
    pub(super) fn bytes(&self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.bytes(),
            Self::Text | Self::List(_) => 8,
            Self::Outcome => 12,
            Self::Tuple(items) => {
                let end = items.iter().fold(0_u32, |end, item| {
                    end.next_multiple_of(item.align()) + item.bytes()
                });
                end.next_multiple_of(self.align())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_laid_out_as_the_canonical_abi_says() {
        let pair = Shape::Tuple(vec![Shape::List(Scalar::S64), Shape::Scalar(Scalar::U32)]);
        assert_eq!((pair.flat_count(), pair.align(), pair.bytes()), (3, 4, 12));
        let mixed = Shape::Tuple(vec![Shape::Scalar(Scalar::U8), Shape::Scalar(Scalar::S64)]);
        assert_eq!(
            (mixed.flat_count(), mixed.align(), mixed.bytes()),
            (2, 8, 16)
        );
        let nested = Shape::Tuple(vec![pair, mixed]);
        assert_eq!(
            (nested.flat_count(), nested.align(), nested.bytes()),
            (5, 8, 32)
        );
    }
}
