//! The types that the typed path supports, and their layout in the canonical ABI.

use super::layout::Layout;
use super::scalar::Scalar;
use std::sync::Arc;
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
    /// `result<_, string>`: the answer of `check`.
    Outcome,
    /// Any other type without handles.
    Nested(Arc<Layout>),
}

impl Shape {
    /// The shape of a type, or `None` for a type that only `Val` can carry.
    pub(super) fn of(ty: &Type) -> Option<Self> {
        match ty {
            Type::String => Some(Self::Text),
            Type::List(list) => match Scalar::of(&list.ty()) {
                Some(scalar) => Some(Self::List(scalar)),
                None => Self::nested(ty),
            },
            Type::Tuple(tuple) => tuple
                .types()
                .map(|ty| Self::of(&ty))
                .collect::<Option<_>>()
                .map(Self::Tuple),
            Type::Result(result) if result.ok().is_none() => match result.err() {
                Some(Type::String) => Some(Self::Outcome),
                _ => Self::nested(ty),
            },
            other => match Scalar::of(other) {
                Some(scalar) => Some(Self::Scalar(scalar)),
                None => Self::nested(other),
            },
        }
    }

    fn nested(ty: &Type) -> Option<Self> {
        Layout::of(ty).map(|layout| Self::Nested(Arc::new(layout)))
    }

    /// The number of core values when it is passed flat.
    pub(super) fn flat_count(&self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Text | Self::List(_) => 2,
            Self::Outcome => 3,
            Self::Nested(layout) => layout.flat_count,
            Self::Tuple(items) => items.iter().map(Self::flat_count).sum(),
        }
    }

    /// Alignment in linear memory, in bytes.
    pub(super) fn align(&self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.bytes(),
            Self::Text | Self::List(_) | Self::Outcome => 4,
            Self::Nested(layout) => layout.align,
            Self::Tuple(items) => items.iter().map(Self::align).max().unwrap_or(1),
        }
    }

    /// Bytes in linear memory, padded to the alignment.
    pub(super) fn bytes(&self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.bytes(),
            Self::Text | Self::List(_) => 8,
            Self::Outcome => 12,
            Self::Nested(layout) => layout.bytes,
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
