//! The process that holds the lock of a folder, as its lock file describes it.

use bakeoff_files::{parse_json_of, read_bounded};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::time::SystemTime;

/// The most values of a lock file.
const VALUES_MAX: usize = 16;

/// The most words of a command line that are kept.
const WORDS_MAX: usize = 8;

/// The most bytes of a command line that are read: one that is longer is not recognised.
const COMMAND_BYTES_MAX: u64 = 1 << 20;

/// The process that holds the lock of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Process id of the holder; 0 if it is not known.
    pub pid: u32,
    /// Time at which the lock was taken, as RFC 3339 in UTC.
    pub since: String,
    /// Command line of the holder, shortened.
    pub command: String,
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pid == 0 {
            return f.write_str("another process");
        }
        write!(f, "process {} (since {}", self.pid, self.since)?;
        if !self.command.is_empty() {
            write!(f, ", `{}`", self.command)?;
        }
        f.write_str(")")
    }
}

impl LockHolder {
    /// Describes this process.
    pub(super) fn this() -> Self {
        Self::of_command(std::env::args_os().take(WORDS_MAX))
    }

    /// Describes this process, as started by these arguments.
    fn of_command(arguments: impl Iterator<Item = OsString>) -> Self {
        Self {
            pid: std::process::id(),
            since: crate::events::rfc3339(SystemTime::now()),
            command: shown(arguments),
        }
    }

    /// Parses what a lock file says, with texts that are safe on a terminal.
    #[doc(hidden)]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let holder: Self = parse_json_of(text, VALUES_MAX).ok()?;
        Some(holder.printable())
    }

    /// Returns true if there is a process of this id that was started by this command.
    pub(super) fn is_alive(&self) -> bool {
        let file = Path::new("/proc")
            .join(self.pid.to_string())
            .join("cmdline");
        let Ok(Some(words)) = read_bounded(&file, COMMAND_BYTES_MAX) else {
            return false;
        };
        let words = words.strip_suffix(&[0]).unwrap_or(&words);
        let words = words.split(|byte| *byte == 0).take(WORDS_MAX);
        let words = words.map(|word| OsString::from_vec(word.to_vec()));
        self.pid != 0 && shown(words) == self.command
    }

    /// Returns the holder with texts that are safe on a terminal.
    fn printable(self) -> Self {
        Self {
            pid: self.pid,
            since: printable(&self.since),
            command: printable(&self.command),
        }
    }
}

/// Returns a command line as it is shown.
fn shown(words: impl Iterator<Item = OsString>) -> String {
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    printable(&words.join(" "))
}

/// Returns at most 120 printable ASCII characters of a text: it comes from another process and is
/// shown on a terminal.
fn printable(text: &str) -> String {
    let is_printable = |c: char| c.is_ascii_graphic() || c == ' ';
    let chars = text.chars().take(120);
    chars
        .map(|c| if is_printable(c) { c } else { '?' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_no_text_are_shown_as_far_as_they_are() {
        let arguments = [b"compare".to_vec(), b"\xff.rs".to_vec()].map(OsString::from_vec);
        let holder = LockHolder::of_command(arguments.into_iter());
        assert_eq!(holder.command, "compare ?.rs");
    }
}
