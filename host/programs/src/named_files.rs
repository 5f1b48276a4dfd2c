//! The files that a command names: its program, and whichever of its words is the path of a file.

use super::command_line::CommandLine;
use bakeoff_files::open_plain;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// The most bytes of all files that a command names.
const BYTES_MAX: u64 = 4 << 30;

/// A file that a command names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFile {
    /// The path.
    pub path: String,
    /// SHA-256 of its contents, in hexadecimal digits.
    pub digest: String,
}

/// Returns the files that a command names; `None` where one of them cannot be read, or they are too large. Of a line for a
/// shell, the words are those that it would be split into without one.
pub(crate) fn named_files(line: &CommandLine) -> Option<Vec<NamedFile>> {
    let program = line.program().to_owned();
    let words: Vec<OsString> = if line.is_by_shell() {
        let words = shlex::split(line.text())?;
        words.into_iter().map(OsString::from).collect()
    } else {
        line.arguments().to_vec()
    };
    let mut left = BYTES_MAX;
    let all = std::iter::once(program).chain(words);
    let files = all.filter(|word| Path::new(word).is_file());
    let named = files.map(|word| {
        Some(NamedFile {
            digest: digest(Path::new(&word), &mut left)?,
            path: word.into_string().ok()?,
        })
    });
    named.collect()
}

/// Returns the digest of a file; `None` if it cannot be read, or has more bytes than are left.
pub(crate) fn digest(path: &Path, left: &mut u64) -> Option<String> {
    let file = open_plain(path).ok()?;
    let bytes = file.metadata().ok()?.len();
    *left = left.checked_sub(bytes)?;
    let mut hashed = Sha256::new();
    // What grows meanwhile is another file than it was.
    let copied = io::copy(&mut io::Read::take(file, bytes + 1), &mut hashed).ok()?;
    (copied == bytes).then(|| bakeoff_domain::hex(&hashed.finalize()))
}

#[cfg(test)]
mod tests {
    use super::super::command_line::Shell;
    use super::*;

    fn named(text: &str, shell: &Shell) -> Option<Vec<NamedFile>> {
        named_files(&CommandLine::one(&text.to_owned(), shell).unwrap())
    }

    #[test]
    fn a_command_is_known_by_its_program_and_the_files_among_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "abc").unwrap();
        let path = file.to_str().unwrap();
        for (text, shell) in [
            (format!("env {path} -x nothing"), Shell::None),
            (format!("cat {path} | wc"), Shell::IfNeeded),
        ] {
            let found = named(&text, &shell).unwrap();
            assert_eq!(found.len(), 2, "{found:?}");
            assert_eq!(found[1].path, path);
            assert!(found[1].digest.starts_with("ba7816bf"), "{found:?}");
            let program = found[0].digest.clone();
            std::fs::write(&file, "abd").unwrap();
            let again = named(&text, &shell).unwrap();
            assert_eq!(again[0].digest, program);
            assert_ne!(again[1].digest, found[1].digest);
            std::fs::write(&file, "abc").unwrap();
        }
        assert_eq!(digest(&file, &mut 2), None);
    }
}
