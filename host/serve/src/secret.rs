//! Secrets of a server: how they are drawn and compared.

use std::io;

/// Compares texts in a time that depends on their lengths alone.
pub(crate) fn is_equal(a: &str, b: &str) -> bool {
    let differing = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |bits, (a, b)| bits | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differing) == 0
}

/// Returns random bytes in hexadecimal digits.
///
/// # Errors
/// The system gives no random numbers.
pub(crate) fn random_hex(count: usize) -> io::Result<String> {
    let mut bytes = vec![0; count];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bakeoff_domain::hex(&bytes))
}
