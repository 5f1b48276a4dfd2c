//! The modules of a source that lie in files beside it: `mod helper;` is the text of `helper.rs`.
//!
//! They become part of the one text that is built, hashed and kept. Each declaration gives way to spaces, and its module
//! stands behind the file's own text, so that the lines of the file stay where they are.

use super::bounds::SOURCE_BYTES_MAX;
use super::tokens::{Piece, is_word, pieces};
use bakeoff_files::Reach;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The most files that a source may have beside its own.
const FILES_MAX: usize = 64;

/// The most modules within one another.
const DEPTH_MAX: usize = 8;

/// A declaration of a module without its text: `pub mod helper;`.
#[derive(Debug, PartialEq, Eq)]
struct Declaration<'a> {
    place: Range<usize>,
    /// The words before `mod`.
    visibility: &'a str,
    name: &'a str,
}

/// Returns the text of a Rust file with the modules that lie beside it. A module without a file stays as it is, and the
/// compiler says so; so does one with attributes.
///
/// # Errors
/// A file of a module cannot be read, or all together are too large or too many.
pub(super) fn with_modules(text: String, path: &Path) -> Result<String, String> {
    if declarations(&text).is_empty() {
        return Ok(text);
    }
    let mut reader = Reader {
        folder: path.parent().unwrap_or(Path::new("")),
        files: 0,
        bytes: text.len(),
    };
    let stem = path.file_stem().map(PathBuf::from);
    // As in the root of a crate, or else as in a module of one.
    let mut places = vec![PathBuf::new()];
    places.extend(stem);
    reader.joined(text, &places, 0)
}

/// A reader of the modules of one source.
struct Reader<'a> {
    /// The folder of the source, in which all its modules lie.
    folder: &'a Path,
    files: usize,
    bytes: usize,
}

impl Reader<'_> {
    /// Returns a text with its modules, which lie in one of these places, each relative to the folder.
    fn joined(
        &mut self,
        mut text: String,
        places: &[PathBuf],
        depth: usize,
    ) -> Result<String, String> {
        let mut behind = String::new();
        let mut blank = Vec::new();
        for declared in declarations(&text) {
            let Some((content, place)) = self.find(declared.name, places)? else {
                continue;
            };
            if depth >= DEPTH_MAX {
                return Err(format!(
                    "more than {DEPTH_MAX} modules lie within one another"
                ));
            }
            let content = self.joined(content, &[place], depth + 1)?;
            let Declaration {
                visibility, name, ..
            } = declared;
            // Writing to a text cannot fail.
            let _ = write!(behind, "\n{visibility}mod {name} {{\n{content}\n}}\n");
            blank.push(declared.place);
        }
        for place in blank.into_iter().rev() {
            let kept = text[place.clone()].chars();
            let spaces: String = kept.map(|c| if c == '\n' { c } else { ' ' }).collect();
            text.replace_range(place, &spaces);
        }
        Ok(text + &behind)
    }

    /// Returns the text of a module, and the place of its own modules; `None` if it has no file.
    fn find(
        &mut self,
        name: &str,
        places: &[PathBuf],
    ) -> Result<Option<(String, PathBuf)>, String> {
        for place in places {
            for file in [format!("{name}.rs"), format!("{name}/mod.rs")] {
                let below = place.join(file);
                let path = self.folder.join(&below);
                let shown = below.display();
                let read = Reach::Within(self.folder).read_bounded(&path, SOURCE_BYTES_MAX as u64);
                let bytes = match read {
                    Err(error) if is_absent(error.kind()) => continue,
                    Err(error) => return Err(format!("its module {shown}: {error}")),
                    Ok(bytes) => bytes,
                };
                self.files += 1;
                self.bytes += bytes.as_ref().map_or(0, Vec::len);
                let Some(bytes) = bytes.filter(|_| self.bytes <= SOURCE_BYTES_MAX) else {
                    return Err(format!(
                        "with its module {shown} it is larger than the {SOURCE_BYTES_MAX} bytes that a source may have"
                    ));
                };
                if self.files > FILES_MAX {
                    return Err(format!(
                        "it has more than {FILES_MAX} modules in files of their own"
                    ));
                }
                let text = String::from_utf8(bytes);
                let text = text.map_err(|_| format!("its module {shown} is not UTF-8 text"))?;
                return Ok(Some((text, place.join(name))));
            }
        }
        Ok(None)
    }
}

fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns the declarations of modules outside of all brackets that have no attributes.
fn declarations(text: &str) -> Vec<Declaration<'_>> {
    let mut found = Vec::new();
    // Where the item that is read begins, once there is anything of it; and whether it is made of words and round brackets.
    let mut item: Option<usize> = None;
    let (mut depth, mut is_plain) = (0_usize, true);
    let mut at = 0;
    for piece in pieces(text) {
        let next = at + piece.text().len();
        match piece {
            Piece::Space(_) | Piece::Comment(_) => {}
            Piece::Token(opening @ ("{" | "(" | "[")) => {
                depth += 1;
                is_plain &= opening == "(";
                item = item.or(Some(at));
            }
            Piece::Token(closing @ ("}" | ")" | "]")) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && closing == "}" {
                    (item, is_plain) = (None, true);
                }
            }
            Piece::Token(";") if depth == 0 => {
                let begin = item.filter(|_| is_plain).unwrap_or(at);
                found.extend(declaration(text, begin..next));
                (item, is_plain) = (None, true);
            }
            Piece::Token(token) => {
                is_plain &= token.chars().all(is_word);
                item = item.or(Some(at));
            }
        }
        at = next;
    }
    found
}

