//! The seal of `generation.json`, which shows that this user's bakeoff wrote the record.
//!
//! The record decides what a run asks a model for, and so what is paid for: one that says that all was asked for ends
//! the asking, and the names in it are left out of what a model is told. So it counts as its user's own only with an
//! HMAC under the key of the user's results, as the last field of the file.

use bakeoff_files::{MAC_BYTES, UserKey};

/// First bytes under the HMAC, which no other use of the key has.
const TAG: &[u8] = b"bakeoff generation record 1\0";

/// Text before and behind the seal of a JSON object that is laid out in lines.
const BEFORE: &str = ",\n  \"seal\": \"";
const BEHIND: &str = "\"\n}\n";

/// Returns a JSON object that is laid out in lines, with its seal as the last field. If the user has no key, the seal
/// is under a key of this process, which nobody will recognise.
///
/// # Errors
/// No key can be drawn.
pub(crate) fn sealed(object: &str) -> std::io::Result<String> {
    let key = UserKey::of_results().or_else(|_| UserKey::of_this_process())?;
    Ok(with_seal(object, &key))
}

/// Returns the object without its seal, if this user's bakeoff sealed it.
pub(crate) fn opened(text: &[u8]) -> Option<String> {
    without_seal(text, &UserKey::of_results().ok()?)
}

/// Returns true if an object has a seal under the key of this process, which nobody else has seen, or ever will.
pub(crate) fn is_forged(text: &[u8]) -> bool {
    UserKey::of_this_process().is_ok_and(|key| without_seal(text, &key).is_some())
}

fn with_seal(object: &str, key: &UserKey) -> String {
    let open = object.trim_end();
    let open = open.strip_suffix('}').unwrap_or(open).trim_end();
    let seal = key.seal(&[TAG, open.as_bytes()]);
    [open, BEFORE, &seal, BEHIND].concat()
}

fn without_seal(text: &[u8], key: &UserKey) -> Option<String> {
    let rest = std::str::from_utf8(text).ok()?.strip_suffix(BEHIND)?;
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(2 * MAC_BYTES)?)?;
    let open = rest.strip_suffix(BEFORE)?;
    let is_ours = key.is_seal(&[TAG, open.as_bytes()], digits);
    is_ours.then(|| format!("{open}\n}}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_ours_as_it_was_and_no_other() {
        let key = UserKey::of_this_process().unwrap();
        let object = "{\n  \"a\": [\n    1\n  ],\n  \"b\": \"ü\"\n}\n";
        let text = with_seal(object, &key);
        let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed["seal"].as_str().unwrap().len(), 2 * MAC_BYTES);
        assert_eq!(without_seal(text.as_bytes(), &key).as_deref(), Some(object));
        let other = UserKey::of_this_process().unwrap();
        assert_eq!(without_seal(text.as_bytes(), &other), None);
        let added = text.replace("\"a\"", "\"c\": 2, \"a\"");
        let twice = with_seal(&text, &other);
        for forged in [
            object,
            &added,
            &twice,
            "",
            "}",
            BEHIND,
            &text[1..],
            "ü\"\n}\n",
        ] {
            assert_eq!(without_seal(forged.as_bytes(), &key), None, "{forged}");
        }
    }
}
