//! Decoding of the world of a component that somebody brought, in the child.

use wit_parser::decoding::{DecodedWasm, decode};

/// Decodes a component, or a WIT package.
///
/// # Errors
/// The bytes are neither, or of a form that the decoder gives up on, such as an import by its hash.
pub(super) fn decoded(bytes: &[u8]) -> Result<DecodedWasm, String> {
    match std::panic::catch_unwind(|| decode(bytes)) {
        Ok(decoded) => decoded.map_err(|error| format!("{error:#}")),
        Err(_) => Err("its imports and exports have a form that is not supported".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dependencies_are_refused_in_words() {
        for name in [
            "locked-dep=<a:b/c@1.0.0>,integrity=<sha256-a>",
            "unlocked-dep=<a:b/c>",
            "url=<https://example.org>",
            "integrity=<sha256-a>",
        ] {
            let text = format!("(component (import \"{name}\" (func)))");
            let bytes = wat::parse_str(text).unwrap();
            let why = decoded(&bytes).err();
            let why = why.unwrap_or_else(|| panic!("{name} is decoded"));
            assert!(why.contains("not supported"), "{name}: {why}");
        }
    }
}
