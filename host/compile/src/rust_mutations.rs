//! Small changes of a Rust source, as a search makes them: a constant, an order of loops, a data structure, a way of
//! sorting, a copy that is left out. Whether the result is right or faster is for a check and a race to say.

use super::unreadable_file::Unreadable;
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most changes of one source.
const MUTATIONS_MAX: usize = 2_000;

/// The most places in which one type is replaced.
const PLACES_MAX: usize = 100;

/// The longest text of a token in the words for a change, in characters.
const SHOWN_CHARS_MAX: usize = 40;

/// Names that may stand for each other: what is left is replaced by what is right, both ways.
const EXCHANGES: [(&str, &str); 9] = [
    ("HashMap", "BTreeMap"),
    ("HashSet", "BTreeSet"),
    ("sort", "sort_unstable"),
    ("sort_by", "sort_unstable_by"),
    ("sort_by_key", "sort_unstable_by_key"),
    ("sort_by_key", "sort_by_cached_key"),
    ("wrapping_add", "saturating_add"),
    ("div_euclid", "wrapping_div"),
    ("push_back", "push_front"),
];

/// Methods without arguments that may be left out.
const OMISSIONS: [&str; 5] = ["clone", "to_vec", "to_owned", "rev", "copied"];

/// One small change of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutation {
    /// Change in words, with the line: `64 → 128 in line 7`.
    pub change: String,
    /// Replacements of parts of the text, by their bytes, in order.
    edits: Vec<(Range<usize>, String)>,
}

impl Mutation {
    /// Returns the text with the change; `None` if the change does not fit the text.
    pub fn applied(&self, text: &str) -> Option<String> {
        let mut changed = String::with_capacity(text.len() + 16);
        let mut done = 0;
        for (range, new) in &self.edits {
            changed.push_str(text.get(done..range.start)?);
            changed.push_str(new);
            text.get(range.clone())?;
            done = range.end;
        }
        changed.push_str(text.get(done..)?);
        Some(changed)
    }
}

/// Returns the small changes of a source, in the order of their places.
///
/// # Errors
/// The text is not Rust.
pub(super) fn mutations(text: &str) -> Result<Vec<Mutation>, Unreadable> {
    let tokens: TokenStream = text
        .parse()
        .map_err(|error: proc_macro2::LexError| Unreadable::because(error.to_string()))?;
    let mut found = MutationSite {
        text,
        mutations: Vec::new(),
    };
    found.visit(&tokens.into_iter().collect::<Vec<_>>());
    Ok(found.mutations)
}

struct MutationSite<'a> {
    text: &'a str,
    mutations: Vec<Mutation>,
}

