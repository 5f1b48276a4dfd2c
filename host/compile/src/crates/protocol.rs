//! The messages between the parent and a child that builds crates.

use bakeoff_domain::crates::{AllowedCrate, LockedCrate};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The name of the role.
pub(super) const ROLE: &str = "crates";

/// The most files in the output of a build: a library for each crate.
pub(super) const FILES_MAX: usize = 512;

/// The largest event, in bytes.
const EVENT_BYTES_MAX: usize = 1 << 20;

/// The task of a child that builds crates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CratesTask {
    pub(super) wanted: WantedLibraries,
    /// The folder of the crates' sources.
    pub(super) sources: PathBuf,
    pub(super) cargo: PathBuf,
    pub(super) rustc: PathBuf,
    pub(super) sysroot: PathBuf,
    pub(super) scratch: PathBuf,
    /// The target that the libraries are for.
    pub(super) target: String,
    /// The compiler's flag of target features, the same as for prototypes, if the target has one.
    pub(super) features: Option<String>,
}

/// The libraries that are wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum WantedLibraries {
    /// The crates of an experiment.
    Allowed {
        crates: Vec<AllowedCrate>,
        /// The exact versions of the crates.
        locked: Vec<LockedCrate>,
        /// The text of the lock.
        lock: String,
    },
    /// A package of the user's.
    Package {
        /// The package's manifest.
        manifest: PathBuf,
        /// The folder of all files of its repository, in which the build may write.
        files: PathBuf,
        /// The name of its library in sources.
        library: String,
    },
}

/// A message of the child. [`CratesEvent::Built`] is followed by a frame for each file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum CratesEvent {
    /// The crates cannot be built, for this reason.
    Failed(String),
    Built {
        /// The name by which a source calls each crate, and its file.
        externs: Vec<(String, String)>,
        /// The names of the files that follow.
        files: Vec<String>,
    },
}

impl CratesEvent {
    /// Reads a frame; `None` if it is no event.
    pub(super) fn read(frame: &[u8]) -> Option<Self> {
        let within = frame.len() <= EVENT_BYTES_MAX;
        within.then(|| postcard::from_bytes(frame).ok()).flatten()
    }
}

/// Returns true if a text can be the name of a library file that the compiler writes.
pub(super) fn is_file_name(name: &str) -> bool {
    let usual = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    (1..=200).contains(&name.len())
        && name.starts_with("lib")
        && name.chars().all(usual)
        && [".rlib", ".so"].iter().any(|end| name.ends_with(end))
}

/// Returns true if a text can be the name of a crate in a source.
pub(super) fn is_crate_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_lead_nowhere() {
        for name in ["libhashbrown-0a1.rlib", "libserde_derive-0a1.so"] {
            assert!(is_file_name(name), "{name}");
        }
        for name in [
            "",
            "../lib.rlib",
            "lib/../x.rlib",
            "a.rlib",
            "liba.rmeta",
            "lib a.rlib",
            "lib\n.so",
        ] {
            assert!(!is_file_name(name), "{name}");
        }
        assert!(is_crate_name("serde_json"));
        for name in ["", "a=b", "a-b", "a/b", "noprelude:a"] {
            assert!(!is_crate_name(name), "{name}");
        }
    }
}
