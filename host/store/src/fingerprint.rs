//! State of a database's files: tells whether anything was written to it since, without opening it.

use super::files::DATABASE;
use bakeoff_files::{Folder, FolderEntryKind};
use std::time::SystemTime;

/// State of the files of a database. Two that are equal have the same content, unless somebody wrote to a file and set
/// its time back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    identity: (u64, u64),
    database: (u64, SystemTime),
    journal: Option<(u64, SystemTime)>,
}

impl Fingerprint {
    /// Returns the state of the database in a folder; `None` if there is none.
    pub fn of(folder: &Folder) -> Option<Self> {
        let look = |name: &str| {
            let found = folder.look(name).ok().flatten();
            found.filter(|found| found.kind == FolderEntryKind::File)
        };
        let database = look(DATABASE)?;
        let journal = look(&format!("{DATABASE}-wal"));
        Some(Self {
            identity: database.identity,
            database: (database.bytes, database.modified),
            journal: journal.map(|journal| (journal.bytes, journal.modified)),
        })
    }

    /// Returns true if both are states of the same file: another one may be in its place, after results were set aside.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, Store};

    #[test]
    fn what_is_written_and_what_takes_its_place_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::named_by_user(dir.path()).unwrap();
        assert_eq!(Fingerprint::of(&folder), None);
        drop(Store::open(dir.path(), Mode::Write).unwrap());
        let before = Fingerprint::of(&folder).unwrap();
        assert_eq!(Fingerprint::of(&folder), Some(before));
        let database = dir.path().join(DATABASE);
        let bytes = std::fs::read(&database).unwrap();
        std::fs::write(&database, [&bytes[..], &[0]].concat()).unwrap();
        let changed = Fingerprint::of(&folder).unwrap();
        assert!(changed != before && changed.is_same_file(&before));
        std::fs::write(dir.path().join("other"), &bytes).unwrap();
        std::fs::rename(dir.path().join("other"), &database).unwrap();
        assert!(!Fingerprint::of(&folder).unwrap().is_same_file(&before));
    }
}
