//! Names that people give, as ids that are safe as file names on every common system.
//!
//! A name may be any text: `top k/β`, `../../x`, `CON`. Its id holds only `a`–`z`, `0`–`9` and
//! `-`, so that it needs no escaping in a path, a URL, a cell or a shell.

use std::collections::{HashMap, HashSet};
use unicode_security::confusable_detection::skeleton;

/// The largest number of characters of an id, without the number that [`unique`] may append.
pub const ID_CHARS_MAX: usize = 48;

/// Names that Windows gives to devices, in any folder and with any extension.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin", "conout"];

/// Characters that separate words: dropping them loses nothing that a reader would miss.
const SEPARATORS: &str = " \t\n-_.,:;/()[]=";

/// The id of a name: its ASCII letters in lower case and its digits, with `-` between the words.
///
/// Names that differ only in case or in separators have the same id: they would be mistaken for
/// each other. A name that loses more than that (other scripts, `C++`, length) keeps a digest of
/// itself in its id, so that it stays distinct from its like. Never empty, at most
/// [`ID_CHARS_MAX`] characters, never a reserved name.
///
/// ```
/// use bakeoff_domain::ids::slug;
/// assert_eq!(slug("Bounded Heap (arity 4)"), "bounded-heap-arity-4");
/// assert_eq!(slug("../../x"), "x");
/// assert_ne!(slug("C++"), slug("C#"));
/// ```
pub fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let mut id = String::new();
    let mut lossy = false;
    for character in lower.chars() {
        if character.is_ascii_alphanumeric() {
            id.push(character);
        } else {
            lossy |= !SEPARATORS.contains(character);
            if !id.is_empty() && !id.ends_with('-') {
                id.push('-');
            }
        }
    }
    truncate(&mut id, ID_CHARS_MAX);
    lossy |= lower.chars().count() > ID_CHARS_MAX;
    if lossy || id.is_empty() {
        let digest = format!("{:08x}", digest(&lower));
        truncate(&mut id, ID_CHARS_MAX - digest.len() - 1);
        let separator = if id.is_empty() { "" } else { "-" };
        id = format!("{id}{separator}{digest}");
    }
    if is_reserved(&id) {
        id.insert_str(0, "x-");
    }
    id
}

/// Returns the skeleton of a name: two names with the same skeleton look alike to a reader, who would mistake one for
/// the other.
///
/// It is the skeleton of Unicode's security mechanisms (UTS #39), in which a Cyrillic `о` is an `o` and invisible
/// characters are dropped, in lower case, and with one space for whatever is blank or a separator.
///
/// ```
/// use bakeoff_domain::ids::look;
/// assert_eq!(look("sort\u{a0}l"), look("Sort l"));
/// assert_ne!(look("sort l"), look("sort k"));
/// ```
pub fn look(name: &str) -> String {
    let shown: String = name
        .chars()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .map(|c| if is_blank(c) { ' ' } else { c })
        .collect();
    let plain: String = skeleton(&shown).collect();
    let plain = plain.to_lowercase();
    let words = plain.split(|c: char| is_blank(c) || SEPARATORS.contains(c));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns true for a character that is shown as empty space; the last one is Braille's.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{2800}'
}

/// The ids of several names, in their order: where two names have the same [`slug`], the later one
/// gets the first number from 2 on that makes it distinct.
///
/// ```
/// use bakeoff_domain::ids::unique;
/// assert_eq!(unique(["heap", "Heap", "sort"]), ["heap", "heap-2", "sort"]);
/// ```
pub fn unique<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    // By slug: the numbers below are taken, so that thousands of alike names cost no more each than one.
    let mut next: HashMap<String, u64> = HashMap::new();
    let mut ids = Vec::new();
    for name in names {
        let slug = slug(name);
        let mut id = slug.clone();
        let number = next.entry(slug.clone()).or_insert(2);
        while !taken.insert(id.clone()) {
            id = format!("{slug}-{number}");
            *number += 1;
        }
        ids.push(id);
    }
    ids
}

