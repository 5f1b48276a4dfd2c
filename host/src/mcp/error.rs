//! Errors that a tool answers with: the problem, its cause, and what to do next.

use bakeoff_render::escape::Lines;

/// The most characters of a value of the agent's own that a message quotes.
const QUOTED_CHARS_MAX: usize = 80;

/// The most bytes of another parser's message.
const MESSAGE_BYTES_MAX: usize = 400;

/// An error for the agent. Its text is escaped: it may quote what the agent or a compiler wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolError(String);

impl ToolError {
    pub(super) fn new(message: impl AsRef<str>) -> Self {
        Self(Lines(message.as_ref()).to_string())
    }

    /// Creates an error of the machine, which no argument causes.
    pub(super) fn machine(what: &str, why: impl std::fmt::Display) -> Self {
        Self::new(format!("{what}: {why}"))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

/// Returns the beginning of a text in quotes, escaped.
pub(super) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("`{}{more}`", bakeoff_render::escape::Plain(&start))
}

/// Returns the message of another parser on one line, escaped: it may quote its input.
pub(super) fn briefly(why: &str) -> String {
    let end = why.floor_char_boundary(MESSAGE_BYTES_MAX);
    let more = if end < why.len() { "…" } else { "" };
    format!("{}{more}", bakeoff_render::escape::Plain(&why[..end]))
}

/// Returns a text of at most `bytes_max` bytes, cut at a line, with a note on the rest.
pub(super) fn shortened(text: &str, bytes_max: usize, rest: &str) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes_max);
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}\n… {rest}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_is_quoted_briefly_and_without_control_characters() {
        let long = format!("\u{1b}]52;c;{}\u{7}", "x".repeat(10_000));
        let shown = quoted(&long);
        assert!(
            shown.starts_with("`\\u{1b}]52;c;xx") && shown.ends_with("x…`"),
            "{shown}"
        );
        assert!(shown.len() < 120);
        assert_eq!(quoted("heap"), "`heap`");
        assert_eq!(ToolError::new("a\u{202e}\nb").text(), "a\\u{202e}\nb");
    }

    #[test]
    fn long_texts_end_at_a_line() {
        assert_eq!(shortened("ab\ncd", 5, "more"), "ab\ncd");
        assert_eq!(shortened("ab\ncdef", 5, "more"), "ab\n… more");
        assert_eq!(shortened("äöü", 3, "more"), "ä\n… more");
    }
}
