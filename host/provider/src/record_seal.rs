//! Seals of what money depends on: each line of a record, and the calls that were under way.
//!
//! A seal is an HMAC under the key of the user whose bakeoff wrote the line, as results have one. It covers the seals
//! of all lines before it, so that nobody adds, repeats or leaves out one in the middle. A record without seals is
//! somebody else's, whatever it says.
//!
//! The first line is the record's id, drawn when the record is begun. So all seals of a record, and that of the calls
//! under way too, are valid in that record alone.

use bakeoff_domain::hex;
use bakeoff_files::{MAC_BYTES, UserKey};

/// First bytes of what the HMAC of a line covers, and of what that of the calls under way covers.
const LINE_TAG: &[u8] = b"bakeoff model record 2\0";
const UNDER_WAY_TAG: &[u8] = b"bakeoff models under way 2\0";

/// Text before and behind the id of a record, in its first line.
const ID_BEFORE: &str = "{\"record\":\"";
const ID_BEHIND: &str = "\"}";

/// The size of an id, in bytes.
const ID_BYTES: usize = 16;

/// Text before and behind the seal of a line, which is a JSON object.
const BEFORE: &[u8] = b",\"seal\":\"";
const BEHIND: &[u8] = b"\"}";

/// The hexadecimal digits of a seal.
const DIGITS: usize = 2 * MAC_BYTES;

/// The seal of a record so far.
#[derive(Clone, Debug)]
pub(super) struct RecordSeal {
    key: UserKey,
    /// Seal of the first line, which has the record's id; zeros while there is no line.
    first: [u8; MAC_BYTES],
    last: [u8; MAC_BYTES],
}

impl RecordSeal {
    /// Returns the seal of an empty record under this user's key, and the reason if no later run will recognise it.
    ///
    /// # Errors
    /// There is no key, and none can be drawn.
    pub(super) fn of_user() -> std::io::Result<(Self, Option<String>)> {
        match UserKey::of_results() {
            Ok(key) => Ok((Self::empty(key), None)),
            Err(reason) => Ok((Self::forgotten()?, Some(reason))),
        }
    }

    /// Returns the seal of an empty record under a key that is forgotten when this process ends.
    ///
    /// # Errors
    /// No key can be drawn.
    pub(super) fn forgotten() -> std::io::Result<Self> {
        Ok(Self::empty(UserKey::of_this_process()?))
    }

    fn empty(key: UserKey) -> Self {
        let (first, last) = ([0; MAC_BYTES], [0; MAC_BYTES]);
        Self { key, first, last }
    }

    /// Returns the first line of a new record, with its line break, and the record's seal with it.
    ///
    /// # Errors
    /// No id can be drawn.
    pub(super) fn begun(&self) -> std::io::Result<(Vec<u8>, Self)> {
        let mut id = [0; ID_BYTES];
        getrandom::fill(&mut id).map_err(std::io::Error::other)?;
        let object = format!("{ID_BEFORE}{}{ID_BEHIND}", hex(&id));
        let sealed = self.sealed(object.as_bytes());
        let (mut line, seal) = sealed.ok_or_else(|| std::io::Error::other("it is no object"))?;
        line.push(b'\n');
        Ok((line, seal))
    }

    fn of_line(&self, line: &[u8]) -> [u8; MAC_BYTES] {
        self.key.mac(&[LINE_TAG, &self.last, line])
    }

    /// Returns a JSON object with its seal, and the record's seal with it; `None` if it is no object with fields.
    pub(super) fn sealed(&self, object: &[u8]) -> Option<(Vec<u8>, Self)> {
        let open = object.strip_suffix(b"}").filter(|open| open.len() > 1)?;
        let last = self.of_line(object);
        let line = [open, BEFORE, hex(&last).as_bytes(), BEHIND].concat();
        let sealed = self.clone().after(last);
        Some((line, sealed))
    }

    fn after(mut self, seal: [u8; MAC_BYTES]) -> Self {
        if self.first == [0; MAC_BYTES] {
            self.first = seal;
        }
        self.last = seal;
        self
    }

    /// Returns the record's seal with these whole lines, if each is sealed, and the first is its id.
    pub(super) fn with_lines(mut self, lines: &[u8]) -> Option<Self> {
        if lines.is_empty() {
            return Some(self);
        }
        let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
        if !is_id(without_seal(lines.split(|byte| *byte == b'\n').next()?).as_ref()) {
            return None;
        }
        for line in lines.split(|byte| *byte == b'\n') {
            let (open, seal) = split(line)?;
            let expected = self.of_line(&[open, b"}"].concat());
            if !is_same(seal, hex(&expected).as_bytes()) {
                return None;
            }
            self = self.after(expected);
        }
        Some(self)
    }

    /// Returns a text of one line with a seal behind it, in a line of its own.
    pub(super) fn seal_under_way(&self, text: &[u8]) -> Vec<u8> {
        let seal = hex(&self.key.mac(&[UNDER_WAY_TAG, &self.first, text]));
        [text, b"\n", seal.as_bytes(), b"\n"].concat()
    }

