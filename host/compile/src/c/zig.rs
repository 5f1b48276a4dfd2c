//! The Zig compiler of this machine, as the parent finds it.

use crate::choice::{Programs, resolved};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Compiler for Zig.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Zig {
    pub(super) path: PathBuf,
    /// The folder of Zig's standard library.
    pub(super) library: PathBuf,
    pub(super) version: String,
}

impl Zig {
    /// Finds the `zig` on the search path.
    ///
    /// # Errors
    /// There is none, or it does not say where its library is, as a phrase.
    pub(super) async fn find(programs: &Programs) -> Result<Self, String> {
        let named = programs.path.find("zig").ok_or_else(|| {
            "there is no `zig` in a folder of PATH that is absolute, outside of this folder, and closed to other users"
                .to_owned()
        })?;
        let zig = resolved(named);
        let ask = async |argument: &str| {
            let said = programs.output_of(&zig, &[argument]).await;
            said.map_err(|error| error.to_string())
        };
        let version = ask("version").await?.trim().to_owned();
        let environment = ask("env").await?;
        let library = library(&environment).filter(|library| library.join("std/std.zig").is_file());
        let library = library
            .ok_or_else(|| format!("`{} env` does not say where its library is", zig.display()))?;
        Ok(Self {
            path: zig,
            library: resolved(library),
            version,
        })
    }
}

/// Returns the library's folder from what `zig env` prints: `.lib_dir = "/usr/lib/zig"`, or `"lib_dir": "/usr/lib/zig"`
/// in earlier versions.
fn library(environment: &str) -> Option<PathBuf> {
    let line = environment
        .lines()
        .map(str::trim)
        .find(|line| line.trim_start_matches(['.', '"']).starts_with("lib_dir"))?;
    let (_, value) = line.split_once(['=', ':'])?;
    let path = PathBuf::from(value.trim().trim_matches([',', '"']));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_in_what_either_version_prints() {
        for said in [
            ".{\n    .zig_exe = \"/z/zig\",\n    .lib_dir = \"/z/lib\",\n}",
            "{\n \"zig_exe\": \"/z/zig\",\n \"lib_dir\": \"/z/lib\",\n}",
        ] {
            assert_eq!(library(said), Some(PathBuf::from("/z/lib")));
        }
        assert_eq!(library(".{ .zig_exe = \"/z\" }"), None);
        assert_eq!(library(".lib_dir = \"lib\","), None);
    }
}
