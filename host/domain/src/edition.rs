//! The edition of Rust in which prototypes are compiled.

use serde::{Deserialize, Serialize};

/// Edition of Rust in which the sources of approaches are compiled. The sources beside them, such as a workload, use
/// the newest one.
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
    /// Returns true for the edition that applies where an experiment names none.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the year of the edition: `2021`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust2021 => "2021",
            Self::Rust2024 => "2024",
        }
    }

    /// Returns the text that follows the version of the compiler in reports: `, edition 2021`; empty for the default.
    pub fn note(self) -> &'static str {
        match self {
            Self::Rust2021 => ", edition 2021",
            Self::Rust2024 => "",
        }
    }
}
