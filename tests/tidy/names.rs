//! Names of types.

/// A type that a file defines outside of functions and modules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DefinedType<'a> {
    pub(crate) name: &'a str,
    /// True if other crates may name it.
    pub(crate) is_public: bool,
}

/// The types that a text defines at the beginning of a line.
pub(crate) fn defined_types(text: &str) -> Vec<DefinedType<'_>> {
    text.lines().filter_map(defined_type).collect()
}

fn defined_type(line: &str) -> Option<DefinedType<'_>> {
    let mut words = line.split(' ').peekable();
    let is_public = words.next_if_eq(&"pub").is_some();
    words.next_if(|word| word.starts_with("pub("));
    if !matches!(words.next()?, "struct" | "enum" | "trait" | "type") {
        return None;
    }
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric());
    Some(DefinedType {
        name: &name[..end.unwrap_or(name.len())],
        is_public,
    })
}

#[test]
fn types_are_found_with_their_reach() {
    let text = "pub struct A<'a> {\n    struct Inner;\npub(crate) enum B {}\ntype C = u8;\npub fn d() {}\n// struct E\n";
    let found = |name, is_public| DefinedType { name, is_public };
    let expected = [found("A", true), found("B", false), found("C", false)];
    assert_eq!(defined_types(text), expected);
}
