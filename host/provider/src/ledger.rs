//! A file that always says the most that a process can have spent, for a program that started it and may kill it.

use super::budget::Reservation;
use bakeoff_files::{Folder, parse_json};
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::Path;

/// The largest file, in bytes.
const BYTES_MAX: u64 = 4 << 10;

/// The most that a process can have spent since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Tokens of the calls that ended, and the most of those under way.
    pub tokens: u64,
    /// Millionths of a US dollar of the calls that ended, and the most of those under way.
    pub microdollars: u64,
}

impl Ledger {
    /// Returns what was spent since the process began, with what is held for calls under way.
    pub(super) fn new(spent: Reservation, before: Reservation, held: Reservation) -> Self {
        let since = |now: u64, before: u64, held: u64| now.saturating_sub(before) + held;
        Self {
            tokens: since(spent.tokens, before.tokens, held.tokens),
            microdollars: since(spent.microdollars, before.microdollars, held.microdollars),
        }
    }

    /// Reads the file that a process left; `None` if there is none, since it asked nothing.
    ///
    /// # Errors
    /// The file cannot be read, or is none.
    pub fn read(path: &Path) -> io::Result<Option<Self>> {
        let name = path.file_name().unwrap_or_default();
        let bytes = match Folder::of_file(path)?.read(name, BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?.ok_or_else(|| io::Error::other("it is too large"))?,
        };
        parse_json(&bytes).map(Some).map_err(io::Error::other)
    }

    /// Replaces the file, before a call is sent or after it ended.
    ///
    /// # Errors
    /// The file cannot be written: nothing more may be paid for.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default();
        let new = Folder::of_file(path)?.new_private_file(name)?;
        new.file().write_all(&serde_json::to_vec(self)?)?;
        new.put_in_place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_counts_and_what_was_spent_before_does_not() {
        let amounts = |tokens, microdollars| Reservation {
            tokens,
            microdollars,
        };
        let ledger = Ledger::new(amounts(10, 9), amounts(4, 9), amounts(1, 5));
        assert_eq!((ledger.tokens, ledger.microdollars), (7, 5));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spent.json");
        assert_eq!(Ledger::read(&path).unwrap(), None);
        ledger.write(&path).unwrap();
        assert_eq!(Ledger::read(&path).unwrap(), Some(ledger));
        std::fs::write(&path, "{}").unwrap();
        assert!(Ledger::read(&path).is_err());
    }
}
