//! The modules of a source that lie in files beside it: `mod helper;` is the text of `helper.rs`.
//!
//! They become part of the one text that is built, hashed and kept. Each declaration gives way to spaces, and its module
//! stands behind the file's own text, so that the lines of the file stay where they are.

use super::bounds::SOURCE_BYTES_MAX;
use super::module_lines::module;
use super::tokens::{Piece, is_word, pieces};
use bakeoff_files::Reach;
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
    /// The bytes from its first attribute to the semicolon.
    place: Range<usize>,
    attributes: Vec<&'a str>,
    /// The words before `mod`.
    visibility: String,
    name: &'a str,
}

impl Declaration<'_> {
    /// Returns the declaration up to the text of the module.
    fn head(&self) -> String {
        let mut head: String = self
            .attributes
            .iter()
            .map(|one| format!("{one}\n"))
            .collect();
        if !self.visibility.is_empty() {
            head = head + &self.visibility + " ";
        }
        format!("{head}mod {}", self.name)
    }

    /// Returns true if the module is compiled for tests alone, and so is no part of what is built.
    fn is_of_tests(&self) -> bool {
        self.attributes
            .iter()
            .any(|one| words(one) == ["#", "[", "cfg", "(", "test", ")", "]"])
    }

    /// Returns the attribute with which a module cannot stand behind the file's own text, if it has one.
    fn misplaced(&self) -> Option<&str> {
        let is_misplaced = |attribute: &&&str| {
            let words = words(attribute);
            words.contains(&"macro_use") || words.windows(2).any(|two| two == ["path", "="])
        };
        self.attributes.iter().find(is_misplaced).copied()
    }
}

/// Returns the tokens of a text.
fn words(text: &str) -> Vec<&str> {
    let token = |piece| match piece {
        Piece::Token(token) => Some(token),
        Piece::Space(_) | Piece::Comment(_) => None,
    };
    pieces(text).filter_map(token).collect()
}

/// Returns the text of a Rust file with the modules that lie beside it. A module without a file stays as it is, and the
/// compiler says so; so does one within another one's braces.
///
/// # Errors
/// A file of a module cannot be read, all together are too large or too many, or a module has an attribute by which its
/// place or its file would be another one.
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

/// The text of a module.
struct ModuleText {
    content: String,
    /// The folder of its own modules.
    place: PathBuf,
    /// Its file, as it is shown.
    file: String,
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
            if declared.is_of_tests() {
                continue;
            }
            if let Some(attribute) = declared.misplaced() {
                return Err(format!(
                    "its module {} has {attribute}, and modules in files of their own may have neither a path nor \
                     #[macro_use]: put its text into the file itself",
                    declared.name
                ));
            }
            let Some(found) = self.find(declared.name, places)? else {
                continue;
            };
            if depth >= DEPTH_MAX {
                return Err(format!(
                    "more than {DEPTH_MAX} modules lie within one another"
                ));
            }
            let content = self.joined(found.content, &[found.place], depth + 1)?;
            behind += &module(&declared.head(), &found.file, &content);
            blank.push(declared.place);
        }
        for place in blank.into_iter().rev() {
            let kept = text[place.clone()].chars();
            let spaces: String = kept.map(|c| if c == '\n' { c } else { ' ' }).collect();
            text.replace_range(place, &spaces);
        }
        Ok(text + &behind)
    }

    /// Returns the text of a module; `None` if it has no file.
    ///
    /// # Errors
    /// It has two files in one place, as which the compiler refuses it, or a file cannot be read.
    fn find(&mut self, name: &str, places: &[PathBuf]) -> Result<Option<ModuleText>, String> {
        for place in places {
            let own = self.read(name, place, &format!("{name}.rs"))?;
            let in_folder = self.read(name, place, &format!("{name}/mod.rs"))?;
            match (own, in_folder) {
                (Some(own), Some(in_folder)) => {
                    return Err(format!(
                        "its module {name} has two files, {} and {}: remove one of them",
                        own.file, in_folder.file
                    ));
                }
                (None, None) => {}
                (own, in_folder) => return Ok(own.or(in_folder)),
            }
        }
        Ok(None)
    }

    /// Returns the text of a module in a file of a place; `None` if there is no such file.
    fn read(&mut self, name: &str, place: &Path, file: &str) -> Result<Option<ModuleText>, String> {
        let below = place.join(file);
        let path = self.folder.join(&below);
        let shown = below.display();
        let read = Reach::Within(self.folder).read_bounded(&path, SOURCE_BYTES_MAX as u64);
        let bytes = match read {
            Err(error) if is_absent(error.kind()) => return Ok(None),
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
        Ok(Some(ModuleText {
            content: text.trim_start_matches('\u{feff}').to_owned(),
            place: place.join(name),
            file: shown.to_string(),
        }))
    }
}

fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns the declarations of modules outside of all brackets.
fn declarations(text: &str) -> Vec<Declaration<'_>> {
    let mut found = Vec::new();
    let mut item = Item::default();
    let (mut depth, mut at) = (0_usize, 0);
    // Where the attribute begins that is being read.
    let mut attribute: Option<usize> = None;
    for piece in pieces(text) {
        let next = at + piece.text().len();
        if let Piece::Comment(comment) = piece
            && is_documentation(comment)
            && item.words.is_empty()
        {
            item.begin.get_or_insert(at);
        }
        if let Piece::Token(token) = piece {
            let was = depth;
            match token {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            match (token, attribute) {
                ("#", None) if was == 0 && item.words.is_empty() => attribute = Some(at),
                ("]", Some(begin)) if depth == 0 => {
                    item.add_attribute(&text[begin..next], begin);
                    attribute = None;
                }
                (_, Some(_)) => {}
                (";", None) if was == 0 => {
                    found.extend(item.declaration(next));
                    item = Item::default();
                }
                ("}", None) if depth == 0 => item = Item::default(),
                (word, None) => {
                    item.begin.get_or_insert(at);
                    item.words.push(word);
                }
            }
        }
        at = next;
    }
    found
}

/// Returns true for a comment that documents the item behind it, without which it is an error.
fn is_documentation(comment: &str) -> bool {
    let is_of_lines = comment.starts_with("///") && !comment.starts_with("////");
    let is_block = comment.starts_with("/**") && !comment.starts_with("/***");
    is_of_lines || is_block && comment.len() > "/**/".len()
}

/// An item that is being read: its attributes, and its tokens up to its end.
#[derive(Default)]
struct Item<'a> {
    /// The byte at which it begins, once there is anything of it.
    begin: Option<usize>,
    attributes: Vec<&'a str>,
    words: Vec<&'a str>,
}

impl<'a> Item<'a> {
    /// Adds an attribute, unless it is one of the whole file: `#![...]`.
    fn add_attribute(&mut self, text: &'a str, begin: usize) {
        if words(text).get(1) != Some(&"!") {
            self.begin.get_or_insert(begin);
            self.attributes.push(text);
        }
    }

