//! Parts of a source in Rust: tokens, comments and the white space between them.

/// A part of a source in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A name, a literal or a sign.
    Token(&'a str),
    /// A comment.
    Comment(&'a str),
    /// White space.
    Space(&'a str),
}

impl<'a> Piece<'a> {
    /// Returns the text of the part.
    pub fn text(self) -> &'a str {
        match self {
            Self::Token(text) | Self::Comment(text) | Self::Space(text) => text,
        }
    }
}

/// Returns the parts of a source, in order; joined, they are the source. Takes time linear in its length, and never
/// fails: in a text that is no Rust, everything that looks like a token is one.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (comment, space) = (comment(rest), rest.len() - rest.trim_start().len());
        let length = match comment.max(space) {
            0 => token(rest, first),
            blank => blank,
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(match (comment, space) {
            (0, 0) => Piece::Token(piece),
            (0, _) => Piece::Space(piece),
            _ => Piece::Comment(piece),
        })
    })
}

/// Returns the length of a comment at the beginning of a text, in bytes; 0 without one.
fn comment(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text.as_bytes());
    }
    0
}

/// Returns the length of a block comment, which may contain others, in bytes.
fn block_comment(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0_u64, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length of the token at the beginning of a text, in bytes; at least one character.
fn token(text: &str, first: char) -> usize {
    let word = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let after = &text[word..];
    match first {
        '"' => quoted(text, 1, b'"'),
        '\'' => character(text),
        _ if word == 0 => first.len_utf8(),
        _ => match (&text[..word], after.as_bytes().first()) {
            ("r" | "br" | "cr", Some(b'"' | b'#')) => raw(text, word),
            ("b" | "c", Some(b'"')) => quoted(text, word + 1, b'"'),
            ("b", Some(b'\'')) => quoted(text, word + 1, b'\''),
            _ => word,
        },
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of a literal up to its closing quote, in bytes; its content begins at `start`.
fn quoted(text: &str, start: usize, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the length of a character literal or of a lifetime, in bytes.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => quoted(text, 1, b'\''),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => {
            let name = &text[1..];
            1 + name.find(|c: char| !is_word(c)).unwrap_or(name.len())
        }
    }
}

/// Returns the length of a raw string or of a raw name (`r#type`), in bytes; `prefix` is the length of its `r`.
fn raw(text: &str, prefix: usize) -> usize {
    let after = &text[prefix..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let Some(content) = after[hashes..].strip_prefix('"') else {
        let name = &after[hashes..];
        return prefix + hashes + name.find(|c: char| !is_word(c)).unwrap_or(name.len());
    };
    let end = format!("\"{}", &after[..hashes]);
    let start = prefix + hashes + 1;
    content
        .find(&end)
        .map_or(text.len(), |at| start + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_any_text_are_the_text() {
        for text in [
            "fn f<'a>(x: &'a str) { r#\"\"\"# 'b' b'\\'' r#type // c\n /* /* */ */ }",
            "\u{feff}'",
            "\"\\",
            "r#\"",
            "/* /*",
            "b'",
            "é'é",
            "r####",
        ] {
            let joined: String = pieces(text).map(Piece::text).collect();
            assert_eq!(joined, text);
        }
        let tokens: Vec<Piece<'_>> = pieces("mod a; // b").collect();
        let expected = [
            Piece::Token("mod"),
            Piece::Space(" "),
            Piece::Token("a"),
            Piece::Token(";"),
            Piece::Space(" "),
            Piece::Comment("// b"),
        ];
        assert_eq!(tokens, expected);
    }
}
