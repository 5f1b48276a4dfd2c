//! Reading loops over tables in tests: `for (a, b) in [(1, 2), (3, 4)] { … }`.

use super::rust_values::Bindings;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The most rows of a table that are read.
const ROWS_MAX: usize = 32;

/// The most names of a row.
const NAMES_MAX: usize = 12;

/// A loop over a table.
pub(super) struct Table {
    /// The values of the loop's names, row by row.
    pub(super) rows: Vec<Vec<(String, TokenStream)>>,
    /// The body of the loop.
    pub(super) body: TokenStream,
}

/// Reads the tokens after `for`, if they are a loop over a table that is written out there, or bound to a name.
pub(super) fn table(tokens: &[TokenTree], bindings: &Bindings) -> Option<Table> {
    let is_in = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "in");
    let place = tokens.iter().take(4).position(is_in)?;
    let (pattern, rest) = (&tokens[..place], &tokens[place + 1..]);
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let end = rest.iter().position(is_body)?;
    let TokenTree::Group(body) = &rest[end] else {
        return None;
    };
    let names = names(pattern)?;
    let list = list(&rest[..end], bindings)?;
    let rows = split(list.stream()).into_iter().take(ROWS_MAX);
    let rows = rows.filter_map(|row| {
        let values = match names.as_slice() {
            [_] => vec![row],
            _ => split(group(row, Delimiter::Parenthesis)?.stream()),
        };
        let is_whole = values.len() == names.len();
        is_whole.then(|| names.iter().cloned().zip(values).collect())
    });
    Some(Table {
        rows: rows.collect(),
        body: body.stream(),
    })
}

/// Returns the names of a pattern: `a`, `&a`, `(a, b)`, `&(a, b)`.
fn names(pattern: &[TokenTree]) -> Option<Vec<String>> {
    match pattern.last()? {
        TokenTree::Ident(name) => Some(vec![name.to_string()]),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            let parts = split(group.stream());
            let name = |part: TokenStream| match part.into_iter().last() {
                Some(TokenTree::Ident(name)) => Some(name.to_string()),
                _ => None,
            };
            let names = parts.into_iter().map(name).collect::<Option<Vec<_>>>()?;
            (2..=NAMES_MAX).contains(&names.len()).then_some(names)
        }
        _ => None,
    }
}

/// Returns the list in `[…]`, `&[…]`, `vec![…]` or a name that stands for one of these, also with a call behind it,
/// such as `.iter()`.
fn list(expression: &[TokenTree], bindings: &Bindings) -> Option<Group> {
    let is_method =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '.');
    let end = expression.iter().position(is_method);
    let named = &expression[..end.unwrap_or(expression.len())];
    match named.last()? {
        TokenTree::Ident(name) => {
            group(bindings.get(&name.to_string())?.clone(), Delimiter::Bracket)
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some(group.clone()),
        _ => None,
    }
}

/// Returns the brackets at the end of an expression.
fn group(expression: TokenStream, delimiter: Delimiter) -> Option<Group> {
    match expression.into_iter().last()? {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// Splits arguments, items or fields at their commas.
pub(super) fn split(arguments: TokenStream) -> Vec<TokenStream> {
    let mut given = vec![TokenStream::new()];
    for token in arguments {
        match (&token, given.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => {
                given.push(TokenStream::new())
            }
            (_, Some(last)) => last.extend([token]),
            _ => {}
        }
    }
    given.retain(|tokens| !tokens.is_empty());
    given
}