    /// Returns the declaration that the item is, if it is one of a module: `mod a;`, `pub(crate) mod a;`.
    fn declaration(&mut self, end: usize) -> Option<Declaration<'a>> {
        let (name, before) = self.words.split_last()?;
        let (keyword, visibility) = before.split_last()?;
        let is_visibility = match visibility {
            [] => true,
            ["pub", inside @ ..] => {
                inside.is_empty() || inside.first() == Some(&"(") && inside.last() == Some(&")")
            }
            _ => false,
        };
        let is_module = *keyword == "mod" && name.chars().all(is_word) && is_visibility;
        is_module.then(|| Declaration {
            place: self.begin.unwrap_or(end)..end,
            attributes: std::mem::take(&mut self.attributes),
            visibility: match visibility {
                [] => String::new(),
                [public, inside @ ..] => format!("{public}{}", inside.join(" ")),
            },
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the modules that are declared, each with its visibility.
    fn names(text: &str) -> Vec<(String, &str)> {
        let found = declarations(text).into_iter();
        found.map(|one| (one.visibility, one.name)).collect()
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
#[doc(hidden /* ; */)] #[doc = "mod no;"]
pub mod o;
macro_rules! p { () => { mod q; } }
mod r;
pub(crate) mod s;
type Mod = u8; fn mod_t() {}
pub ( in super ) mod /* v */ v;
mod u"##;
        let own = [
            ("", "a"),
            ("pub", "b"),
            ("", "i"),
            ("", "k"),
            ("", "n"),
            ("", "tests"),
            ("pub", "o"),
            ("", "r"),
            ("pub( crate )", "s"),
            ("pub( in super )", "v"),
        ];
        let own = own.map(|(visibility, name)| (visibility.to_owned(), name));
        assert_eq!(names(text), own);
        let attributes: Vec<usize> = declarations(text)
            .iter()
            .map(|one| one.attributes.len())
            .collect();
        assert_eq!(attributes, [0, 0, 0, 0, 0, 1, 2, 0, 0, 0]);
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
        let expected = "      \n\npub fn f() -> u8 { b::g() }\n\nmod b { // module b.rs\n      \n\
                        pub fn g() -> u8 { c::h() }\n\nmod c { // module b/c.rs\npub fn h() -> u8 { 7 }\n\n\
                        } // end of module\n\n} // end of module\n";
        assert_eq!(found.unwrap(), expected);
        let in_folder = [("a.rs", "pub mod b;"), ("b/mod.rs", "// Ü")];
        assert_eq!(
            joined(&in_folder).unwrap(),
            "          \npub mod b { // module b/mod.rs\n// Ü\n} // end of module\n"
        );
        // As a module of a crate has its own.
        let below = [("a.rs", "mod b;"), ("a/b.rs", "")];
        assert_eq!(
            joined(&below).unwrap(),
            "      \nmod b { // module a/b.rs\n\n} // end of module\n"
        );
    }

    #[test]
    fn two_files_of_one_module_are_refused_by_name() {
        let both = [("b.rs", "// b"), ("b/mod.rs", "// b")];
        let said = joined(&[&[("a.rs", "mod b;")], &both[..]].concat()).unwrap_err();
        assert_eq!(
            said,
            "its module b has two files, b.rs and b/mod.rs: remove one of them"
        );
        let within = [
            ("a.rs", "mod c;"),
            ("c.rs", "mod b;"),
            ("c/b.rs", ""),
            ("c/b/mod.rs", ""),
        ];
        let said = joined(&within).unwrap_err();
        assert!(said.contains("c/b.rs and c/b/mod.rs"), "{said}");
        // Which nobody declares, nobody reads.
        assert!(joined(&[&[("a.rs", "mod d;")], &both[..]].concat()).is_ok());
    }

    #[test]
    fn attributes_go_with_their_module() {
        let text =
            "#![no_std]\n/// B.\n#[doc(hidden)]\npub(crate) mod b;\n#[cfg(test)]\nmod tests;\n";
        let found = joined(&[
            ("a.rs", text),
            ("b.rs", "\u{feff}// b"),
            ("tests.rs", "// t"),
        ]);
        let expected = "#![no_std]\n      \n              \n                 \n#[cfg(test)]\nmod tests;\n\n\
                        #[doc(hidden)]\npub( crate ) mod b { // module b.rs\n// b\n} // end of module\n";
        assert_eq!(found.unwrap(), expected);
        for attribute in [
            "#[path = \"c.rs\"]",
            "#[cfg_attr(any(), path = \"c.rs\")]",
            "#[macro_use]",
        ] {
            let text = format!("{attribute} mod b;");
            let said = joined(&[("a.rs", &text), ("b.rs", "")]).unwrap_err();
            let begin = format!("its module b has {attribute}, ");
            assert!(said.starts_with(&begin), "{said}");
        }
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
