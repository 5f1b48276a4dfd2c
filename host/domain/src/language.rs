//! Languages of the sources that are built.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// Language of a source, which follows from the ending of its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// Rust: `.rs`.
    #[default]
    Rust,
    /// C: `.c`.
    C,
    /// C++: `.cc`, `.cpp` or `.cxx`.
    #[serde(rename = "C++")]
    Cpp,
    /// Zig: `.zig`.
    Zig,
}

/// The endings of files with sources, each with its language.
const ENDINGS: [(&str, Language); 6] = [
    ("rs", Language::Rust),
    ("c", Language::C),
    ("cc", Language::Cpp),
    ("cpp", Language::Cpp),
    ("cxx", Language::Cpp),
    ("zig", Language::Zig),
];

impl Language {
    /// The languages of sources with the endings of their files, as a message lists them.
    pub const LIST: &str = "Rust (.rs), C (.c), C++ (.cc, .cpp, .cxx) or Zig (.zig)";

    /// Returns the language of a file; `None` if its ending is that of no source.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        let known = ENDINGS.iter().find(|(known, _)| ending == *known);
        known.map(|(_, language)| *language)
    }

    /// Returns the name of the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Zig => "Zig",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_file_tells_its_language() {
        let of = |name: &str| Language::of(Path::new(name)).map(Language::name);
        assert_eq!(of("a/heap.rs"), Some("Rust"));
        assert_eq!(of("heap.c"), Some("C"));
        assert_eq!(of("heap.zig"), Some("Zig"));
        for name in ["heap.cc", "heap.cpp", "heap.cxx"] {
            assert_eq!(of(name), Some("C++"));
        }
        for name in ["heap", "heap.py", "heap.C", "heap.rs.txt", ".c"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn the_list_names_every_language_and_ending() {
        for (ending, language) in ENDINGS {
            let (_, behind) = Language::LIST
                .split_once(&format!("{} (", language.name()))
                .unwrap();
            let (endings, _) = behind.split_once(')').unwrap();
            let ending = format!(".{ending}");
            assert!(endings.split(", ").any(|one| one == ending), "{ending}");
        }
        assert_eq!(Language::LIST.matches('.').count(), ENDINGS.len());
    }
}
