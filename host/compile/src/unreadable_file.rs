//! The error of a file whose functions cannot be read, with the place in the file.

use super::limits::EDITION;
use proc_macro2::{LexError, TokenStream};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::ops::Range;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The widest excerpt of a line, in columns of a terminal: with the number before it, it fits into 80.
const EXCERPT_WIDTH_MAX: usize = 60;

/// The most columns of an excerpt before the error.
const BEFORE_WIDTH_MAX: usize = 40;

/// Words that an edition of Rust reserved, each with that edition.
const RESERVED: [(&str, &str); 5] = [
    ("async", "2018"),
    ("await", "2018"),
    ("dyn", "2018"),
    ("gen", "2024"),
    ("try", "2018"),
];

/// The reason why the functions of a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The reason, as a fragment of a sentence: `expected an expression`.
    pub reason: String,
    /// The place of the error in the source, if it has one.
    pub place: Option<SourcePlace>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The text of the line, or the part around the place in a long line.
    excerpt: String,
    /// The columns of a terminal before the place in the excerpt.
    before: usize,
    /// The columns that the error covers, at least 1.
    width: usize,
}

impl Unreadable {
    /// Makes an error without a place.
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            place: None,
        }
    }

    /// Makes an error from one of the parser, at its place in the text.
    pub(super) fn at(text: &str, error: &syn::Error) -> Self {
        let parsed = parsed_part(text);
        let skipped = text.len() - parsed.len();
        // For a text that cannot be split into tokens, the parser's own error names no cause.
        if let Err(error) = parsed.parse::<TokenStream>() {
            return Self::in_tokens(text, skipped, &error);
        }
        let bytes = error.span().byte_range();
        let word = parsed.get(bytes.clone()).unwrap_or_default();
        let reserved = RESERVED.iter().find(|(reserved, _)| *reserved == word);
        let reason = match reserved {
            Some((word, since)) => format!(
                "`{word}` is a reserved word since edition {since}, and files are compiled in edition {EDITION}: \
                 write `r#{word}` if it is a name"
            ),
            None => error.to_string(),
        };
        Self {
            reason,
            place: Some(SourcePlace::of(
                text,
                bytes.start + skipped..bytes.end + skipped,
            )),
        }
    }

    fn in_tokens(text: &str, skipped: usize, error: &LexError) -> Self {
        let rest = text.get(error.span().byte_range().start + skipped..);
        let rest = rest.unwrap_or_default();
        let reason = match rest.chars().next() {
            Some(bracket @ ('(' | '[' | '{')) => format!("`{bracket}` is never closed"),
            Some(bracket @ (')' | ']' | '}')) => {
                format!("`{bracket}` does not match the bracket that was opened last")
            }
            Some('"') => "this text is never closed".to_owned(),
            Some('/') if rest.starts_with("/*") => "this comment is never closed".to_owned(),
            Some(_) => "no word, number or sign of Rust begins here".to_owned(),
            None => "the file ends too early".to_owned(),
        };
        let start = text.len() - rest.len();
        let end = start + rest.chars().next().map_or(0, char::len_utf8);
        Self {
            reason,
            place: Some(SourcePlace::at(text, start..end)),
        }
    }

    /// Returns the error as text, for a file of this name that was read as `kind`: the reason, then the place, as the
    /// compiler shows one.
    pub fn text(&self, name: &str, kind: &str) -> String {
        let mut text = format!("{name} cannot be read as {kind}: {}", self.reason);
        if let Some(place) = &self.place {
            let (line, column) = (place.line, place.column);
            let gutter = " ".repeat(line.to_string().len());
            let caret = format!("{}{}", " ".repeat(place.before), "^".repeat(place.width));
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n{gutter}--> {name}:{line}:{column}\n{gutter} |\n{line} | {}\n{gutter} | {caret}",
                place.excerpt
            );
        }
        text
    }
}

impl SourcePlace {
    /// Returns the place of a range of bytes, or the end of the text for an empty range, which the parser returns where
    /// the text ends.
    fn of(text: &str, bytes: Range<usize>) -> Self {
        if !bytes.is_empty() {
            return Self::at(text, bytes);
        }
        let end = text.trim_end().len();
        Self::at(text, end..end)
    }

