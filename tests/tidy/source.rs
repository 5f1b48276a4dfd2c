//! The source files of a crate, and the paths that their code names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The segments of a module's or an item's path. Paths within a crate begin with `crate`.
pub(crate) type Segments = Vec<String>;

/// Whether code under `#[cfg(test)]` counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    Included,
    LeftOut,
}

/// One file: the imports and the qualified paths of its code.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// Private imports: the name in the file, and the path as written.
    pub(crate) imports: Vec<(String, Segments)>,
    /// Imports with `pub`: the name, and the path as written.
    pub(crate) exports: Vec<(String, Segments)>,
    /// Paths of two segments or more outside of imports, as written.
    pub(crate) paths: Vec<Segments>,
    /// Methods that are called, by their names.
    pub(crate) methods: Vec<String>,
    /// Modules that were left out.
    test_modules: Vec<String>,
}

/// The files below a folder, with their texts. A link is a file of another folder, which a package has here, too.
pub(crate) fn rust_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.is_symlink())
        .collect();
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
    files
}

/// The modules of a crate's source folder, by their paths. `main.rs` is a crate of its own.
pub(crate) fn modules(folder: &Path, tests: Tests) -> BTreeMap<Segments, Source> {
    let mut modules = BTreeMap::new();
    for (path, text) in rust_files(folder) {
        let inside = path.strip_prefix(folder).unwrap().with_extension("");
        let mut module = vec!["crate".to_owned()];
        module.extend(
            inside
                .iter()
                .map(|part| part.to_string_lossy().into_owned()),
        );
        match module.last().map(String::as_str) {
            Some("main") if module.len() == 2 => continue,
            Some("mod") => drop(module.pop()),
            Some("lib") if module.len() == 2 => drop(module.pop()),
            _ => {}
        }
        modules.insert(module, Source::parse(&text, tests));
    }
    let left_out: Vec<Segments> = modules
        .iter()
        .flat_map(|(module, source)| source.test_modules.iter().map(|name| joined(module, name)))
        .collect();
    modules.retain(|module, _| !left_out.iter().any(|test| module.starts_with(test)));
    modules
}

fn joined(module: &[String], name: &str) -> Segments {
    let mut path = module.to_vec();
    path.push(name.to_owned());
    path
}

impl Source {
    /// Reads a file.
    pub(crate) fn parse(text: &str, tests: Tests) -> Self {
        let all = tokens(text);
        let mut source = Self::default();
        let mut at = 0;
        while at < all.len() {
            let rest = &all[at..];
            if tests == Tests::LeftOut && is_test_attribute(rest) {
                let (start, end) = item_after_attributes(rest);
                if let [.., "mod", name, ";"] = &rest[start..end] {
                    source.test_modules.push((*name).to_owned());
                }
                at += end;
            } else if rest[0] == "use" {
                let end = rest.iter().position(|token| *token == ";").unwrap();
                let is_public = matches!(at.checked_sub(1).map(|before| all[before]), Some("pub"))
                    || at >= 4 && all[at - 4] == "pub" && all[at - 1] == ")";
                let list = match is_public {
                    true => &mut source.exports,
                    false => &mut source.imports,
                };
                read_use_tree(&rest[1..end], &mut Vec::new(), list);
                at += end + 1;
            } else {
                if let [".", name, "(", ..] = rest {
                    source.methods.push((*name).to_owned());
                }
                let path = path_at(rest);
                let is_inner = at > 0 && ["::", ".", "$"].contains(&all[at - 1]);
                if path.len() > 1 && !is_inner {
                    source
                        .paths
                        .push(path.iter().map(|s| (*s).to_owned()).collect());
                }
                at += (2 * path.len()).saturating_sub(1).max(1);
            }
        }
        source
    }

    /// All paths that the file names, with imported names and the module's relatives written out.
    pub(crate) fn absolute_paths(&self, module: &[String]) -> Vec<Segments> {
        let imports = self.imports.iter().map(|(_, path)| absolute(path, module));
        let paths = self.paths.iter().map(|path| {
            let imported = self.imports.iter().find(|(name, _)| *name == path[0]);
            match imported {
                Some((_, import)) => {
                    let mut whole = absolute(import, module);
                    whole.extend_from_slice(&path[1..]);
                    whole
                }
                None => absolute(path, module),
            }
        });
        imports.chain(paths).collect()
    }
}

/// A path without `self` and `super`.
pub(crate) fn absolute(path: &[String], module: &[String]) -> Segments {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let rest = &path[ups..];
    match path[0].as_str() {
        "super" => [&module[..module.len().saturating_sub(ups).max(1)], rest].concat(),
        "self" => [module, &path[1..]].concat(),
        _ => path.to_vec(),
    }
}

