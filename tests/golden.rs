//! Golden files: what a person reads, kept beside what it was made from.
//!
//! `BLESS=1 cargo test …` writes them anew; the difference is then for a person to judge.

use std::path::{Path, PathBuf};

/// The folder of fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

/// The entries of a folder of fixtures with this ending, sorted.
pub(crate) fn entries(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == ending));
    paths.sort();
    assert!(
        !paths.is_empty(),
        "no fixture ends in .{ending} in {folder}"
    );
    paths
}

/// The name of a fixture, without its folder and ending.
pub(crate) fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// Compares a text with the golden file beside `source`; all differences of a test are collected
/// in `different`.
pub(crate) fn compare(source: &Path, text: &str, different: &mut Vec<String>) {
    let golden = source.with_extension("txt");
    let text = format!("{}\n", text.trim_end());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &text).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&golden).unwrap_or_default();
    if wanted != text {
        different.push(format!(
            "{}\n--- wanted\n{wanted}--- got\n{text}",
            stem(source)
        ));
    }
}

/// Fails with all differences.
pub(crate) fn assert_none(different: &[String]) {
    assert!(different.is_empty(), "{}", different.join("\n"));
}
