//! What sources are compiled for.

use serde::{Deserialize, Serialize};

/// Whether Rust sources are compiled with the vectors of 128 bits that WebAssembly has, its feature `simd128`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Simd {
    /// The compiler may use them.
    #[default]
    On,
    /// There are none.
    Off,
}

impl Simd {
    /// Returns true of what applies where nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What the version of a compiler is followed by in reports: nothing where nothing was said.
    pub fn note(self) -> &'static str {
        match self {
            Self::On => "",
            Self::Off => ", without simd128",
        }
    }
}
