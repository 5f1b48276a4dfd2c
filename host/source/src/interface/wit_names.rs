//! Conversion of names to those of WIT.

/// Keywords of WIT.
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

/// Returns true if a text is a name in WIT: words of lower-case letters and digits, joined by `-`.
pub(super) fn is_kebab(name: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_lowercase())
            && word
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    };
    name.split('-').all(word)
}

/// The name, or its first word, for a function whose Rust name has no letter to begin with in WIT.
const NAMELESS: &str = "function";

/// Converts the Rust name of a function to that in WIT: words of lower-case letters and digits, where a number
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
    if name.is_empty() {
        NAMELESS.to_owned()
    } else {
        name
    }
}

/// Returns the name in WIT of a parameter, by its place if its own name is none in WIT.
pub(super) fn identifier(name: &str, place: usize) -> String {
    if is_kebab(name) {
        escaped(name)
    } else {
        format!("argument{place}")
    }
}

/// Returns a name in WIT, marked by `%` if it is a keyword.
pub(super) fn escaped(name: &str) -> String {
    if KEYWORDS.contains(&name) {
        format!("%{name}")
    } else {
        name.to_owned()
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
