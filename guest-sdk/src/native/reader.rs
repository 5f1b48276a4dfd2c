//! A line of JSON, token by token.

use std::borrow::Cow;

/// A line that is not what is expected. Its [`Reader`] knows where, and what.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

/// A place in a line of JSON.
#[derive(Debug)]
pub struct Reader<'a> {
    line: &'a [u8],
    at: usize,
    expected: &'static str,
}

impl<'a> Reader<'a> {
    /// Begins to read a line.
    pub fn new(line: &'a [u8]) -> Self {
        Self {
            line,
            at: 0,
            expected: "",
        }
    }

    /// Notes what is expected here, where something else is.
    #[cold]
    pub fn fail<T>(&mut self, expected: &'static str) -> Result<T, Malformed> {
        self.expected = expected;
        Err(Malformed)
    }

    /// Returns where the line is malformed, and what is expected there.
    pub fn explain(&self) -> String {
        format!("byte {}: expected {}", self.at, self.expected)
    }

    /// The bytes that are left.
    fn rest(&self) -> &'a [u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Passes white space, and returns the first byte of the next token.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.line.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Passes a mark; false if the next token is another.
    pub fn pass(&mut self, mark: u8) -> bool {
        let is_next = self.peek() == Some(mark);
        self.at += usize::from(is_next);
        is_next
    }

    /// Passes a mark that has to be there.
    pub fn expect(&mut self, mark: u8, expected: &'static str) -> Result<(), Malformed> {
        if self.pass(mark) {
            return Ok(());
        }
        self.fail(expected)
    }

    /// Passes `null`, `true` or `false`; false if the next token is another.
    pub fn word(&mut self, word: &str) -> bool {
        self.peek();
        let is_next = self.rest().starts_with(word.as_bytes());
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// Goes to an item of an array that has exactly the items that are asked for, by its place.
    pub fn item(&mut self, place: usize) -> Result<(), Malformed> {
        if place == 0 {
            return Ok(());
        }
        self.expect(b',', "a comma")
    }

    /// Goes to the next item of an array or object of which `count` are read; false at its end.
    pub fn has_item(&mut self, count: usize, end: u8) -> Result<bool, Malformed> {
        if self.pass(end) {
            return Ok(false);
        }
        self.item(count).map(|()| true)
    }

    /// Reads the name of the next field of an object of which `count` are read; `None` at its end.
    pub fn field(&mut self, count: usize) -> Result<Option<Cow<'a, [u8]>>, Malformed> {
        if !self.has_item(count, b'}')? {
            return Ok(None);
        }
        let name = self.string("the name of a field")?;
        self.expect(b':', "a colon")?;
        Ok(Some(name))
    }

    /// Reads the name of the only field of an object. [`end_tag`](Self::end_tag) follows its value.
    pub fn tag(&mut self, expected: &'static str) -> Result<Cow<'a, [u8]>, Malformed> {
        self.expect(b'{', expected)?;
        let name = self.string(expected)?;
        self.expect(b':', "a colon")?;
        Ok(name)
    }

    /// Passes the end of an object that has one field.
    pub fn end_tag(&mut self) -> Result<(), Malformed> {
        self.expect(b'}', "the end of an object with one field")
    }

    /// Checks that the line has nothing more.
    pub fn end(&mut self) -> Result<(), Malformed> {
        if self.peek().is_none() {
            return Ok(());
        }
        self.fail("the end of the line")
    }

    /// Reads an integer: whether it has a sign, and its digits as a number.
    pub fn integer(&mut self) -> Result<(bool, u64), Malformed> {
        /// Every number of so many digits fits into 64 bits.
        const DIGITS_SAFE: usize = 19;
        let is_negative = self.pass(b'-');
        let rest = self.rest();
        let mut value = 0_u64;
        let mut length = 0;
        for byte in rest {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            length += 1;
        }
        if length > DIGITS_SAFE {
            let digits = std::str::from_utf8(&rest[..length]);
            let Some(exact) = digits.ok().and_then(|digits| digits.parse().ok()) else {
                return self.fail("an integer of its type");
            };
            value = exact;
        }
        if length == 0 {
            return self.fail("an integer");
        }
        self.at += length;
        Ok((is_negative, value))
    }

    /// Reads a number as it is written.
    pub fn number(&mut self) -> Result<&'a str, Malformed> {
        self.peek();
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let rest = self.rest();
        let length = rest.iter().take_while(is_part).count();
        let Ok(number) = std::str::from_utf8(&rest[..length]) else {
            return self.fail("a number");
        };
        self.at += length;
        Ok(number)
    }

