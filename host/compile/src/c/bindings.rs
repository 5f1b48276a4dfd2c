//! The header that a source in C includes, the same in Zig, and the bindings between its functions and the interface.

use super::zig_bindings;
use crate::failures::ungenerated;
use crate::glue;
use bakeoff_domain::failure::Failure;
use bakeoff_source::interface::{Interface, World};
use wit_bindgen_c::Opts;
use wit_bindgen_core::Files;
use wit_parser::{Resolve, WorldId};

/// Name of the header, as a source includes it.
pub(super) const HEADER: &str = "prototype.h";

/// Name of the bindings' file.
pub(super) const BINDINGS: &str = "prototype.c";

/// Header and bindings of an interface.
pub(super) struct CBindings {
    pub(super) header: String,
    pub(super) bindings: String,
}

impl CBindings {
    /// Generates header and bindings of a world.
    pub(super) fn of(resolve: &Resolve, world: WorldId) -> Result<Self, Failure> {
        let mut files = Files::default();
        let mut resolve = resolve.clone();
        let options = Opts {
            no_object_file: true,
            // The file's name follows from it, and so do the names of all functions.
            rename_world: Some("prototype".to_owned()),
            ..Opts::default()
        };
        options
            .build()
            .generate(&mut resolve, world, &mut files)
            .map_err(ungenerated)?;
        let text = |wanted: &str| {
            let found = files.iter().find(|(name, _)| *name == wanted);
            let (_, bytes) = found.ok_or_else(|| ungenerated("a file did not come out"))?;
            String::from_utf8(bytes.to_vec()).map_err(ungenerated)
        };
        Ok(Self {
            header: with_whole_lines(&text(HEADER)?),
            bindings: with_whole_lines(&text(BINDINGS)?),
        })
    }

    /// Returns the declaration of a function in the header.
    pub(super) fn declaration(&self, name: &str) -> Option<&str> {
        let mut lines = self.header.lines().map(str::trim);
        lines.find(|line| line.contains(&format!("{name}(")))
    }
}

/// Returns the text without the backslashes at the ends of comments, which would make the next line a part of them. They stand
/// in the documentation of a WIT.
fn with_whole_lines(text: &str) -> String {
    let whole = |line: &str| {
        let is_comment = line.trim_start().starts_with("//");
        let line = line.trim_end();
        let line = if is_comment {
            line.trim_end_matches(['\\', ' ', '\t'])
        } else {
            line
        };
        format!("{line}\n")
    };
    text.lines().map(whole).collect()
}

/// Returns the header that a prototype in C of this interface includes: `prototype.h`.
///
/// # Errors
/// The interface has no bindings for C.
pub fn header(interface: &Interface, parameters: bool) -> Result<String, Failure> {
    let (resolve, world) = glue::world_of(interface, World::Prototype, parameters)?;
    CBindings::of(&resolve, world).map(|bindings| bindings.header)
}

/// Returns the module that a prototype in Zig of this interface imports: `prototype`.
///
/// # Errors
/// The interface has no bindings for C, or a form that has no translation.
pub fn zig_module(interface: &Interface, parameters: bool) -> Result<String, Failure> {
    zig_bindings::of_header(&header(interface, parameters)?)
}

/// Everything beside a source, an interface and the compilers that decides a build: part of the cache key.
pub(crate) fn fingerprint() -> [&'static str; 7] {
    [
        include_str!("../../guest-sdk/c/heap.rs"),
        include_str!("../../guest-sdk/c/support.c"),
        include_str!("../../guest-sdk/c/before.h"),
        include_str!("bindings.rs"),
        include_str!("build.rs"),
        include_str!("zig_bindings.rs"),
        include_str!("zig_object.rs"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_of_a_wit_takes_no_line_of_the_header() {
        let header = "  // A path: C:\\  \n#define A \\\n  1\n// Two \\\\\nint a;\n";
        let whole = "  // A path: C:\n#define A \\\n  1\n// Two\nint a;\n";
        assert_eq!(with_whole_lines(header), whole);
    }
}
