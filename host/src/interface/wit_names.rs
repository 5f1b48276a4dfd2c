//! Names as WIT has them.

/// Words that WIT keeps for itself.
const KEYWORDS: [&str; 38] = [
    "as",
    "async",
    "bool",
    "borrow",
    "char",
    "constructor",
    "enum",
    "export",
    "f32",
    "f64",
    "flags",
    "from",
    "func",
    "future",
    "import",
    "include",
    "interface",
    "list",
    "map",
    "option",
    "own",
    "package",
    "record",
    "resource",
    "result",
    "s16",
    "s32",
    "s64",
    "s8",
    "static",
    "stream",
    "string",
    "tuple",
    "type",
    "u16",
    "u32",
    "u64",
    "use",
];

/// Returns true if WIT takes it as a name: words of lower-case letters and digits.
pub(super) fn is_kebab(name: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_lowercase())
            && word
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    };
    name.split('-').all(word)
}

/// A parameter's name in WIT.
pub(super) fn identifier(name: &str, place: usize) -> String {
    match is_kebab(name) {
        true => escaped(name),
        false => format!("argument{place}"),
    }
}

/// A name, marked if WIT keeps that word for itself.
pub(super) fn escaped(name: &str) -> String {
    match KEYWORDS.contains(&name) {
        true => format!("%{name}"),
        false => name.to_owned(),
    }
}
