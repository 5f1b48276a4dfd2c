//! Numbers, `bool` and `char`.

use wasmtime::component::Type;

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
    pub(super) fn of(ty: &Type) -> Option<Self> {
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
    pub(super) fn bytes(self) -> u32 {
        match self {
            Self::Bool | Self::S8 | Self::U8 => 1,
            Self::S16 | Self::U16 => 2,
            Self::S32 | Self::U32 | Self::F32 | Self::Char => 4,
            Self::S64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// Maps all numbers that count as the same answer to one.
pub(super) fn canonical(number: f64) -> f64 {
    if number.is_nan() {
        f64::NAN
    } else if number == 0.0 {
        0.0
    } else {
        number
    }
}
