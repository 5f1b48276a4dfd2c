//! The machine that libraries are built for: that of components, or this one.

use crate::rustc::feature_flag;
use crate::toolchain::Toolchain;
use crate::toolchain_error::TARGET;

/// The machine that libraries are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryTarget {
    /// WebAssembly, for components.
    Component,
    /// This machine, for programs.
    ThisMachine,
}

impl LibraryTarget {
    /// Returns the target as the compiler calls it; an error if the compiler does not name that of this machine.
    pub(crate) fn triple(self, toolchain: &Toolchain) -> Result<&str, &'static str> {
        match self {
            Self::Component => Ok(TARGET),
            Self::ThisMachine => toolchain
                .host()
                .ok_or("the compiler does not say which machine it runs on (`rustc -vV`)"),
        }
    }

    /// Returns the compiler's flag of target features, the same as for prototypes, if it has one.
    pub(crate) fn features(self, toolchain: &Toolchain) -> Option<&'static str> {
        match self {
            Self::Component => Some(feature_flag(toolchain.compiler.simd)),
            Self::ThisMachine => None,
        }
    }

    /// Returns the part of the name of a cache entry that tells libraries of one machine from those of the other.
    pub(crate) fn name_parts(self, toolchain: &Toolchain) -> Vec<&[u8]> {
        match self {
            Self::Component => vec![feature_flag(toolchain.compiler.simd).as_bytes()],
            Self::ThisMachine => vec![b"this machine", b"no features"],
        }
    }
}
