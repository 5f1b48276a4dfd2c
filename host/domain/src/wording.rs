//! Parts of sentences: a count with its thing, a text as one line, and the beginning of a long one.

use super::numbers;
use std::fmt::Display;

/// Returns the form of a word that goes with a count.
pub fn form<'a, N: PartialEq + From<u8>>(count: N, one: &'a str, many: &'a str) -> &'a str {
    if count == N::from(1_u8) { one } else { many }
}

/// Returns the ending of a noun that goes with a count: none for one, and else `s`.
pub fn ending<N: PartialEq + From<u8>>(count: N) -> &'static str {
    form(count, "", "s")
}

/// Returns a count with its thing: `1 task`, `2 tasks`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, thing: &str) -> String {
    format!("{count} {thing}{}", ending(count))
}

/// Returns a count, its digits in groups of three, with the form of the words that goes with it: `1 try was`, `2 tries were`.
pub fn counted_as(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", numbers::count(count), form(count, one, many))
}

/// Returns a text as one line: its words, with one space between them.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Returns a text as one line of at most so many characters, and an ellipsis behind them if there are more.
pub fn one_line_within(text: &str, chars_max: usize) -> String {
    clipped(&one_line(text), chars_max)
}

/// Returns a text, cut to a number of characters with `…` at its end.
pub fn clipped(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular_and_all_other_counts_are_plural() {
        assert_eq!(counted(1_u32, "task"), "1 task");
        assert_eq!(counted(0_usize, "task"), "0 tasks");
        assert_eq!(counted(10_000_u64, "task"), "10000 tasks");
        assert_eq!(counted_as(1, "try was", "tries were"), "1 try was");
        assert_eq!(
            counted_as(10_000, "try was", "tries were"),
            "10,000 tries were"
        );
        assert_eq!(form(2_u8, "is", "are"), "are");
    }

    #[test]
    fn a_text_of_several_lines_becomes_one_of_bounded_length() {
        let text = " ä  b\r\n\tc\u{2028}d ";
        assert_eq!(one_line(text), "ä b c d");
        assert_eq!(one_line_within(text, 7), "ä b c d");
        assert_eq!(one_line_within(text, 6), "ä b c …");
        assert_eq!(one_line_within(text, 0), "…");
        assert_eq!(one_line_within("", 0), "");
        assert_eq!(clipped("a\näö", 4), "a\näö");
        assert_eq!(clipped("a\näö", 3), "a\nä…");
    }
}
