//! The parsers of `tests/hostile/harness.rs` by name, compiled once for all fuzz targets.

#[path = "../../tests/hostile/harness.rs"]
mod harness;

/// Gives bytes to a parser.
///
/// # Panics
/// There is no parser of this name, or the parser has a defect.
pub fn parse(name: &str, bytes: &[u8]) {
    let mut all = harness::ALL.iter().chain(&harness::IN_FOLDERS);
    let found = all.find(|(known, _)| *known == name);
    let (_, parse) = found.expect("a parser of this name");
    parse(bytes);
}