    /// Returns the text of the calls under way without its seal, if that is valid.
    pub(super) fn opened_under_way<'a>(&self, sealed: &'a [u8]) -> Option<&'a [u8]> {
        let at = sealed.iter().position(|byte| *byte == b'\n')?;
        let (text, seal) = sealed.split_at(at);
        let expected = hex(&self.key.mac(&[UNDER_WAY_TAG, &self.first, text]));
        let seal = seal.trim_ascii();
        is_same(seal, expected.as_bytes()).then_some(text)
    }
}

/// Returns true if a line, without its seal, is the id of a record.
pub(super) fn is_id(line: &[u8]) -> bool {
    let id = line.strip_prefix(ID_BEFORE.as_bytes());
    let id = id.and_then(|rest| rest.strip_suffix(ID_BEHIND.as_bytes()));
    id.is_some_and(|id| id.len() == 2 * ID_BYTES && id.iter().all(u8::is_ascii_hexdigit))
}

/// Returns a line of a record without its seal, if it has one.
pub(super) fn without_seal(line: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match split(line) {
        Some((open, _)) => [open, b"}"].concat().into(),
        None => line.into(),
    }
}

/// Splits a line into the text before its seal and the digits of the seal; `None` if it has no seal.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_suffix(BEHIND)?;
    let (rest, seal) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let is_hex = seal.iter().all(u8::is_ascii_hexdigit);
    Some((rest.strip_suffix(BEFORE)?, seal)).filter(|_| is_hex)
}

/// Compares two seals in constant time, so that the time tells nothing about them.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> RecordSeal {
        RecordSeal::empty(UserKey::of_this_process().unwrap())
    }

    /// Returns the lines of a record with this many exchanges, and its seal.
    fn record(empty: &RecordSeal, exchanges: usize) -> (Vec<Vec<u8>>, RecordSeal) {
        let (first, mut now) = empty.begun().unwrap();
        let mut lines = vec![first];
        for number in 0..exchanges {
            let object = format!("{{\"n\":{number}}}");
            let (mut line, next) = now.sealed(object.as_bytes()).unwrap();
            assert_eq!(without_seal(&line).as_ref(), object.as_bytes());
            let parsed: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(parsed["n"], number);
            line.push(b'\n');
            lines.push(line);
            now = next;
        }
        (lines, now)
    }

    #[test]
    fn lines_are_ours_in_their_order_and_no_other() {
        let empty = seal();
        let (lines, _) = record(&empty, 3);
        let is_ours = |order: &[usize]| {
            let text: Vec<u8> = order.iter().flat_map(|at| lines[*at].clone()).collect();
            empty.clone().with_lines(&text).is_some()
        };
        assert!(is_ours(&[]) && is_ours(&[0]) && is_ours(&[0, 1, 2]) && is_ours(&[0, 1, 2, 3]));
        for order in [
            &[1][..],
            &[0, 0],
            &[0, 2],
            &[1, 0, 2],
            &[0, 1, 2, 2],
            &[1, 2, 3],
        ] {
            assert!(!is_ours(order), "{order:?}");
        }
        let first = String::from_utf8(lines[0].clone()).unwrap();
        let changed = String::from_utf8(lines[1].clone()).unwrap();
        let changed = changed.replace("\"n\":0", "\"n\":9");
        let without_id = String::from_utf8(empty.sealed(b"{\"n\":0}").unwrap().0).unwrap();
        let changed = first + &changed;
        for forged in [&changed, &without_id, "{\"n\":0}\n", "\n", "{}\n", "null\n"] {
            let forged = forged.as_bytes();
            assert!(empty.clone().with_lines(forged).is_none());
        }
        assert!(seal().with_lines(&lines[0]).is_none(), "another key");
        assert!(empty.sealed(b"{}").is_none() && empty.sealed(b"[1]").is_none());
    }

    #[test]
    fn lines_of_another_record_of_ours_are_none_of_this_one() {
        let empty = seal();
        let ((one, _), (other, _)) = (record(&empty, 2), record(&empty, 2));
        assert_ne!(one[0], other[0]);
        let mixed = [&one[0][..], &other[1]].concat();
        assert!(empty.clone().with_lines(&mixed).is_none());
        let mixed = [&one[0][..], &one[1], &other[2]].concat();
        assert!(empty.with_lines(&mixed).is_none());
    }

    #[test]
    fn calls_under_way_are_ours_with_their_seal_and_record_alone() {
        let empty = seal();
        let (lines, ours) = record(&empty, 1);
        let sealed = ours.seal_under_way(b"[1]");
        assert_eq!(ours.opened_under_way(&sealed), Some(&b"[1]"[..]));
        let first = empty.clone().with_lines(&lines[0]).unwrap();
        assert_eq!(first.opened_under_way(&sealed), Some(&b"[1]"[..]));
        for other in [seal(), empty.clone(), record(&empty, 1).1] {
            assert_eq!(other.opened_under_way(&sealed), None);
        }
        for forged in [&b"[1]"[..], b"[1]\n", b"[1]\n00\n", b""] {
            assert_eq!(ours.opened_under_way(forged), None);
        }
    }
}
