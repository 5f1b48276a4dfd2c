//! Packages of crates: what a crate compiles in has to lie in its own folder, or its package lacks it.

use std::path::{Component, Path, PathBuf};

/// Macros that compile a file in.
const MACROS: [&str; 2] = ["include_str!(", "include_bytes!("];

/// Returns the files that code includes which lie outside of its crate's folder. Tests may: no package has them.
pub(crate) fn included_from_outside(folder: &Path, path: &Path, text: &str) -> Vec<PathBuf> {
    if path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs") {
        return Vec::new();
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let parts = MACROS.iter().flat_map(|name| code.split(name).skip(1));
    let literals = parts.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    let above = path.parent().unwrap();
    let files = literals.map(|literal| without_dots(&above.join(literal)));
    let folder = without_dots(folder);
    files.filter(|file| !file.starts_with(&folder)).collect()
}

/// Returns the path as it is written, without following links.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}
