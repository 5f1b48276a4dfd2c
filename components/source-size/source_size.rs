//! The size of Rust sources as somebody has to read them: tokens, and the longest function.
//!
//! Lines (`source-lines`) depend on how a source is laid out, and bytes on how long its names are. Tokens do on
//! neither: comments do not count, and a name, a number, a text or a sign is one.

#![forbid(unsafe_code)]

use crate::bakeoff::{Criterion, Error, Evidence, Reading};

/// The criteria that this evaluator gives readings of.
pub fn describe() -> Vec<Criterion> {
    vec![
        Criterion::lower_is_better("tokens", "Names, numbers, texts and signs of the source.")
            .unit("tokens")
            .needs_source(),
        Criterion::lower_is_better("longest-function", "Tokens of the longest function's body.")
            .unit("tokens")
            .needs_source(),
    ]
}

/// The readings of one variant.
pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
    let Ok(text) = evidence.whole_source() else {
        return Ok(Vec::new());
    };
    let tokens = tokens(&text);
    // Readings are compared by ratio, and are above 0.
    let reading = |name, count: usize| Reading::new(name, count.max(1) as f64);
    Ok(vec![
        reading("tokens", tokens.len()),
        reading("longest-function", longest_function(&tokens)),
    ])
}

/// Returns the tokens between the braces of the longest function, those of functions in it included.
pub fn longest_function(tokens: &[&str]) -> usize {
    let mut longest = 0;
    for (place, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| **token == "fn")
    {
        let after = &tokens[place..];
        // A signature in a trait ends without a body; `fn` in a type has none either.
        let opens = after
            .iter()
            .position(|token| ["{", ";", "="].contains(token));
        let Some(opens) = opens.filter(|at| after[*at] == "{") else {
            continue;
        };
        let mut depth = 0_usize;
        let body = after[opens..].iter().position(|token| {
            match *token {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        longest = longest.max(body.map_or(0, |end| end.saturating_sub(1)));
    }
    longest
}

/// Returns the tokens of a source, each text in quotes as one, without comments.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, counts) = if first.is_whitespace() {
            (first.len_utf8(), false)
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), false)
        } else if rest.starts_with("/*") {
            (comment(rest), false)
        } else if let Some(length) = quoted(rest) {
            (length, true)
        } else if first.is_ascii_digit() {
            (number(rest), true)
        } else if is_word(first) {
            let length = match rest.strip_prefix("r#") {
                // `r#if` is a name.
                Some(name) if name.starts_with(is_word) => 2 + word(name),
                _ => word(rest),
            };
            (length, true)
        } else {
            (first.len_utf8(), true)
        };
        if counts {
            tokens.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    tokens
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The bytes of a name that comes first.
fn word(text: &str) -> usize {
    text.find(|letter| !is_word(letter)).unwrap_or(text.len())
}

/// The bytes of a number that comes first: `1`, `0x1f_u8`, `1.`, `2.5e-3f32`, but of `1..2` and `1.max(2)` one.
fn number(text: &str) -> usize {
    let mut length = word(text);
    let is_decimal = !["0x", "0o", "0b"]
        .iter()
        .any(|start| text.starts_with(start));
    if let Some(behind) = text[length..].strip_prefix('.').filter(|_| is_decimal) {
        let is_fraction = behind.starts_with(|letter: char| letter.is_ascii_digit());
        if is_fraction || !behind.starts_with(|letter| letter == '.' || is_word(letter)) {
            length += 1 + word(behind);
        }
    }
    let has_exponent = is_decimal && text[..length].ends_with(['e', 'E']);
    if has_exponent && text[length..].starts_with(['+', '-']) {
        length += 1 + word(&text[length + 1..]);
    }
    length
}

/// The bytes of a comment in `/* … */`, which may hold others; all of the text, if it does not end.
fn comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(pair) = text.as_bytes().get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The bytes of a text or a character in quotes that comes first; all of the rest, if it does not end.
fn quoted(text: &str) -> Option<usize> {
    let prefix = text
        .find(|c: char| !"bcr".contains(c))
        .filter(|length| *length <= 2)?;
    let rest = &text[prefix..];
    let is_raw = text[..prefix].contains('r');
    let hashes = if is_raw { rest.find(|c| c != '#')? } else { 0 };
    let opened = rest[hashes..].strip_prefix('"');
    if let Some(inside) = opened {
        let end = format!("\"{}", "#".repeat(hashes));
        let length = if is_raw {
            inside.find(&end)
        } else {
            closing(inside, '"')
        };
        let from = prefix + hashes + 1;
        return Some(length.map_or(text.len(), |length| from + length + end.len()));
    }
    // A lifetime has no second quote behind its first letter.
    let inside = rest.strip_prefix('\'').filter(|_| hashes == 0)?;
    let letter = inside.chars().next()?;
    let is_character = letter == '\\' || inside[letter.len_utf8()..].starts_with('\'');
    let length = closing(inside, '\'').filter(|_| is_character)?;
    Some(prefix + 1 + length + 1)
}

/// The place of the quote that ends a text, past those behind a backslash.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.find(|letter| {
        let ends = letter == quote && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    })
}
