//! Vectors in compiled Rust sources.

use serde::{Deserialize, Serialize};

/// Use of the vectors of 128 bits that WebAssembly has, its feature `simd128`, when Rust sources are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Simd {
    /// The compiler may use vectors.
    #[default]
    On,
    /// The compiler has no vectors.
    Off,
}

impl Simd {
    /// Returns true for the choice that applies where an experiment names none.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the text that follows the version of the compiler in reports: `, without simd128`; empty for the
    /// default.
    pub fn note(self) -> &'static str {
        match self {
            Self::On => "",
            Self::Off => ", without simd128",
        }
    }
}