    fn at(text: &str, bytes: Range<usize>) -> Self {
        let before = text.get(..bytes.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let before = &before[line_start..];
        let rest = &text[line_start + before.len()..];
        let rest = rest.lines().next().unwrap_or_default();
        // A tab is shown as one space.
        let width = |c: char| c.width().unwrap_or(1);
        let kept = |text: &mut dyn Iterator<Item = char>, most: usize| -> Vec<char> {
            let mut room = most;
            text.take_while(|c| {
                let fits = width(*c) <= room;
                room = room.saturating_sub(width(*c));
                fits
            })
            .collect()
        };
        let shown_before = kept(&mut before.chars().rev(), BEFORE_WIDTH_MAX);
        let is_cut = shown_before.len() < before.chars().count();
        let shown_before: String = shown_before.into_iter().rev().collect();
        let shown_before = if is_cut {
            format!("…{shown_before}")
        } else {
            shown_before
        };
        let room = EXCERPT_WIDTH_MAX.saturating_sub(shown_before.width());
        let shown_rest: String = kept(&mut rest.chars(), room).into_iter().collect();
        let end = if shown_rest.len() < rest.len() {
            "…"
        } else {
            ""
        };
        let covered: String = shown_rest.get(..bytes.len()).unwrap_or(&shown_rest).into();
        Self {
            line: text[..line_start].matches('\n').count() + 1,
            column: before.chars().count() + 1,
            before: shown_before.chars().map(width).sum(),
            width: covered.chars().map(width).sum::<usize>().max(1),
            excerpt: format!("{shown_before}{shown_rest}{end}"),
        }
    }
}

/// Returns the part of a text that the parser reads, from whose beginning it counts bytes: the text without a byte
/// order mark and a first line that names an interpreter.
fn parsed_part(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_attribute = |rest: &str| rest.trim_start().starts_with('[');
    match text.strip_prefix("#!") {
        Some(rest) if !is_attribute(rest) => &text[text.find('\n').unwrap_or(text.len())..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error text for a text that is not Rust.
    fn said(text: &str) -> String {
        let error = syn::parse_file(text).err().unwrap();
        Unreadable::at(text, &error).text("a.rs", "Rust")
    }

    #[test]
    fn the_line_is_shown_with_a_mark_below_the_error() {
        assert_eq!(
            said("// Ü\n\nfn f() {\n    let t = ;\n}\n"),
            "a.rs cannot be read as Rust: expected an expression\n \
             --> a.rs:4:13\n  |\n4 |     let t = ;\n  |             ^"
        );
        let wide = said("fn f() { \"宽宽\" fn }");
        assert!(wide.ends_with("\n  |                 ^^"), "{wide}");
        // Lines are counted with the one that names an interpreter.
        let script = said("#!/usr/bin/env rust\nfn f(,) {}");
        assert!(script.contains("a.rs:2:6") && script.ends_with("2 | fn f(,) {}\n  |      ^"));
    }

    #[test]
    fn a_text_that_ends_too_early_is_shown_at_its_end() {
        let text = said("fn f() {}\npub fn\n\n");
        assert!(text.contains("a.rs:2:7\n"), "{text}");
        assert!(text.ends_with("2 | pub fn\n  |       ^"), "{text}");
        assert!(said("pub").contains("a.rs:1:4"));
    }

    #[test]
    fn brackets_texts_and_comments_that_are_not_closed_are_named() {
        for (text, reason, place) in [
            ("fn f() {\n  (1 \n", "`(` is never closed", "a.rs:2:3"),
            ("fn f() }", "`}` does not match the bracket", "a.rs:1:8"),
            ("fn f() {\n \"x\n}", "this text is never closed", "a.rs:2:2"),
            ("\n/* x", "this comment is never closed", "a.rs:2:1"),
            ("fn f() { \u{7} }", "no word, number or sign", "a.rs:1:10"),
        ] {
            let said = said(text);
            assert!(said.contains(reason) && said.contains(place), "{said}");
        }
    }

    #[test]
    fn a_reserved_word_is_named_with_the_edition() {
        let text = said("fn f() { let async = 3; }");
        assert!(
            text.contains("`async` is a reserved word since edition 2018")
                && text.contains("files are compiled in edition 2024")
                && text.ends_with("^^^^^"),
            "{text}"
        );
    }

    #[test]
    fn of_a_long_line_what_stands_around_the_error_is_shown() {
        let long = format!(
            "fn f() {{ {} let = 3; {} }}",
            "a(); ".repeat(900),
            "b(); ".repeat(900)
        );
        let text = said(&long);
        let mut shown = text.lines().skip(1);
        assert!(shown.all(|line| line.chars().count() < 76), "{text}");
        let lines: Vec<&str> = text.lines().rev().take(2).collect();
        let caret = lines[0].chars().position(|c| c == '^').unwrap();
        let marked: String = lines[1].chars().skip(caret).take(3).collect();
        assert_eq!(marked, "= 3", "{text}");
    }
}