/// Cuts to a number of (ASCII) characters and drops a `-` that ends it.
fn truncate(id: &mut String, chars: usize) {
    id.truncate(chars);
    while id.ends_with('-') {
        id.pop();
    }
}

/// Returns true if the name is reserved for a device on Windows.
fn is_reserved(id: &str) -> bool {
    let numbered = ["com", "lpt"].iter().any(|device| {
        id.strip_prefix(device)
            .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    });
    numbered || RESERVED.contains(&id)
}

/// FNV-1a, 64 bits folded to 32. Not collision-resistant, which is not needed: an adversary can choose
/// equal names anyway.
fn digest(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 32) as u32 ^ hash as u32
}

/// Returns the first character in which two names differ, counted from 1, and the code points there.
pub fn first_difference(one: &str, other: &str) -> (usize, String) {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let same = same.count();
    let at = |name: &str| match name.chars().nth(same) {
        Some(character) => format!("U+{:04X}", u32::from(character)),
        None => "the end".to_owned(),
    };
    (same + 1, format!("{} and {}", at(one), at(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_names_become_plain_words() {
        assert_eq!(slug("top k"), "top-k");
        assert_eq!(slug("Quickselect, median of 3"), "quickselect-median-of-3");
        assert_eq!(slug("CON"), "x-con");
        assert_eq!(slug("nul."), "x-nul");
        assert_eq!(slug("COM1"), "x-com1");
        assert_eq!(slug("com10"), "com10");
        assert!(slug("a\0b").starts_with("a-b-"));
        assert!(slug("top k/β").starts_with("top-k-"));
        assert!(slug("\u{202e}evil").starts_with("evil-"));
        assert_eq!(slug("").len(), 8);
        assert_eq!(slug("..").len(), 8);
    }

    #[test]
    fn names_that_look_alike_have_the_same_look() {
        for other in [
            "sort\u{a0}loop",
            "sort\u{2002}loop",
            "sort\u{3000}loop",
            "sort\u{2800}loop",
            "sort \u{200b}loop",
            "so\u{ad}rt loop",
            "\u{202e}sort loop",
            "sort loop\u{e0061}",
            "sort\u{7f} loop",
            "s\u{43e}rt loop",
            "SORT L\u{39f}OP",
            "sort \u{217c}oop",
            "sort\u{2010}loop",
            "sort lo\u{3bf}p",
        ] {
            assert_eq!(look(other), look("sort loop"), "{other:?}");
        }
        assert_eq!(look("caf\u{e9}"), look("cafe\u{301}"));
        for (one, other) in [
            ("sort l", "sort k"),
            ("sortl", "sort l"),
            ("C++", "C#"),
            ("top k/β", "top k/γ"),
            ("堆", "排序"),
            ("heap 2", "heap 3"),
            ("..", "/etc+"),
        ] {
            assert_ne!(look(one), look(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn what_is_lost_keeps_names_apart() {
        assert_ne!(slug("堆"), slug("排序"));
        assert_ne!(slug("top k/β"), slug("top k/γ"));
        assert_ne!(slug(&"a".repeat(60)), slug(&"a".repeat(61)));
        assert_eq!(slug("Ä"), slug("ä"));
    }

    #[test]
    fn a_number_does_not_collide_with_a_name() {
        assert_eq!(unique(["a", "a", "a-2"]), ["a", "a-2", "a-2-2"]);
    }

    proptest! {
        #[test]
        fn an_id_is_always_a_safe_file_name(name in ".{0,80}") {
            let id = slug(&name);
            prop_assert!(!id.is_empty() && id.len() <= ID_CHARS_MAX + 2);
            prop_assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!id.starts_with('-') && !id.ends_with('-') && !is_reserved(&id));
            prop_assert_eq!(&slug(&id), &id, "an id is its own id");
        }

        #[test]
        fn ids_are_unique(names in proptest::collection::vec("[aA2 -]{0,4}", 0..20)) {
            let ids = unique(names.iter().map(String::as_str));
            let distinct: HashSet<_> = ids.iter().collect();
            prop_assert_eq!(distinct.len(), names.len());
        }
    }
}