impl MutationSite<'_> {
    fn add(&mut self, at: Span, words: String, edits: Vec<(Range<usize>, String)>) {
        if self.mutations.len() < MUTATIONS_MAX {
            let line = at.start().line;
            self.mutations.push(Mutation {
                change: format!("{words} in line {line}"),
                edits,
            });
        }
    }

    fn visit(&mut self, tokens: &[TokenTree]) {
        for (place, token) in tokens.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| &tokens[before]);
            match token {
                TokenTree::Literal(literal) if !is_field(tokens, place) => {
                    self.visit_literal(literal);
                }
                TokenTree::Ident(name) => {
                    self.exchange(&name.to_string(), name.span());
                    self.omit(tokens, place);
                    self.exchange_loops(tokens, place);
                }
                // What stands in an attribute is no code of the function.
                TokenTree::Group(group) if !is_attribute(group, before) => {
                    self.visit(&group.stream().into_iter().collect::<Vec<_>>());
                }
                TokenTree::Literal(_) | TokenTree::Group(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn visit_literal(&mut self, literal: &Literal) {
        let shown = literal.to_string();
        for new in other_numbers(&shown) {
            let range = literal.span().byte_range();
            self.add(
                literal.span(),
                format!("{} → {}", shortened(&shown), shortened(&new)),
                vec![(range, new)],
            );
        }
    }

    fn exchange(&mut self, name: &str, at: Span) {
        for (one, other) in EXCHANGES {
            let new = match name {
                name if name == one => other,
                name if name == other => one,
                _ => continue,
            };
            self.exchange_everywhere(name, new, at);
        }
    }

    /// Types change everywhere at once, and only at their first place; methods where they stand.
    fn exchange_everywhere(&mut self, name: &str, new: &str, at: Span) {
        let words = format!("{name} → {new}");
        if !name.starts_with(char::is_uppercase) {
            self.add(at, words, vec![(at.byte_range(), new.to_owned())]);
            return;
        }
        let places = words_in(self.text, name);
        if places.len() > PLACES_MAX {
            return;
        }
        if places
            .first()
            .is_some_and(|first| *first == at.byte_range())
        {
            let edits = places.into_iter().map(|place| (place, new.to_owned()));
            self.add(at, words, edits.collect());
        }
    }

    /// Leaves out `.clone()` and others like it.
    fn omit(&mut self, tokens: &[TokenTree], place: usize) {
        let [
            TokenTree::Punct(dot),
            TokenTree::Ident(name),
            TokenTree::Group(arguments),
        ] = (match place.checked_sub(1) {
            Some(first) => tokens.get(first..first + 3).unwrap_or_default(),
            None => return,
        })
        else {
            return;
        };
        let text = name.to_string();
        let is_empty =
            arguments.delimiter() == Delimiter::Parenthesis && arguments.stream().is_empty();
        if dot.as_char() == '.' && is_empty && OMISSIONS.contains(&text.as_str()) {
            let range = dot.span().byte_range().start..arguments.span().byte_range().end;
            self.add(
                name.span(),
                format!("without {text}()"),
                vec![(range, String::new())],
            );
        }
    }

    /// Exchanges two loops of which one is all that the other contains.
    fn exchange_loops(&mut self, tokens: &[TokenTree], place: usize) {
        let Some((outer, body)) = loop_at(tokens, place) else {
            return;
        };
        let within: Vec<TokenTree> = body.stream().into_iter().collect();
        let Some((inner, inner_body)) = loop_at(&within, 0) else {
            return;
        };
        let is_all = within
            .last()
            .is_some_and(|last| last.span().byte_range() == inner_body.span().byte_range());
        let (Some(first), Some(second), true) = (
            self.text.get(outer.clone()),
            self.text.get(inner.clone()),
            is_all,
        ) else {
            return;
        };
        let edits = vec![
            (outer.clone(), second.to_owned()),
            (inner, first.to_owned()),
        ];
        self.add(
            tokens[place].span(),
            "two loops exchanged".to_owned(),
            edits,
        );
    }
}

/// Returns the bytes from `for` to before the body of a loop that begins at a place, and the body.
fn loop_at(tokens: &[TokenTree], place: usize) -> Option<(Range<usize>, Group)> {
    let TokenTree::Ident(word) = tokens.get(place)? else {
        return None;
    };
    if word != "for" {
        return None;
    }
    let mut has_in = false;
    for token in &tokens[place + 1..] {
        match token {
            TokenTree::Ident(word) if word == "in" => has_in = true,
            TokenTree::Group(body) if has_in && body.delimiter() == Delimiter::Brace => {
                let head = word.span().byte_range().start..body.span().byte_range().start;
                return Some((head, body.clone()));
            }
            // `impl A for B`, and bounds like `for<'a>`.
            TokenTree::Punct(sign) if !has_in && matches!(sign.as_char(), ';' | '<') => {
                return None;
            }
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => return None,
            _ => {}
        }
    }
    None
}

/// Returns true if a token is the number of a field, as in `pair.0`; the end of a range, as in `0..40`, is none.
fn is_field(tokens: &[TokenTree], place: usize) -> bool {
    let is_dot = |back: usize| {
        let token = place.checked_sub(back).and_then(|at| tokens.get(at));
        token.is_some_and(|token| is_punct(token, '.'))
    };
    is_dot(1) && !is_dot(2)
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_attribute(group: &Group, before: Option<&TokenTree>) -> bool {
    group.delimiter() == Delimiter::Bracket
        && before.is_some_and(|before| is_punct(before, '#') || is_punct(before, '!'))
}

/// Returns the places of a word in a text, outside of longer words.
fn words_in(text: &str, word: &str) -> Vec<Range<usize>> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .map(|(start, found)| start..start + found.len())
        .filter(|range| {
            !is_part(text[..range.start].chars().next_back())
                && !is_part(text[range.end..].chars().next())
        })
        .collect()
}

/// Returns other values of a number: double, half, one more and one less, with the suffix of its type.
fn other_numbers(literal: &str) -> Vec<String> {
    let digits = |c: char| c.is_ascii_digit() || c == '_' || c == '.';
    let end = literal.find(|c| !digits(c)).unwrap_or(literal.len());
    let (number, suffix) = literal.split_at(end);
    let is_suffix = suffix.is_empty() || suffix.starts_with(['i', 'u', 'f']);
    if !is_suffix || number.is_empty() {
        return Vec::new();
    }
    let plain = number.replace('_', "");
    let others: Vec<String> = if plain.contains('.') {
        let Ok(value) = plain.parse::<f64>() else {
            return Vec::new();
        };
        [value * 2.0, value / 2.0, value * 1.1, value * 0.9]
            .map(|value| format!("{value:?}"))
            .to_vec()
    } else {
        let Ok(value) = plain.parse::<u64>() else {
            return Vec::new();
        };
        let mut others: Vec<u64> = vec![value.saturating_mul(2), value / 2];
        others.extend([value.saturating_add(1), value.saturating_sub(1)]);
        others.iter().map(u64::to_string).collect()
    };
    let mut distinct: Vec<String> = Vec::new();
    for other in others {
        if other != plain && !distinct.contains(&other) {
            distinct.push(other);
        }
    }
    distinct
        .iter()
        .map(|other| format!("{other}{suffix}"))
        .collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Vec<(String, String)> {
        let found = mutations(text).unwrap();
        let applied = found
            .iter()
            .map(|one| (one.change.clone(), one.applied(text).unwrap()));
        applied.collect()
    }

    fn changes(text: &str) -> Vec<String> {
        made(text).into_iter().map(|(change, _)| change).collect()
    }

    #[test]
    fn numbers_have_neighbours_and_keep_their_type() {
        let text = "fn f() -> u64 {\n    let ü = 64u64; // 64\n    ü\n}";
        let all = made(text);
        let words: Vec<&str> = all.iter().map(|(change, _)| change.as_str()).collect();
        assert_eq!(
            words,
            [
                "64u64 → 128u64 in line 2",
                "64u64 → 32u64 in line 2",
                "64u64 → 65u64 in line 2",
                "64u64 → 63u64 in line 2"
            ]
        );
        assert_eq!(all[0].1, text.replace("64u64", "128u64"));
        assert_eq!(changes("fn f() -> u64 { 0 }"), ["0 → 1 in line 1"]);
        let floats = changes("fn f() -> f64 { 0.5 }");
        assert!(
            floats.contains(&"0.5 → 1.0 in line 1".to_owned()),
            "{floats:?}"
        );
        for none in ["0x40", "\"64\"", "'6'", "b'6'", "1e3"] {
            assert_eq!(other_numbers(none), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn fields_of_pairs_and_attributes_stay() {
        assert_eq!(
            changes("#[repr(align(64))]\nfn f(p: (u8, u8)) -> u8 { p.1 }"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn ends_of_ranges_change() {
        for range in ["1..40", "1..=40"] {
            let text = format!("fn f() {{ for i in {range} {{ g(i); }} }}");
            let changed = changes(&text);
            assert!(
                changed.contains(&"40 → 80 in line 1".to_owned()),
                "{range}: {changed:?}"
            );
        }
    }

    #[test]
    fn types_change_everywhere_at_once_and_methods_alone() {
        let text = "use std::collections::HashMap;\nfn f(v: &mut [u8]) { let m: HashMap<u8, u8> = \
                    HashMap::new(); v.sort(); v.sort(); let MyHashMap = m; }";
        let all = made(text);
        let words: Vec<&str> = all.iter().map(|(change, _)| change.as_str()).collect();
        assert_eq!(
            words,
            [
                "HashMap → BTreeMap in line 1",
                "sort → sort_unstable in line 2",
                "sort → sort_unstable in line 2"
            ]
        );
        assert_eq!(all[0].1.matches("BTreeMap").count(), 3);
        assert!(all[0].1.contains("MyHashMap"));
        assert_eq!(all[1].1.matches("sort_unstable").count(), 1);
    }

    #[test]
    fn loops_are_exchanged_where_one_is_all_that_the_other_contains() {
        let nested = "fn f(n: usize) { for i in a..n { for j in b..n { g(i, j); } } }";
        let all = made(nested);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(
            all[0],
            (
                "two loops exchanged in line 1".to_owned(),
                "fn f(n: usize) { for j in b..n { for i in a..n { g(i, j); } } }".to_owned()
            )
        );
        for other in [
            "fn f(n: usize) { for i in a..n { h(); for j in b..n { g(i, j); } } }",
            "fn f(n: usize) { for i in a..n { for j in b..n { g(i, j); } h(); } }",
            "impl A for B { fn f() {} }",
            "fn f<F: for<'a> Fn(&'a u8)>(f: F) { loop { } }",
        ] {
            assert_eq!(changes(other), Vec::<String>::new(), "{other}");
        }
    }

    #[test]
    fn copies_are_left_out() {
        let text = "fn f(v: &Vec<u8>) -> usize { v.clone().len() + v.get(a.rev) }";
        assert_eq!(
            made(text),
            [(
                "without clone() in line 1".to_owned(),
                text.replace(".clone()", "")
            )]
        );
    }

    #[test]
    fn what_is_no_rust_is_refused_and_a_change_of_another_text_does_nothing() {
        assert!(mutations("fn f( {").is_err());
        let one = mutations("fn f() -> u8 { 64 }").unwrap().remove(0);
        assert_eq!(one.applied("ü"), None);
        let many = format!("fn f() {{ {} }}", "64;".repeat(MUTATIONS_MAX));
        assert_eq!(mutations(&many).unwrap().len(), MUTATIONS_MAX);
    }
}
