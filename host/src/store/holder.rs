//! The process that holds the lock of a folder, as its lock file describes it.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;
use std::time::SystemTime;

/// The process that holds the lock of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Its process id; 0 if it is not known.
    pub pid: u32,
    /// When it took the lock, as RFC 3339 in UTC.
    pub since: String,
    /// Its command line, shortened.
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
    /// This process.
    pub(super) fn this() -> Self {
        Self::of_command(std::env::args_os().take(8))
    }

    /// This process, started by these arguments.
    fn of_command(arguments: impl Iterator<Item = OsString>) -> Self {
        let command: Vec<String> = arguments
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        Self {
            pid: std::process::id(),
            since: crate::events::rfc3339(SystemTime::now()),
            command: printable(&command.join(" ")),
        }
    }

    /// Returns true if a process of this id exists.
    pub(super) fn is_alive(&self) -> bool {
        self.pid != 0 && Path::new("/proc").join(self.pid.to_string()).exists()
    }

    /// The same with texts that are safe on a terminal.
    pub(super) fn printable(self) -> Self {
        Self {
            pid: self.pid,
            since: printable(&self.since),
            command: printable(&self.command),
        }
    }
}

/// At most 120 printable ASCII characters of a text: it comes from another process and is shown on
/// a terminal.
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
    use std::os::unix::ffi::OsStringExt as _;

    #[test]
    fn arguments_that_are_no_text_are_shown_as_far_as_they_are() {
        let arguments = [b"compare".to_vec(), b"\xff.rs".to_vec()].map(OsString::from_vec);
        let holder = LockHolder::of_command(arguments.into_iter());
        assert_eq!(holder.command, "compare ?.rs");
    }
}
