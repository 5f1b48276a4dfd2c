//! Crates that the user allows the sources of an experiment to use.

use serde::{Deserialize, Serialize};

/// The name of the package that stands for the crates of an experiment in its lock.
pub const PACKAGE: &str = "bakeoff-crates";

/// The crates that an experiment allows, and the exact versions that were chosen for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crates {
    /// The crates that the user allows, each once.
    pub allowed: Vec<AllowedCrate>,
    /// The text of the lock: each crate that these need, with its version and checksum. Empty where it
    /// was not read.
    pub lock: String,
}

impl Crates {
    /// Returns true if no crate is allowed.
    pub fn is_empty(&self) -> bool {
        self.allowed.is_empty()
    }
}

/// A crate that the user allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedCrate {
    /// Name of the crate in the registry.
    pub name: String,
    /// The version, as cargo reads a requirement: `0.15` is any that is compatible with it.
    pub version: String,
    /// The features that are switched on.
    #[serde(default)]
    pub features: Vec<String>,
    /// True if the crate's default features are switched on as well.
    #[serde(default = "on")]
    pub default_features: bool,
}

/// Returns the default of `default_features`: true, as in a manifest that does not set it.
fn on() -> bool {
    true
}

impl AllowedCrate {
    /// A crate with its default features.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            features: Vec::new(),
            default_features: true,
        }
    }
}

impl std::fmt::Display for AllowedCrate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// A crate of the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedCrate {
    /// Name of the crate.
    pub name: String,
    /// Exact version of the crate.
    pub version: String,
    /// SHA-256 of the crate's archive in the registry, as 64 hexadecimal digits.
    pub checksum: String,
}
