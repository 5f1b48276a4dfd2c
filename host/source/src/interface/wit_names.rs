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

/// What stands for a name of which nothing is left.
const NAMELESS: &str = "function";

/// The name in WIT of a function that Rust calls so: words of lower-case letters and digits, of which a number
/// belongs to the word before it. `quick_sort_3_ways` is `quick-sort3-ways`, and `_start` is `start`.
pub fn wit_name(rust: &str) -> String {
    let rust = rust.trim_start_matches("r#");
    let mut name = String::new();
    for word in rust.split(['_', '-']) {
        let letters = word.chars().filter(char::is_ascii_alphanumeric);
        let word: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        let begins = word.starts_with(|letter: char| letter.is_ascii_lowercase());
        if begins && !name.is_empty() {
            name.push('-');
        } else if !begins && !word.is_empty() && name.is_empty() {
            name.push_str(NAMELESS);
        }
        name.push_str(&word);
    }
    match name.is_empty() {
        true => NAMELESS.to_owned(),
        false => name,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_rust_has_one_in_wit() {
        for (rust, wit) in [
            ("top_k", "top-k"),
            ("quick_sort_3_ways", "quick-sort3-ways"),
            ("_start", "start"),
            ("__wasm_call_ctors", "wasm-call-ctors"),
            ("r#type", "type"),
            ("quickSort", "quicksort"),
            ("_2sat", "function2sat"),
            ("größe", "gre"),
            ("ß", "function"),
            ("_", "function"),
        ] {
            assert_eq!(wit_name(rust), wit);
            assert!(is_kebab(wit), "{wit}");
        }
    }
}
