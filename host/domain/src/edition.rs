//! The edition of Rust in which prototypes are compiled.

use serde::{Deserialize, Serialize};

/// The edition of Rust of the sources of approaches. What goes with them, such as a workload, has the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edition {
    /// Edition 2021.
    #[serde(rename = "2021")]
    Rust2021,
    /// Edition 2024.
    #[default]
    #[serde(rename = "2024")]
    Rust2024,
}

impl Edition {
    /// Returns true of what applies where nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The year.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust2021 => "2021",
            Self::Rust2024 => "2024",
        }
    }

    /// What the version of a compiler is followed by in reports: nothing where nothing was said.
    pub fn note(self) -> &'static str {
        match self {
            Self::Rust2021 => ", edition 2021",
            Self::Rust2024 => "",
        }
    }
}
