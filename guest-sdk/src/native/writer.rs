//! Numbers and strings as JSON, at the end of a line.

use super::reader::plain_length;
use std::io::Write as _;

/// The decimal digits of all numbers below 100, two for each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// Writes an integer: its sign, and its distance from zero.
pub fn push_integer(line: &mut Vec<u8>, is_negative: bool, mut rest: u64) {
    /// The digits of `u64::MAX`.
    const DIGITS_MAX: usize = 20;
    if is_negative {
        line.push(b'-');
    }
    let mut digits = [0; DIGITS_MAX];
    let mut begin = DIGITS_MAX;
    while rest >= 10 {
        begin -= 2;
        digits[begin..begin + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    // A single digit is left, which may be that of zero.
    if rest > 0 || begin == DIGITS_MAX {
        begin -= 1;
        digits[begin] = b'0' + rest as u8;
    }
    line.extend_from_slice(&digits[begin..]);
}

/// Writes a float, with the fewest digits that read back to the same value.
pub fn push_float<T>(line: &mut Vec<u8>, number: T)
where
    T: Copy + Into<f64> + std::fmt::Debug,
{
    let wide: f64 = number.into();
    if wide.is_nan() {
        line.extend_from_slice(b"\"nan\"");
    } else if wide.is_infinite() {
        let name: &[u8] = if wide > 0.0 { b"\"inf\"" } else { b"\"-inf\"" };
        line.extend_from_slice(name);
    } else {
        // Nothing fails that is written into memory. Other than `{}`, this takes an exponent where digits would be many.
        let _ = write!(line, "{number:?}");
    }
}

/// Writes a string.
pub fn push_string(line: &mut Vec<u8>, text: &str) {
    line.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let length = plain_length(rest);
        line.extend_from_slice(&rest[..length]);
        let Some(byte) = rest.get(length) else {
            break;
        };
        push_escape(line, *byte);
        rest = &rest[length + 1..];
    }
    line.push(b'"');
}

/// Writes a quote, a backslash or a control character.
fn push_escape(line: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            let _ = write!(line, "\\u{byte:04x}");
            return;
        }
    };
    line.extend_from_slice(&[b'\\', letter]);
}

/// Writes the only field of an object up to its value. [`close`] with `}` follows the value.
pub fn push_tag(line: &mut Vec<u8>, name: &str) {
    line.push(b'{');
    push_string(line, name);
    line.push(b':');
}

/// Ends an array or object whose items are each followed by a comma: the last comma gives way.
pub fn close(line: &mut Vec<u8>, end: u8) {
    match line.last_mut() {
        Some(last) if *last == b',' => *last = end,
        _ => line.push(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_all_their_digits_and_no_more() {
        let mut tens = (0..20).map(|exponent| 10_u64.saturating_pow(exponent));
        let numbers = tens.by_ref().flat_map(|ten| [ten - 1, ten, ten + 1]);
        for number in numbers.chain([0, 100, 12_345, u64::MAX]) {
            let mut line = Vec::new();
            push_integer(&mut line, true, number);
            assert_eq!(String::from_utf8(line).unwrap(), format!("-{number}"));
        }
    }

    #[test]
    fn strings_are_escaped_where_they_have_to_be() {
        let mut line = Vec::new();
        push_string(&mut line, "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}é😀");
        let expected = r#""\"\\/\b\f\n\r\t\u0000\u001f"#.to_owned() + "\u{7f}é😀\"";
        assert_eq!(String::from_utf8(line).unwrap(), expected);
    }
}
