//! Bundles: one file with everything that a run rests on, for another machine.
//!
//! A tar archive without compression, whose first entry is `manifest.json`: every other file in its
//! order, with size and SHA-256. The same content always gives the same bytes.
//!
//! A bundle may come from anybody: only files that the manifest names are unpacked, nothing is
//! written outside the target folder, and everything has a limit.

mod error;
mod read;
mod write;

pub use error::BundleError;
pub use read::unpack;
pub use write::pack;

use serde::{Deserialize, Serialize};

/// The version of the format that this bakeoff writes.
pub const VERSION: u32 = 2;
/// Largest number of files: 64 variants with source and component, 256 files of WIT, and some.
pub const FILES_MAX: usize = 512;
/// Largest size of a file, in bytes. Raw samples are the largest: 64 variants on 32 cases in 96 replicas.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// Largest size of all files together, in bytes.
pub const BUNDLE_BYTES_MAX: u64 = 4 << 30;
/// Largest size of the manifest, in bytes.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;
/// Longest path of a file, in bytes.
const PATH_BYTES_MAX: usize = 200;
/// Path of the manifest.
const MANIFEST: &str = "manifest.json";

/// The manifest of a bundle: its first file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleManifest {
    /// Format version: always [`VERSION`].
    pub version: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Number of the run.
    pub run: i64,
    /// Version of the bakeoff that packed the bundle.
    pub bakeoff: String,
    /// All other files, in their order in the bundle.
    pub files: Vec<BundleFile>,
}

/// A file in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleFile {
    /// Path of the file in the bundle, with `/` between names.
    pub path: String,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, as 64 hexadecimal digits.
    pub sha256: String,
}

/// Returns true if a path stays within the target folder, and is the same file on every system:
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
