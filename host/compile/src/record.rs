//! The stored record of a build: the facts that readings and reports need. The bytes are in the build cache.

use super::child_output::BuiltComponent;
use bakeoff_domain::failure::Failure;
use serde::{Deserialize, Serialize};

/// A finished build without its bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// SHA-256 of the component, as 64 hexadecimal digits; `None` if there is none.
    pub digest: Option<String>,
    /// Size of the component, in bytes.
    pub component_bytes: u64,
    /// CPU time of the build, in seconds.
    pub cpu_seconds: f64,
    /// Logical lines of the source; `None` for a component that the user brought.
    #[serde(default)]
    pub source_lines: Option<u64>,
    /// Lines of the source in all; `None` for a component that the user brought.
    #[serde(default)]
    pub file_lines: Option<u64>,
    /// Names of the component's imports; `None` in records that are older than this field.
    #[serde(default)]
    pub imports: Option<Vec<String>>,
    /// True if the component exchanges strings in another encoding than UTF-8, which the host recodes.
    #[serde(default)]
    pub recodes: bool,
    /// True if memory for arguments comes from an allocator that the code brings.
    #[serde(default)]
    pub own_allocator: bool,
    /// The reason why there is no component.
    pub failure: Option<Failure>,
}

impl BuildRecord {
    /// Makes the record of a successful build of `text`, or of a component that the user brought.
    pub fn of(built: &BuiltComponent, text: Option<&str>) -> Self {
        Self {
            digest: Some(built.digest.clone()),
            component_bytes: built.component.len() as u64,
            cpu_seconds: built.cpu.as_secs_f64(),
            source_lines: built.source_lines,
            file_lines: file_lines(text),
            imports: Some(built.imports.clone()),
            recodes: built.recodes,
            own_allocator: !built.our_allocator,
            failure: None,
        }
    }

    /// Makes the record of a build of `text` that failed.
    pub fn failed(failure: Failure, text: Option<&str>) -> Self {
        Self {
            file_lines: file_lines(text),
            imports: Some(Vec::new()),
            failure: Some(failure),
            ..Self::default()
        }
    }
}

fn file_lines(text: Option<&str>) -> Option<u64> {
    text.map(|text| text.lines().count() as u64)
}
