//! Branching complexity of Rust sources: how many ways there are through the code, and how deep it nests.
//!
//! A tokenizer is enough for both, and needs no crate: comments, strings and characters are skipped, and what
//! is left is counted as McCabe does (1976): one, and one more for each `if`, `while`, `for`, arm of a `match`
//! but the first, `&&`, `||` and `?`.

#![forbid(unsafe_code)]

use crate::bakeoff::{Criterion, Error, Evidence, Reading};

/// The greatest depth that is told apart.
const DEPTH_MAX: f64 = 50.0;

/// The criteria that this evaluator gives readings of.
pub fn describe() -> Vec<Criterion> {
    vec![
        Criterion::lower_is_better(
            "branches",
            "Ways through the code: one, and one for each branch.",
        )
        .unit("branches")
        .needs_source(),
        Criterion::lower_is_better("depth", "How deep its braces nest.")
            .unit("levels")
            .range(0.0, DEPTH_MAX)
            .needs_source(),
    ]
}

/// The readings of one variant.
pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
    let Ok(text) = evidence.whole_source() else {
        return Ok(Vec::new());
    };
    let tokens = tokens(&text);
    Ok(vec![
        Reading::new("branches", branches(&tokens) as f64),
        Reading::new("depth", (depth(&tokens) as f64).min(DEPTH_MAX)),
    ])
}

/// A piece of source that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name, a keyword, a number or another literal.
    Word(&'a str),
    /// `&&`, `||` or `=>`, or a single character.
    Sign(&'a str),
}

/// Returns true if something that ends with this token can have an operator behind it.
fn ends_a_value(token: Option<&Token<'_>>) -> bool {
    const NOT_VALUES: [&str; 8] = [
        "return", "in", "if", "while", "match", "else", "move", "break",
    ];
    match token {
        Some(Token::Word(word)) => !NOT_VALUES.contains(word),
        Some(Token::Sign(sign)) => [")", "]", "?", "}"].contains(sign),
        None => false,
    }
}

/// Returns the number of ways through the code.
pub fn branches(tokens: &[Token<'_>]) -> usize {
    let mut count = 1;
    // Between `impl` and its braces, `for` is no loop.
    let mut in_head = false;
    // By open `match`, the depth of its braces and whether it has an arm.
    let mut matches: Vec<(usize, bool)> = Vec::new();
    let mut awaiting_match = false;
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate() {
        let next = tokens.get(place + 1);
        match token {
            Token::Word("impl") => in_head = true,
            Token::Word("for") => {
                let is_bound = next == Some(&Token::Sign("<"));
                count += usize::from(!in_head && !is_bound);
            }
            Token::Word("if" | "while") => count += 1,
            Token::Word("match") => awaiting_match = true,
            Token::Sign("{") => {
                depth += 1;
                in_head = false;
                if awaiting_match {
                    matches.push((depth, false));
                    awaiting_match = false;
                }
            }
            Token::Sign("}") => {
                if matches.last().is_some_and(|(of, _)| *of == depth) {
                    matches.pop();
                }
                depth = depth.saturating_sub(1);
            }
            Token::Sign(";") => in_head = false,
            Token::Sign("=>") => {
                if let Some((_, has_arm)) = matches.last_mut() {
                    count += usize::from(*has_arm);
                    *has_arm = true;
                }
            }
            Token::Sign("?") => {
                let before = place.checked_sub(1).and_then(|place| tokens.get(place));
                count += usize::from(ends_a_value(before));
            }
            Token::Sign("&&" | "||") => {
                let before = place.checked_sub(1).and_then(|place| tokens.get(place));
                count += usize::from(ends_a_value(before));
            }
            _ => {}
        }
    }
    count
}

/// Returns how deep braces nest.
pub fn depth(tokens: &[Token<'_>]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens {
        match token {
            Token::Sign("{") => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            Token::Sign("}") => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Returns the tokens of a source, without comments and what is in quotes.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        at += if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some(length) = quoted(rest) {
            tokens.push(Token::Word(""));
            length
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let length = end.unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..length]));
            length
        } else {
            let pair = ["&&", "||", "=>"]
                .into_iter()
                .find(|pair| rest.starts_with(pair));
            let length = pair.map_or(first.len_utf8(), str::len);
            tokens.push(Token::Sign(&rest[..length]));
            length
        };
    }
    tokens
}

/// The bytes of a comment in `/* … */`, which may hold others.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The bytes of a string or a character that the text begins with.
fn quoted(text: &str) -> Option<usize> {
    let prefix = text
        .find(|c: char| !['b', 'c', 'r'].contains(&c))
        .unwrap_or(0);
    let rest = &text[prefix..];
    if prefix <= 2
        && text[..prefix].contains('r')
        && (rest.starts_with('#') || rest.starts_with('"'))
    {
        let hashes = rest.find(|c| c != '#')?;
        let opened = rest[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = opened
            .find(&end)
            .map_or(opened.len(), |place| place + end.len());
        return Some(prefix + hashes + 1 + length);
    }
    if prefix <= 1 && rest.starts_with('"') {
        return Some(prefix + 1 + until(&rest[1..], b'"'));
    }
    let inner = text[prefix..].strip_prefix('\'').filter(|_| prefix <= 1)?;
    let mut characters = inner.chars();
    match (characters.next(), characters.next()) {
        (Some('\\'), _) => Some(prefix + 1 + until(inner, b'\'')),
        // Otherwise it is a lifetime.
        (Some(one), Some('\'')) => Some(prefix + one.len_utf8() + 2),
        _ => None,
    }
}

/// The bytes up to and with a quote that no `\` stands before.
fn until(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
