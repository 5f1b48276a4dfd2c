//! Ids that are safe as names of files.

use super::error::StoreError;

/// Longest id, in bytes: leaves room for suffixes on every file system.
const ID_BYTES_MAX: usize = 64;

/// An id that is safe as the name of a file: 1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`, beginning
/// with a letter or digit, not ending with a dot, and no device of any system. Without upper case
/// no two ids collide on a file system that folds case.
///
/// ```
/// use bakeoff_store::SafeId;
/// assert!(SafeId::new("heap-arity-4").is_ok());
/// for id in ["", "..", "../../x", "a/b", "nul", "CON", "a\u{202e}b", "a\0"] {
///     assert!(SafeId::new(id).is_err(), "{id:?}");
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SafeId(String);

impl SafeId {
    /// The id, if it is safe.
    ///
    /// # Errors
    /// [`StoreError::UnsafeId`].
    pub fn new(id: &str) -> Result<Self, StoreError> {
        let bytes = id.as_bytes();
        let all_safe = bytes
            .iter()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.'));
        let first_is_safe = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
        if !all_safe
            || !first_is_safe
            || bytes.len() > ID_BYTES_MAX
            || id.ends_with('.')
            || is_device(id)
        {
            return Err(StoreError::unsafe_id(id));
        }
        Ok(Self(id.to_owned()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns true for a name that some systems take for a device, whatever follows the first dot:
/// `con`, `nul.txt`, `com1`.
fn is_device(id: &str) -> bool {
    let stem = id.split('.').next().unwrap_or(id);
    match stem.as_bytes() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [b'c', b'o', b'm', digit] | [b'l', b'p', b't', digit] => digit.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_names_are_refused() {
        for id in [
            "heap", "a", "0", "sort.v2", "x_1-y", "console", "com10", "lptx",
        ] {
            assert!(SafeId::new(id).is_ok(), "{id}");
        }
        let long = "a".repeat(65);
        for id in [
            "",
            ".",
            "..",
            ".hidden",
            "-rf",
            "a/b",
            "a\\b",
            "Heap",
            "com1",
            "lpt9.txt",
            "con.rs",
            "trailing.",
            "é",
            "a b",
            "a\n",
            &long,
        ] {
            let error = SafeId::new(id).unwrap_err().to_string();
            assert!(error.is_ascii(), "{error}");
        }
    }
}
