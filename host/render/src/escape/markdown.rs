//! Text in Markdown.

use super::{escaped, is_active, opens_command};
use std::fmt::{Display, Formatter, Result, Write};

/// A text in Markdown, in a sentence, a heading or a cell of a table: without emphasis, links, images,
/// tags, mentions, formulas or nested blocks.
pub struct Markdown<'a>(pub &'a str);

impl Display for Markdown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let text = self.0.trim_start();
        let list = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let opens_list = list.len() < text.len() && list.starts_with(['.', ')']);
        let marker = text.len() - list.len();
        for (index, c) in text.char_indices() {
            match c {
                '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '$' | '#' => {
                    write!(f, "\\{c}")?;
                }
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                // A comment after it keeps it from being an address or a mention.
                '@' => f.write_str("@<!-- -->")?,
                ':' if text[index..].starts_with("://") || opens_command(text, index) => {
                    f.write_str("\\:")?;
                }
                '.' if www_before(text, index) => f.write_str("\\.")?,
                '.' | ')' if opens_list && index == marker => write!(f, "\\{c}")?,
                '-' | '+' | '=' if index == 0 => write!(f, "\\{c}")?,
                '\n' | '\t' => f.write_char(' ')?,
                '\r' => {}
                c if is_active(c) => write!(f, "\\\\u\\{{{:x}\\}}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Returns true if the text before `end` ends in `www`, which would make a link of what follows.
fn www_before(text: &str, end: usize) -> bool {
    let before = &text.as_bytes()[..end];
    before.len() >= 3 && before[before.len() - 3..].eq_ignore_ascii_case(b"www")
}

/// A text as a fenced block of Markdown, with a fence that is longer than any in the text.
pub struct FencedBlock<'a>(pub &'a str);

/// A text that is no code as a fenced block of Markdown, likewise.
pub struct FencedText<'a>(pub &'a str);

impl Display for FencedBlock<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        fenced(f, self.0, "rust")
    }
}

impl Display for FencedText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        fenced(f, self.0, "text")
    }
}

fn fenced(f: &mut Formatter<'_>, text: &str, language: &str) -> Result {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    writeln!(f, "{fence}{language}")?;
    escaped(f, text, |_, c| match c {
        '\n' => Some("\n"),
        '\t' => Some("\t"),
        '\r' => Some(""),
        _ => None,
    })?;
    if !text.ends_with('\n') {
        f.write_char('\n')?;
    }
    write!(f, "{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_no_markup() {
        let shown = |text| Markdown(text).to_string();
        assert_eq!(shown("![x](http://e)"), "!\\[x\\](http\\://e)");
        assert_eq!(shown("a|b\n# c"), "a\\|b \\# c");
        assert_eq!(shown("1. x"), "1\\. x");
        assert_eq!(shown("1.8 and 2. y"), "1\\.8 and 2. y");
        assert_eq!(shown("- x"), "\\- x");
        assert_eq!(shown("WWW.evil"), "WWW\\.evil");
        assert_eq!(shown("me@host"), "me@<!-- -->host");
    }

    #[test]
    fn a_fence_cannot_be_closed_from_inside() {
        let shown = FencedBlock("```\n</details>\n````").to_string();
        assert!(shown.starts_with("`````rust\n") && shown.ends_with("\n`````"));
    }
}
