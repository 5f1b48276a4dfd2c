//! Small mistakes made in functions, by seed.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::ops::Range;

/// What is wrong with a function that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mistake {
    /// A range that has one item more or less.
    OffByOne,
    /// A comparison that is true of equal values where it was not, or the other way round.
    Comparison,
    /// A number that is larger or smaller by one.
    Constant,
    /// A case that is not handled on its own any more.
    Guard,
    /// Two arguments that changed places.
    Arguments,
    /// Another operator.
    Operator,
}

impl Mistake {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::OffByOne,
        Self::Comparison,
        Self::Constant,
        Self::Guard,
        Self::Arguments,
        Self::Operator,
    ];

    /// What it is, for a reader.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OffByOne => "off by one",
            Self::Comparison => "a comparison",
            Self::Constant => "a constant",
            Self::Guard => "a guard that is gone",
            Self::Arguments => "swapped arguments",
            Self::Operator => "an operator",
        }
    }
}

/// Before brackets that are no call, and calls that are the same with their arguments the other way round.
const NO_CALLS: [&str; 8] = ["let", "in", "if", "for", "while", "match", "return", "swap"];

/// A mistake at its place in a source, and what stands there instead.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) mistake: Mistake,
    place: Range<usize>,
    instead: String,
}

impl Mutant {
    /// The source with the mistake.
    pub(crate) fn source(&self, right: &str) -> String {
        let Range { start, end } = self.place.clone();
        format!("{}{}{}", &right[..start], self.instead, &right[end..])
    }

    /// The line in which it is, and what stands there instead.
    pub(crate) fn line(&self, right: &str) -> String {
        let start = right[..self.place.start].rfind('\n').map_or(0, |at| at + 1);
        let line = right[start..].lines().next().unwrap_or_default().trim();
        let was = right[self.place.clone()].lines().next().unwrap_or_default();
        format!("`{line}`: `{}` for `{was}`", self.instead)
    }
}

/// The mistakes that can be made in the functions that a call of the first public one may reach, and in methods.
pub(crate) fn mutants(source: &str) -> Vec<Mutant> {
    let Ok(tokens) = source.parse::<TokenStream>() else {
        return Vec::new();
    };
    let bodies = bodies(tokens);
    let names: Vec<&str> = bodies.iter().filter_map(|body| body.0.as_deref()).collect();
    let first = source.split_once("pub fn ").and_then(|(_, rest)| {
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
    });
    let mut reached: Vec<&str> = first.into_iter().collect();
    let mut at = 0;
    while let Some(name) = reached.get(at).copied() {
        at += 1;
        let own = bodies.iter().filter(|body| body.0.as_deref() == Some(name));
        let text: String = own.map(|body| body.1.to_string()).collect();
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        for other in &names {
            if words.contains(other) && !reached.contains(other) {
                reached.push(other);
            }
        }
    }
    let mut found = Vec::new();
    for (name, body) in &bodies {
        if name.as_deref().is_none_or(|name| reached.contains(&name)) {
            collect(source, body, &mut found);
        }
    }
    found.retain(|mutant| !is_in_comment(source, mutant.place.start));
    found
}

/// The bodies of a file's items, each with its name if it is a function.
fn bodies(tokens: TokenStream) -> Vec<(Option<String>, Group)> {
    let mut bodies = Vec::new();
    let (mut name, mut is_named) = (None, false);
    for token in tokens {
        match token {
            TokenTree::Ident(word) if is_named => {
                name = Some(word.to_string());
                is_named = false;
            }
            TokenTree::Ident(word) => is_named = word == "fn",
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                bodies.push((name.take(), group));
            }
            _ => {}
        }
    }
    bodies
}

/// Returns true if a place is behind `//` in its line.
fn is_in_comment(source: &str, place: usize) -> bool {
    let start = source[..place].rfind('\n').map_or(0, |at| at + 1);
    source[start..place].contains("//")
}

