//! Reading the numbers and texts that stand in a source file.

use bakeoff_source::interface::Constants;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Returns the first constants of a file that can be parsed. Attributes, and with them documentation, are left out.
pub(super) fn constants(text: &str) -> Constants {
    let mut constants = Constants::default();
    if let Ok(tokens) = text.parse::<TokenStream>() {
        collect(tokens, &mut constants);
    }
    constants
}

fn collect(tokens: TokenStream, constants: &mut Constants) {
    let mut is_attribute = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_attribute && group.delimiter() == Delimiter::Bracket => {
                is_attribute = false;
            }
            TokenTree::Group(group) => collect(group.stream(), constants),
            TokenTree::Literal(literal) => add(syn::Lit::new(literal), constants),
            // `#[…]`, and `#![…]`.
            TokenTree::Punct(punct) => {
                is_attribute = punct.as_char() == '#' || (is_attribute && punct.as_char() == '!');
            }
            TokenTree::Ident(_) => is_attribute = false,
        }
    }
}

fn add(literal: syn::Lit, constants: &mut Constants) {
    let number = match &literal {
        // A number beyond `i64` is taken by its bits.
        syn::Lit::Int(number) => number.base10_parse::<u64>().ok().map(u64::cast_signed),
        syn::Lit::Byte(byte) => Some(i64::from(byte.value())),
        syn::Lit::Float(number) => number.base10_parse::<f64>().ok().map(|value| value as i64),
        _ => None,
    };
    let text = match &literal {
        syn::Lit::Str(text) => Some(text.value()),
        syn::Lit::ByteStr(bytes) => String::from_utf8(bytes.value()).ok(),
        syn::Lit::Char(letter) => Some(letter.value().to_string()),
        syn::Lit::Byte(byte) => Some(char::from(byte.value()).to_string()),
        _ => None,
    };
    constants.add_number(number);
    constants.add_text(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_found_but_in_documentation() {
        let found = constants(
            "//! Not 1 or \"a\".\n#![doc(x = \"no\")]\n/// Not 2.\n#[doc = \"3\"] pub fn f(x: u64) -> bool {
            let _ = [b'q', 0xff, 18_446_744_073_709_551_615, 1_000u16]; matches!(x, 42) || \"yes\" == \"é\" || 'c' == 'd' }",
        );
        let numbers: Vec<i64> = found.numbers.into_iter().collect();
        assert_eq!(numbers, [-1, 42, 113, 255, 1_000]);
        let texts: Vec<String> = found.texts.into_iter().collect();
        assert_eq!(texts, ["c", "d", "q", "yes", "é"]);
        let many: String = (0..500)
            .map(|number| format!("const A{number}: u32 = {number};"))
            .collect();
        assert_eq!(constants(&many).numbers.len(), 64);
    }
}
