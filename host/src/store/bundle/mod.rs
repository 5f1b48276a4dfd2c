//! A bundle: one file with all that a run rests on, for another machine.
//!
//! A tar archive without compression, whose first entry is `manifest.json`: every other file in its
//! order, with size and SHA-256. The same content gives the same bytes, whoever packs it and when.
//! A bundle that is read may come from anybody: nothing is taken from it that the manifest does not
//! name, nothing is written outside the folder it is unpacked to, and everything has a limit.

mod error;
mod read;
mod write;

pub use error::BundleError;
pub use read::unpack;
pub use write::pack;

use serde::{Deserialize, Serialize};

/// The version of the format that is written here.
pub const VERSION: u32 = 1;
/// Most files of a bundle: 64 variants with source and component, 256 files of WIT, and some.
pub const FILES_MAX: usize = 512;
/// Most bytes of a file. Raw samples are the largest: 64 variants on 32 cases in 96 replicas.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// Most bytes of all files together.
pub const BUNDLE_BYTES_MAX: u64 = 4 << 30;
/// Most bytes of the manifest.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;
/// Longest path of a file, in bytes.
const PATH_BYTES_MAX: usize = 200;
/// Where the manifest is.
const MANIFEST: &str = "manifest.json";

/// What a bundle says of itself, before all else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`VERSION`].
    pub version: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Number of the run where it was made.
    pub run: i64,
    /// Version of bakeoff that packed it.
    pub bakeoff: String,
    /// All other files, in the order in which they follow.
    pub files: Vec<Packed>,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// Its path, with `/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, as 64 hexadecimal digits.
    pub sha256: String,
}

/// Whether a path stays within the folder it is unpacked to, and is the same file on every system:
/// names of ASCII letters, digits, `.`, `_` and `-`, with `/` between them, none beginning with a
/// dot.
fn is_safe(path: &str) -> bool {
    let plain = |name: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(allowed)
    };
    path.len() <= PATH_BYTES_MAX && path.split('/').all(plain)
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn only_paths_below_the_folder_are_safe() {
        for path in [
            "report.json",
            "inputs/wit/deps/a-b/c_d.wit",
            "components/0.wasm",
        ] {
            assert!(is_safe(path), "{path}");
        }
        let long = "a/".repeat(100) + "a";
        for path in [
            "",
            "/",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a//b",
            "a/",
            "./a",
            ".hidden",
            "a/.b",
            "a\\b",
            "C:/x",
            "a\0",
            "a\nb",
            "é",
            &long,
        ] {
            assert!(!is_safe(path), "{path:?}");
        }
    }
}