    /// Reads a string; `expected` says what is not there, where the next token is another.
    pub fn string(&mut self, expected: &'static str) -> Result<Cow<'a, [u8]>, Malformed> {
        self.expect(b'"', expected)?;
        let rest = self.rest();
        let length = plain_length(rest);
        if rest.get(length) == Some(&b'"') {
            self.at += length + 1;
            return Ok(Cow::Borrowed(&rest[..length]));
        }
        self.escaped_string().map(Cow::Owned)
    }

    /// Reads the rest of a string that has escapes.
    fn escaped_string(&mut self) -> Result<Vec<u8>, Malformed> {
        let mut text = Vec::new();
        loop {
            let rest = self.rest();
            let length = plain_length(rest);
            text.extend_from_slice(&rest[..length]);
            self.at += length;
            match rest.get(length) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    let escaped = self.escape()?;
                    text.extend_from_slice(escaped.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => return self.fail("the end of the string"),
            }
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char, Malformed> {
        let letter = self.rest().first().copied();
        self.at += 1;
        Ok(match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.escaped_units(),
            _ => return self.fail("an escape"),
        })
    }

    /// Reads the character that one or two units of UTF-16 stand for.
    fn escaped_units(&mut self) -> Result<char, Malformed> {
        let first = self.unit()?;
        let is_pair = (0xd800..0xdc00).contains(&first) && self.rest().starts_with(b"\\u");
        let second = if is_pair {
            self.at += 2;
            Some(self.unit()?)
        } else {
            None
        };
        match char::decode_utf16([first].into_iter().chain(second)).next() {
            Some(Ok(character)) => Ok(character),
            _ => self.fail("a whole pair of surrogates"),
        }
    }

    fn unit(&mut self) -> Result<u16, Malformed> {
        let digits = self.rest().get(..4);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(unit) = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) else {
            return self.fail("four hexadecimal digits");
        };
        self.at += 4;
        Ok(unit)
    }
}

/// Returns how many bytes at the beginning stand for themselves in a string: none of them is a quote, a backslash or
/// a control character.
pub fn plain_length(bytes: &[u8]) -> usize {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    let words = bytes.chunks_exact(size_of::<u64>()).map(word);
    let plain = words.take_while(|word| is_plain_word(*word));
    let length = plain.count() * size_of::<u64>();
    let is_plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
    length + bytes[length..].iter().take_while(is_plain).count()
}

/// Returns true if none of eight bytes is a quote, a backslash or a control character.
///
/// A byte is below `n` if it borrows when `n` is taken off, and its own highest bit is not set. The lowest byte that
/// borrows is always one of these, so borrows that go on into the next byte find no others.
fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const HIGHEST_BITS: u64 = ONES * 0x80;
    let quotes = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let backslashes = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    let controls = word.wrapping_sub(ONES * 0x20);
    (quotes | backslashes | controls) & !word & HIGHEST_BITS == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Result<String, String> {
        let mut reader = Reader::new(line.as_bytes());
        let bytes = reader.string("a string").and_then(|bytes| {
            reader.end()?;
            Ok(bytes.into_owned())
        });
        match bytes {
            Ok(bytes) => Ok(String::from_utf8(bytes).unwrap()),
            Err(Malformed) => Err(reader.explain()),
        }
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        let line = r#" "\"\\\/\b\f\n\r\t\u00e9é\ud83d\ude00 and \u0000." "#;
        let expected = "\"\\/\u{8}\u{c}\n\r\té\u{e9}😀 and \0.";
        assert_eq!(text(line).as_deref(), Ok(expected));
        assert_eq!(text("\"\"").as_deref(), Ok(""));
    }

    #[test]
    fn what_is_no_string_is_refused_with_its_place() {
        for (line, reason) in [
            ("7", "byte 0: expected a string"),
            ("", "byte 0: expected a string"),
            ("\"ab", "byte 3: expected the end of the string"),
            ("\"ab\\", "byte 5: expected an escape"),
            ("\"a\nb\"", "byte 2: expected the end of the string"),
            (r#""\x""#, "byte 3: expected an escape"),
            (r#""\u12"#, "byte 3: expected four hexadecimal digits"),
            (r#""\u+123""#, "byte 3: expected four hexadecimal digits"),
            (r#""\ud83d""#, "byte 7: expected a whole pair of surrogates"),
            (
                r#""\ud83dx""#,
                "byte 7: expected a whole pair of surrogates",
            ),
            ("\"a\" 1", "byte 4: expected the end of the line"),
        ] {
            assert_eq!(text(line), Err(reason.to_owned()), "{line}");
        }
    }

    #[test]
    fn plain_bytes_end_at_the_first_that_is_not() {
        for place in 0..20 {
            for byte in 0..=u8::MAX {
                let mut bytes = "aé\u{80}\u{7f}!#[]~\u{10ffff}bcdefg".repeat(2).into_bytes();
                let whole = bytes.len();
                bytes[place] = byte;
                let is_plain = byte >= 0x20 && byte != b'"' && byte != b'\\';
                let expected = if is_plain { whole } else { place };
                assert_eq!(plain_length(&bytes), expected, "{byte} at {place}");
            }
        }
    }
}
