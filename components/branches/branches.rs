//! Branching complexity of Rust sources: how many ways there are through the code, and how deep it nests.
//!
//! A tokenizer is enough for both, and needs no crate: comments, strings and characters are skipped, and what
//! is left is counted as McCabe does (1976): one, and one more for each `if`, `while`, `for`, arm of a `match`
//! but the first, `let … else`, `&&`, `||` and `?`. Code in a macro's brackets counts as any other.

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
    /// `&&`, `||` or `=>`, a lifetime, or a single character.
    Sign(&'a str),
}

use Token::{Sign, Word};

/// Returns true if something that ends with this token can have an operator behind it.
fn ends_a_value(token: Option<Token<'_>>) -> bool {
    const NOT_VALUES: [&str; 20] = [
        "as", "async", "box", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let",
        "match", "move", "mut", "ref", "return", "static", "where", "while",
    ];
    match token {
        Some(Word(word)) => !NOT_VALUES.contains(&word),
        Some(Sign(sign)) => [")", "]", "?", "}"].contains(&sign),
        None => false,
    }
}

/// Brackets that are open.
struct Group {
    /// True of braces that may be those of a `match`: not the ones of a macro.
    takes_arms: bool,
    /// True if an arm came already.
    has_arm: bool,
    /// True of `#[ … ]`, and of `$( … )` in a macro's definition: no value ends there.
    is_aside: bool,
}

/// Returns the number of ways through the code.
pub fn branches(tokens: &[Token<'_>]) -> usize {
    let mut count = 1;
    let mut open: Vec<Group> = Vec::new();
    let mut after_aside = false;
    for (place, token) in tokens.iter().enumerate() {
        let back = |steps: usize| place.checked_sub(steps).map(|place| tokens[place]);
        let before = back(1);
        let follows_value = ends_a_value(before) && !std::mem::take(&mut after_aside);
        let is_branch = match *token {
            // A variable of a macro.
            Word(_) if before == Some(Sign("$")) => false,
            Word("if" | "while") => true,
            // `impl A for B` and `for<'a>` are no loops.
            Word("for") => {
                let follows = matches!(before, Some(Word(_) | Sign(">" | ")")));
                !follows && tokens.get(place + 1) != Some(&Sign("<"))
            }
            // `let … else`: that of an `if` follows a brace.
            Word("else") => before != Some(Sign("}")),
            Sign("=>") => match open.last_mut() {
                Some(group) if group.takes_arms => std::mem::replace(&mut group.has_arm, true),
                _ => false,
            },
            Sign("?" | "&&" | "||") => follows_value,
            Sign("(" | "[" | "{") => {
                // `name! {` and `macro_rules! name {`.
                let of_macro = before == Some(Sign("!")) || back(3) == Some(Word("macro_rules"));
                open.push(Group {
                    takes_arms: *token == Sign("{") && !of_macro,
                    has_arm: false,
                    is_aside: matches!(before, Some(Sign("$" | "#")))
                        || (before, back(2)) == (Some(Sign("!")), Some(Sign("#"))),
                });
                false
            }
            Sign(")" | "]" | "}") => {
                after_aside = open.pop().is_some_and(|group| group.is_aside);
                false
            }
            _ => false,
        };
        count += usize::from(is_branch);
    }
    count
}

/// Returns how deep braces nest.
pub fn depth(tokens: &[Token<'_>]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens {
        match token {
            Sign("{") => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            Sign("}") => depth = depth.saturating_sub(1),
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
            tokens.push(Word(""));
            length
        } else if first.is_ascii_digit() {
            tokens.push(Word(""));
            number(rest)
        } else if is_letter(first) {
            let length = match rest.strip_prefix("r#") {
                // `r#if` is a name.
                Some(name) if name.starts_with(is_letter) => 2 + word(name),
                _ => word(rest),
            };
            tokens.push(Word(&rest[..length]));
            length
        } else if first == '\'' {
            // A lifetime, since it is no character.
            let length = 1 + word(&rest[1..]);
            tokens.push(Sign(&rest[..length]));
            length
        } else {
            let pair = ["&&", "||", "=>"]
                .into_iter()
                .find(|pair| rest.starts_with(pair));
            let length = pair.map_or(first.len_utf8(), str::len);
            tokens.push(Sign(&rest[..length]));
            length
        };
    }
    tokens
}

fn is_letter(one: char) -> bool {
    one.is_alphanumeric() || one == '_'
}

/// The bytes of a name or number that comes first.
fn word(text: &str) -> usize {
    text.find(|one| !is_letter(one)).unwrap_or(text.len())
}

/// The bytes of a number that comes first, with the point that may end it: `1.`, but of `1..2` and `1.max(2)` one.
fn number(text: &str) -> usize {
    let length = word(text);
    let behind = text[length..].strip_prefix('.');
    let is_end = |rest: &str| !rest.starts_with(|one| one == '.' || is_letter(one));
    length + usize::from(behind.is_some_and(is_end))
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
