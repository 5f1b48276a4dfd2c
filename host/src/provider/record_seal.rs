//! The seals of what hangs on money: each line of a record, and the calls that were under way.
//!
//! A seal is an HMAC under the key of the user whose bakeoff wrote the line, as results have one. It covers the
//! seals of all lines before it, so that nobody adds, repeats or leaves out one in the middle. A record without is
//! somebody else's, whatever it says.

use crate::files::{MAC_BYTES, UserKey};

/// What the HMAC of a line is begun with, and that of calls under way.
const LINE_TAG: &[u8] = b"bakeoff model record 1\0";
const UNDER_WAY_TAG: &[u8] = b"bakeoff models under way 1\0";

/// What stands before and behind the seal of a line, which is an object of JSON.
const BEFORE: &[u8] = b",\"seal\":\"";
const BEHIND: &[u8] = b"\"}";

/// The hexadecimal digits of a seal.
const DIGITS: usize = 2 * MAC_BYTES;

/// The seal of a record so far.
#[derive(Clone, Debug)]
pub(super) struct RecordSeal {
    key: UserKey,
    last: [u8; MAC_BYTES],
}

impl RecordSeal {
    /// The seal of an empty record under this user's key; and why no later run will recognise it, if none will.
    ///
    /// # Errors
    /// There is no key, and none can be drawn.
    pub(super) fn of_user() -> std::io::Result<(Self, Option<String>)> {
        let (key, unsealed) = match UserKey::of_results() {
            Ok(key) => (key, None),
            Err(reason) => (UserKey::of_this_process()?, Some(reason)),
        };
        let last = [0; MAC_BYTES];
        Ok((Self { key, last }, unsealed))
    }

    fn of_line(&self, line: &[u8]) -> [u8; MAC_BYTES] {
        self.key.mac(&[LINE_TAG, &self.last, line])
    }

    /// Returns an object of JSON with its seal, and the record's seal with it; `None` if it is no object with fields.
    pub(super) fn sealed(&self, object: &[u8]) -> Option<(Vec<u8>, Self)> {
        let open = object.strip_suffix(b"}").filter(|open| open.len() > 1)?;
        let last = self.of_line(object);
        let line = [open, BEFORE, hex(&last).as_bytes(), BEHIND].concat();
        let key = self.key.clone();
        Some((line, Self { key, last }))
    }

    /// Returns the record's seal with these whole lines, if each is sealed.
    pub(super) fn with_lines(mut self, lines: &[u8]) -> Option<Self> {
        if lines.is_empty() {
            return Some(self);
        }
        let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
        for line in lines.split(|byte| *byte == b'\n') {
            let (open, seal) = split(line)?;
            self.last = self.of_line(&[open, b"}"].concat());
            if !is_same(seal, hex(&self.last).as_bytes()) {
                return None;
            }
        }
        Some(self)
    }

    /// Returns a text of one line with a seal behind it, in a line of its own.
    pub(super) fn seal_under_way(&self, text: &[u8]) -> Vec<u8> {
        let seal = hex(&self.key.mac(&[UNDER_WAY_TAG, text]));
        [text, b"\n", seal.as_bytes(), b"\n"].concat()
    }

    /// Returns that text, if it is sealed.
    pub(super) fn opened_under_way<'a>(&self, sealed: &'a [u8]) -> Option<&'a [u8]> {
        let at = sealed.iter().position(|byte| *byte == b'\n')?;
        let (text, seal) = sealed.split_at(at);
        let expected = hex(&self.key.mac(&[UNDER_WAY_TAG, text]));
        let seal = seal.trim_ascii();
        is_same(seal, expected.as_bytes()).then_some(text)
    }
}

/// A line of a record without its seal, if it has one.
pub(super) fn without_seal(line: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match split(line) {
        Some((open, _)) => [open, b"}"].concat().into(),
        None => line.into(),
    }
}

/// What stands before the seal of a line, and the seal's digits.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_suffix(BEHIND)?;
    let (rest, seal) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let is_hex = seal.iter().all(u8::is_ascii_hexdigit);
    Some((rest.strip_suffix(BEFORE)?, seal)).filter(|_| is_hex)
}

/// Compares two seals in a time that says nothing about them.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> RecordSeal {
        RecordSeal {
            key: UserKey::of_this_process().unwrap(),
            last: [0; MAC_BYTES],
        }
    }

    #[test]
    fn lines_are_ours_in_their_order_and_no_other() {
        let empty = seal();
        let mut now = empty.clone();
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for number in 0..3 {
            let object = format!("{{\"n\":{number}}}");
            let (mut line, next) = now.sealed(object.as_bytes()).unwrap();
            assert_eq!(without_seal(&line).as_ref(), object.as_bytes());
            let parsed: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(parsed["n"], number);
            line.push(b'\n');
            lines.push(line);
            now = next;
        }
        let is_ours = |order: &[usize]| {
            let text: Vec<u8> = order.iter().flat_map(|at| lines[*at].clone()).collect();
            empty.clone().with_lines(&text).is_some()
        };
        assert!(is_ours(&[]) && is_ours(&[0]) && is_ours(&[0, 1, 2]));
        for order in [&[1][..], &[0, 0], &[0, 2], &[1, 0, 2], &[0, 1, 2, 2]] {
            assert!(!is_ours(order), "{order:?}");
        }
        let changed = String::from_utf8(lines[0].clone()).unwrap();
        let changed = changed.replace("\"n\":0", "\"n\":9");
        for forged in [&changed, "{\"n\":0}\n", "\n", "{}\n", "null\n"] {
            let forged = forged.as_bytes();
            assert!(empty.clone().with_lines(forged).is_none());
        }
        assert!(seal().with_lines(&lines[0]).is_none(), "another key");
        assert!(empty.sealed(b"{}").is_none() && empty.sealed(b"[1]").is_none());
    }

    #[test]
    fn calls_under_way_are_ours_with_their_seal_alone() {
        let ours = seal();
        let sealed = ours.seal_under_way(b"[1]");
        assert_eq!(ours.opened_under_way(&sealed), Some(&b"[1]"[..]));
        assert_eq!(seal().opened_under_way(&sealed), None);
        for forged in [&b"[1]"[..], b"[1]\n", b"[1]\n00\n", b""] {
            assert_eq!(ours.opened_under_way(forged), None);
        }
    }
}
