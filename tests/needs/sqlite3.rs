//! The page about the store, read by somebody with the shell of SQLite.

use crate::fixture::filled;
use std::process::Command;

const DOCS: &str = include_str!("../../docs/store.md");

/// Returns true if the shell is installed.
pub(crate) fn is_installed() -> bool {
    Command::new("sqlite3").arg("--version").output().is_ok()
}

pub(crate) fn the_sqlite3_shell_answers_the_pages_question() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let (_, example) = DOCS.split_once("bakeoff.db \\\n  \"").unwrap();
    let sql = example
        .split("\"\n```")
        .next()
        .unwrap()
        .replace("\\\"", "\"");
    let output = Command::new("sqlite3")
        .arg(folder.path().join("bakeoff.db"))
        .arg(&sql)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("heap|10|6|"), "{text}");
}
