//! Text from outside, made short and harmless to look at.

use bakeoff_domain::is_active;

/// The most characters of an excerpt.
pub(super) const EXCERPT_CHARS_MAX: usize = 300;

/// Returns the beginning of a text on one line, without characters that a terminal or a reader would
/// act on: these become `�`.
pub(super) fn excerpt(text: &str) -> String {
    let mut short = String::new();
    let mut chars = text.trim().chars();
    for c in chars.by_ref().take(EXCERPT_CHARS_MAX) {
        match c {
            '\n' | '\t' | '\r' => short.push(' '),
            c if is_active(c) => short.push('\u{fffd}'),
            c => short.push(c),
        }
    }
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(excerpt(" plain\ntext "), "plain text");
        let hostile = "\u{1b}]52;c;aGk=\u{7}\u{202e}x\u{200b}";
        assert_eq!(
            excerpt(hostile),
            "\u{fffd}]52;c;aGk=\u{fffd}\u{fffd}x\u{fffd}"
        );
        let long = excerpt(&"é".repeat(EXCERPT_CHARS_MAX + 1));
        assert_eq!(long.chars().count(), EXCERPT_CHARS_MAX + 1);
        assert!(long.ends_with('…'));
    }
}