/// Words, `::`, and single characters of the code: no comments, no texts, no lifetimes.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            found.push(&rest[..length]);
            length
        } else if rest.starts_with("::") {
            found.push("::");
            2
        } else {
            if !first.is_whitespace() {
                found.push(&rest[..first.len_utf8()]);
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// The length of the text, character or lifetime that begins here, if one does.
fn literal(rest: &str) -> Option<usize> {
    let plain = rest.strip_prefix('b').unwrap_or(rest);
    let plain = plain.strip_prefix('c').unwrap_or(plain);
    let prefix = rest.len() - plain.len();
    if let Some(raw) = plain.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let end = raw[hashes + 1..].find(&close)?;
            return Some(prefix + 1 + hashes + 1 + end + close.len());
        }
    }
    if let Some(body) = plain.strip_prefix('"') {
        return Some(prefix + 1 + end_of_quoted(body, '"')?);
    }
    let body = plain.strip_prefix('\'')?;
    let mut characters = body.chars();
    let first = characters.next()?;
    match first == '\\' || characters.next() == Some('\'') {
        true => Some(prefix + 1 + end_of_quoted(body, '\'')?),
        false => Some(prefix + 1 + body.find(|c: char| !c.is_alphanumeric() && c != '_')?),
    }
}

fn end_of_quoted(body: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// The words of the path that begins here: one for a name alone, none for another token.
fn path_at<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let is_name = |token: &&str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut path = Vec::new();
    let mut at = 0;
    while let Some(name) = rest.get(at).filter(|token| is_name(token)) {
        path.push(*name);
        if rest.get(at + 1) != Some(&"::") {
            break;
        }
        at += 2;
    }
    path
}

/// Reads `a::{b, c as d}` as the paths `a::b` and `a::c`, the second one named `d`.
fn read_use_tree(tree: &[&str], prefix: &mut Segments, found: &mut Vec<(String, Segments)>) {
    let length = prefix.len();
    let mut at = 0;
    while let Some(token) = tree.get(at) {
        match *token {
            "{" => {
                for part in parts(&tree[at + 1..tree.len() - 1]) {
                    read_use_tree(part, prefix, found);
                }
                prefix.truncate(length);
                return;
            }
            "as" => break,
            "::" => {}
            name => prefix.push(name.to_owned()),
        }
        at += 1;
    }
    if prefix.last().is_some_and(|last| last == "self") {
        prefix.pop();
    }
    let name = match tree.get(at..) {
        Some(["as", name]) => (*name).to_owned(),
        _ => prefix.last().cloned().unwrap_or_default(),
    };
    if !prefix.is_empty() {
        found.push((name, prefix.clone()));
    }
    prefix.truncate(length);
}

/// The parts between commas that are in no braces.
fn parts<'a, 'b>(list: &'b [&'a str]) -> Vec<&'b [&'a str]> {
    let mut depth = 0;
    let split = list.split(move |token| {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == ","
    });
    split.filter(|part| !part.is_empty()).collect()
}

fn is_test_attribute(rest: &[&str]) -> bool {
    matches!(
        rest,
        ["#", "[", "cfg", "(", "test", ..] | ["#", "[", "cfg", "(", "all", "(", "test", ..]
    )
}

/// The range of the item after all attributes that begin here.
fn item_after_attributes(list: &[&str]) -> (usize, usize) {
    let mut start = 0;
    while let ["#", "[", ..] = &list[start..] {
        start += 1 + group_length(&list[start + 1..]);
    }
    let mut at = start;
    while at < list.len() {
        match list[at] {
            ";" => return (start, at + 1),
            "{" if list[start..at].iter().all(|token| *token != "use") => {
                return (start, at + group_length(&list[at..]));
            }
            "(" | "[" | "{" => at += group_length(&list[at..]),
            _ => at += 1,
        }
    }
    (start, list.len())
}

/// The length of the bracketed group that begins here, both brackets included.
pub(crate) fn group_length(rest: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in rest.iter().enumerate() {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str, tests: Tests) -> Vec<String> {
        let module = ["crate", "a", "b"].map(str::to_owned);
        let source = Source::parse(text, tests);
        let paths = source.absolute_paths(&module);
        paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn imports_and_qualified_paths_are_written_out() {
        let text = "use super::{c, d::{self, E as F}};\nuse x::Y;\nfn f() { F::g(); self::h(); }\n\
                    const Z: u8 = Y::new(crate::i::J, $crate::k::L, v.w::<u8>());";
        let expected = [
            "crate::a::c",
            "crate::a::d",
            "crate::a::d::E",
            "x::Y",
            "crate::a::d::E::g",
            "crate::a::b::h",
            "x::Y::new",
            "crate::i::J",
        ];
        assert_eq!(paths(text, Tests::Included), expected);
    }

    #[test]
    fn comments_texts_and_characters_are_not_code() {
        let text = "// a::b\n/* a::b */ \"a::b \\\" a::b\" r#\"a::b\"# 'a' '\\'' b'x' &'a c::d";
        assert_eq!(paths(text, Tests::Included), ["c::d"]);
    }

    #[test]
    fn tests_can_be_left_out() {
        let text = "#[cfg(test)]\nmod tests {\n use a::b;\n fn f() { c::d() }\n}\n\
                    #[cfg(test)]\n#[x]\npub(crate) mod other;\n#[cfg(test)]\nuse g::{h};\nuse e::f;";
        assert_eq!(paths(text, Tests::LeftOut), ["e::f"]);
        assert_eq!(Source::parse(text, Tests::LeftOut).test_modules, ["other"]);
        assert_eq!(paths(text, Tests::Included).len(), 4);
    }
}
