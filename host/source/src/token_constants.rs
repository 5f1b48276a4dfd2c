//! Reading the numbers and texts that stand in sources which no parser here reads.

use super::interface::Constants;
use super::tokens::{Piece, pieces};

/// Returns the first constants of a source in C, C++ or Zig, whose literals are written as those of Rust but for
/// suffixes (`86400UL`) and octal numbers (`0644`, `0o644`). Names of files that are included are left out.
pub fn token_constants(text: &str) -> Constants {
    let mut constants = Constants::default();
    let tokens = pieces(text).filter_map(|piece| match piece {
        Piece::Token(token) => Some(token),
        Piece::Comment(_) | Piece::Space(_) => None,
    });
    let mut before = "";
    for token in tokens {
        match token.chars().next() {
            Some('0'..='9') => constants.add_number(number(token)),
            Some('"') if before != "include" => {
                constants.add_text(quoted(token, '"'));
            }
            Some('\'') => {
                let letter = quoted(token, '\'').filter(|text| text.chars().count() == 1);
                let code = letter.as_deref().and_then(|text| text.chars().next());
                constants.add_number(code.map(|letter| i64::from(u32::from(letter))));
                constants.add_text(letter);
            }
            _ => {}
        }
        before = token;
    }
    constants
}

/// Returns the value of a whole number; one beyond `i64` is taken by its bits.
fn number(token: &str) -> Option<i64> {
    let digits = token.replace('_', "").to_ascii_lowercase();
    let digits = digits.trim_end_matches(['u', 'l', 'z']);
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some(_) if digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let value = u64::from_str_radix(digits, radix).ok()?;
    Some(value.cast_signed())
}

/// Returns the text between quotes; `None` if it has an escape that is not one of the plain ones.
fn quoted(token: &str, quote: char) -> Option<String> {
    let content = token.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut letters = content.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                other @ ('\\' | '"' | '\'') => other,
                _ => return None,
            },
            other => other,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_of_c_and_zig_are_found() {
        let found = token_constants(
            "#include \"prototype.h\"\n#define DAY 86400UL /* not 5 */\n// nor \"6\"\nint f(int x2) { \
             return x2 > 0xFFu || x2 == 0644 || *s == 'q' || *s == '\\n' || !strcmp(s, \"y\\\"e\") || 18446744073709551615u; }\n\
             const a = 1_000; const b = 0o17; const c = 0b11;",
        );
        let numbers: Vec<i64> = found.numbers.into_iter().collect();
        assert_eq!(numbers, [-1, 3, 10, 15, 113, 255, 420, 1_000, 86_400]);
        let texts: Vec<String> = found.texts.into_iter().collect();
        assert_eq!(texts, ["\n", "q", "y\"e"]);
        for text in [
            "'",
            "\"",
            "'\\",
            "0x",
            "09",
            "'ab'",
            "\"\\x41\"",
            "é\"é\"9é",
        ] {
            token_constants(text);
        }
        let many: String = (0..500)
            .map(|number| format!("int a{number} = {number};"))
            .collect();
        assert_eq!(token_constants(&many).numbers.len(), 64);
    }
}
