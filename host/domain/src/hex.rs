//! Hexadecimal digits.

use std::fmt::Write as _;

/// Bytes as lower-case hexadecimal digits, two for each.
///
/// ```
/// assert_eq!(bakeoff_domain::hex(&[0x0f, 0xa0]), "0fa0");
/// ```
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
