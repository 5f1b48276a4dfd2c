//! Lines of a terminal: wrapped, indented and styled.

use super::Colour;
use super::escape::Plain;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The style of a line.
#[derive(Clone, Copy)]
pub(super) enum Style {
    Bold,
    Good,
    Bad,
    Dim,
}

/// Beginning of each further line of a paragraph with text from outside: no line of ours begins so.
pub(super) const CONTINUED: &str = "    ";

/// Lines that are being written.
pub(super) struct Lines {
    /// Text so far.
    pub(super) out: String,
    /// Columns of the terminal.
    pub(super) width: usize,
    colour: Colour,
}

impl Lines {
    pub(super) fn new(width: usize, colour: Colour) -> Self {
        Self {
            out: String::new(),
            width,
            colour,
        }
    }

    /// Adds a line, styled if colours are on. The text must be escaped already.
    pub(super) fn line(&mut self, text: &str, style: Option<Style>) {
        let code = match (self.colour, style) {
            (Colour::Never, _) | (_, None) => None,
            (Colour::Always, Some(Style::Bold)) => Some("1"),
            (Colour::Always, Some(Style::Good)) => Some("1;32"),
            (Colour::Always, Some(Style::Bad)) => Some("1;31"),
            (Colour::Always, Some(Style::Dim)) => Some("2"),
        };
        match code {
            Some(code) => self.out += &format!("\u{1b}[{code}m{text}\u{1b}[0m\n"),
            None => self.out += &format!("{}\n", text.trim_end()),
        }
    }

    /// Adds a paragraph of any text: escaped, wrapped and indented.
    pub(super) fn paragraph(&mut self, text: &str, indent: &str, style: Option<Style>) {
        let hanging = if indent.ends_with("• ") {
            " ".repeat(indent.width())
        } else {
            indent.to_owned()
        };
        self.wrapped(text, (indent, &hanging), style);
    }

    /// Adds a paragraph with text from outside. Its author may choose where a line is wrapped, so no further line
    /// begins as one of ours does.
    pub(super) fn outside(&mut self, text: &str, indent: &str, style: Option<Style>) {
        self.wrapped(text, (indent, CONTINUED), style);
    }

    /// Adds the lines of a text, with a beginning of the first and one of all others.
    fn wrapped(&mut self, text: &str, (first, further): (&str, &str), style: Option<Style>) {
        let longest = first.width().max(further.width());
        let room = self.width.saturating_sub(longest).max(20);
        for (index, line) in wrapped(&Plain(text).to_string(), room).iter().enumerate() {
            let indent = if index == 0 { first } else { further };
            self.line(&format!("{indent}{line}"), style);
        }
    }
}

/// Returns lines of at most `width` columns, broken at spaces if there are any. Letters of some scripts take two
/// columns. No line is a command of a runner because it begins where another one ends; such a line is a little wider.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        let used = last_width(&lines);
        if used > 0 && used + 1 + word.width() > width {
            lines.push(String::new());
        }
        while fitting(word, width) < word.len() {
            let (piece, rest) = word.split_at(fitting(word, width));
            push(&mut lines, piece);
            lines.push(String::new());
            word = rest;
        }
        push(&mut lines, word);
    }
    let lines = lines.iter();
    lines.map(|line| Plain(line).to_string()).collect()
}

fn last_width(lines: &[String]) -> usize {
    lines.last().map_or(0, |line| line.width())
}

/// Returns the length in bytes of the beginning of a word that fits into a width: one letter at least.
fn fitting(word: &str, width: usize) -> usize {
    let mut used = 0;
    let mut letters = word.char_indices();
    let too_much = letters.find(|(at, letter)| {
        used += letter.width().unwrap_or(0);
        *at > 0 && used > width
    });
    too_much.map_or(word.len(), |(at, _)| at)
}

fn push(lines: &mut [String], word: &str) {
    if let Some(line) = lines.last_mut() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_its_width_and_nothing_is_lost() {
        let texts = [
            "a text of a few words",
            "堆排序 快速選擇 插入排序",
            "一個沒有空格而且比一行還要長得多的句子",
            "🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀 and words",
            "  two  spaces",
        ];
        for text in texts {
            for width in 8..30 {
                let lines = wrapped(text, width);
                assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
                let letters = |text: &str| text.replace(' ', "");
                assert_eq!(letters(&lines.concat()), letters(text));
            }
        }
        assert_eq!(wrapped("堆排序 快速", 6), ["堆排序", "快速"]);
        assert_eq!(wrapped("堆排序", 5), ["堆排", "序"]);
    }
}