fn collect(source: &str, group: &Group, found: &mut Vec<Mutant>) {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let mut add = |mistake, place: Range<usize>, instead: &str| {
        found.push(Mutant {
            mistake,
            place,
            instead: instead.to_owned(),
        });
    };
    for (at, token) in tokens.iter().enumerate() {
        let place = token.span().byte_range();
        match token {
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
                if let (Ok(number), true) = (text.parse::<u64>(), digits == text) {
                    add(Mistake::Constant, place.clone(), &(number + 1).to_string());
                    if number > 0 {
                        add(Mistake::Constant, place, &(number - 1).to_string());
                    }
                }
            }
            TokenTree::Ident(word) if word == "if" => {
                if let Some(end) = guard(&tokens[at..]) {
                    let end = tokens[at + end].span().byte_range().end;
                    add(Mistake::Guard, place.start..end, "");
                }
            }
            TokenTree::Group(inner) => {
                let before = at.checked_sub(1).map(|before| &tokens[before]);
                let is_call = matches!(before, Some(TokenTree::Ident(name)) if NO_CALLS.iter().all(|no| name != no));
                if is_call && let Some((first, second)) = two_parts(inner) {
                    let (a, b) = (&source[first.clone()], &source[second.clone()]);
                    let instead = format!("{b}, {a}");
                    add(Mistake::Arguments, first.start..second.end, &instead);
                }
            }
            TokenTree::Punct(_) | TokenTree::Ident(_) => {}
        }
    }
    for (mark, mistake, instead) in [
        (" < ", Mistake::Comparison, " <= "),
        (" <= ", Mistake::Comparison, " < "),
        (" > ", Mistake::Comparison, " >= "),
        (" >= ", Mistake::Comparison, " > "),
        (" == ", Mistake::Comparison, " != "),
        (" + ", Mistake::Operator, " - "),
        (" - ", Mistake::Operator, " + "),
        (" && ", Mistake::Operator, " || "),
        (" || ", Mistake::Operator, " && "),
        ("..=", Mistake::OffByOne, ".."),
    ] {
        for (at, _) in own(source, group, mark) {
            add(mistake, at..at + mark.len(), instead);
        }
    }
    for (at, _) in own(source, group, "..") {
        if !source[at..].starts_with("..=")
            && source[at + 2..].starts_with(|c: char| c.is_alphanumeric() || c == '*')
        {
            add(Mistake::OffByOne, at..at + 2, "..=");
        }
    }
    for token in &tokens {
        if let TokenTree::Group(inner) = token {
            collect(source, inner, found);
        }
    }
}

/// Returns the places of a mark in the brackets, without those in other brackets or in literals within them.
fn own<'a>(source: &'a str, group: &Group, mark: &'a str) -> Vec<(usize, &'a str)> {
    let place = group.span().byte_range();
    let within: Vec<Range<usize>> = group
        .stream()
        .into_iter()
        .filter(|token| matches!(token, TokenTree::Group(_) | TokenTree::Literal(_)))
        .map(|token| token.span().byte_range())
        .collect();
    let is_own = |at: &usize| within.iter().all(|inner| !inner.contains(at));
    let found = source[place.clone()].match_indices(mark);
    let found = found.map(|(at, text)| (at + place.start, text));
    found
        .filter(|(at, _)| is_own(&(at + mark.len() / 2)))
        .collect()
}

/// The place of the end of `if … { return …; }`, counted from `if`, where no `else` follows.
fn guard(tokens: &[TokenTree]) -> Option<usize> {
    let is_block = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let end = tokens.iter().position(is_block)?;
    let TokenTree::Group(block) = &tokens[end] else {
        return None;
    };
    let leaves = matches!(block.stream().into_iter().next(),
        Some(TokenTree::Ident(word)) if word == "return" || word == "continue");
    let has_else = matches!(tokens.get(end + 1), Some(TokenTree::Ident(word)) if word == "else");
    (leaves && !has_else).then_some(end)
}

/// The places of two arguments.
fn two_parts(call: &Group) -> Option<(Range<usize>, Range<usize>)> {
    let tokens: Vec<TokenTree> = call.stream().into_iter().collect();
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let mut parts = tokens.split(is_comma);
    let (first, second) = (parts.next()?, parts.next()?);
    if parts.next().is_some() || call.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    let place = |part: &[TokenTree]| {
        let start = part.first()?.span().byte_range().start;
        Some(start..part.last()?.span().byte_range().end)
    };
    Some((place(first)?, place(second)?))
}