/// Returns the declaration that an item is, if it is one of a module: `mod a;`, `pub mod a;`.
fn declaration(text: &str, place: Range<usize>) -> Option<Declaration<'_>> {
    let item = text[place.clone()].strip_suffix(';')?;
    let (before, name) = item.trim_end().rsplit_once(char::is_whitespace)?;
    let visibility = before.trim_end().strip_suffix("mod")?;
    let known = ["", "pub", "pub(crate)", "pub(super)"];
    known
        .contains(&visibility.trim_end())
        .then_some(Declaration {
            place,
            visibility,
            name,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the modules that are declared, each with its visibility.
    fn names(text: &str) -> Vec<(&str, &str)> {
        let found = declarations(text);
        found.iter().map(|one| (one.visibility, one.name)).collect()
    }

    #[test]
    fn declarations_are_found_where_the_compiler_finds_them() {
        let text = r##"#![no_std]
use std::fmt; mod a;
pub mod b ; /* mod c; */ // mod d;
mod e { mod f; }
const G: &str = "mod g;
mod g2;"; const H: char = ';'; mod i;
fn j<'a>(x: &'a str) -> char { let _ = x; '"' } mod k;
const L: &str = r#"" mod l; "#; const M: u8 = b'\''; mod n;
#[cfg(test)] mod tests;
#[path = "x"]
mod o;
macro_rules! p { () => { mod q; } }
mod r;
pub(crate) mod s;
type Mod = u8; fn mod_t() {}
mod u"##;
        let own = [
            ("", "a"),
            ("pub ", "b"),
            ("", "i"),
            ("", "k"),
            ("", "n"),
            ("", "r"),
            ("pub(crate) ", "s"),
        ];
        assert_eq!(names(text), own);
    }

    fn joined(files: &[(&str, &str)]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("own").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        with_modules(files[0].1.to_owned(), &folder.path().join("own/a.rs"))
    }

    #[test]
    fn modules_stand_behind_the_lines_of_the_file() {
        let text = "mod b;\n\npub fn f() -> u8 { b::g() }\n";
        let found = joined(&[
            ("a.rs", text),
            ("b.rs", "mod c;\npub fn g() -> u8 { c::h() }\n"),
            ("b/c.rs", "pub fn h() -> u8 { 7 }\n"),
        ]);
        let expected = "      \n\npub fn f() -> u8 { b::g() }\n\nmod b {\n      \npub fn g() -> u8 { c::h() }\n\n\
                        mod c {\npub fn h() -> u8 { 7 }\n\n}\n\n}\n";
        assert_eq!(found.unwrap(), expected);
        let in_folder = [("a.rs", "pub mod b;"), ("b/mod.rs", "// Ü")];
        assert_eq!(
            joined(&in_folder).unwrap(),
            "          \npub mod b {\n// Ü\n}\n"
        );
        // As a module of a crate has its own.
        let below = [("a.rs", "mod b;"), ("a/b.rs", "")];
        assert_eq!(joined(&below).unwrap(), "      \nmod b {\n\n}\n");
    }

    #[test]
    fn what_is_not_there_is_left_to_the_compiler() {
        for text in ["mod b;", "pub fn f() {}", "mod a_b;\nmod ü;"] {
            assert_eq!(joined(&[("a.rs", text)]).unwrap(), text);
        }
    }

    #[test]
    fn case_270_modules_reach_nothing_outside_and_have_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(folder.path().join("secret.rs"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret.rs", own.join("b.rs")).unwrap();
        let said = with_modules("mod b;".to_owned(), &own.join("a.rs")).unwrap_err();
        assert!(said.starts_with("its module b.rs: "), "{said}");
        let large = "x".repeat(SOURCE_BYTES_MAX);
        let said = joined(&[("a.rs", "mod b;"), ("b.rs", &large)]).unwrap_err();
        assert!(said.contains("larger than the 1048576 bytes"), "{said}");
        let larger = format!("{large}x");
        let said = joined(&[("a.rs", "mod b;"), ("b.rs", &larger)]).unwrap_err();
        assert!(said.contains("larger than the 1048576 bytes"), "{said}");
        let many: Vec<(String, String)> = (0..=FILES_MAX)
            .map(|one| (format!("m{one}.rs"), String::new()))
            .collect();
        let declared: String = (0..=FILES_MAX)
            .map(|one| format!("mod m{one};\n"))
            .collect();
        let mut files = vec![("a.rs", declared.as_str())];
        files.extend(
            many.iter()
                .map(|(name, text)| (name.as_str(), text.as_str())),
        );
        assert!(joined(&files).unwrap_err().contains("more than 64 modules"));
        std::os::unix::fs::symlink(".", own.join("d")).unwrap();
        std::fs::write(own.join("d.rs"), "mod d;").unwrap();
        let said = with_modules("mod d;".to_owned(), &own.join("e.rs")).unwrap_err();
        assert!(said.contains("more than 8 modules"), "{said}");
    }

    #[test]
    fn no_text_is_read_beyond_its_end() {
        for text in [
            "\"",
            "'",
            "'\\",
            "r#\"",
            "b'",
            "/*",
            "/*/",
            "//",
            "mod",
            "mod ;",
            ";",
            "}}}",
            "r",
            "ü'ü",
            "\u{a0}mod a;",
        ] {
            let _ = declarations(text);
        }
    }
}
