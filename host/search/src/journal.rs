//! The record of a search, sealed by its user: what was found so far, so that a search which was killed goes on.
//!
//! Sources in it become programs that are run, and figures decide what is made next. So a record counts only with an
//! HMAC under the key of the user's results, in its first line.

use super::archive::Archive;
use super::candidate::NamedCandidates;
use super::error::SearchError;
use bakeoff_domain::report::{ModelCost, RoundTook};
use bakeoff_files::{Folder, MAC_BYTES, UserKey, parse_json_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

/// Name of the record in the folder of a search.
const FILE: &str = "rounds.json";

/// First bytes under the HMAC, which no other use of the key has.
const TAG: &[u8] = b"bakeoff rounds 1\0";

/// The largest record that is read, in bytes, and the most JSON values in it.
const FILE_BYTES_MAX: u64 = 256 << 20;
const FILE_VALUES_MAX: usize = 1 << 23;

/// The most bytes of sources in a record: a search that made more ends, so that its record can be read again.
pub(crate) const SOURCE_BYTES_MAX: usize = 64 << 20;

/// Everything that is kept of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Journal {
    /// Digest of everything that the figures depend on: the problem, the criteria, the ways.
    pub(crate) identity: String,
    /// The seed of inputs and orders in looks. It is never used for a race.
    pub(crate) inputs: String,
    /// Durations and costs of the rounds so far, and of the look at what the search began with.
    pub(crate) took: Vec<RoundTook>,
    /// Cost of the questions to the model before the search began.
    #[serde(default)]
    pub(crate) cost_base: Option<ModelCost>,
    /// Cost of the questions to a model so far, if one was asked.
    #[serde(default)]
    pub(crate) cost: Option<ModelCost>,
    /// The number of rounds that were to be over when as many more as somebody asked for are made, if they are not yet.
    #[serde(default)]
    pub(crate) more_until: Option<u32>,
    /// Candidates of the next round that a model named while the last one was looked at.
    #[serde(default)]
    pub(crate) ahead: NamedCandidates,
    /// Content addresses of the approaches' code, by the name of the approach.
    pub(crate) code: BTreeMap<String, String>,
    /// Everything that the search knows.
    pub(crate) archive: Archive,
}

impl Journal {
    /// Returns the duration of the rounds so far, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.took.iter().map(RoundTook::seconds).sum()
    }

    /// Returns true if an approach that the search began with has other code now, or is gone.
    pub(crate) fn has_other_code(&self, code: &BTreeMap<String, String>) -> bool {
        let mut known = self.code.iter();
        known.any(|(name, digest)| code.get(name) != Some(digest))
    }

    /// Returns the duration of the last round, in seconds.
    pub(crate) fn last_seconds(&self) -> f64 {
        let last = self.took.last().filter(|one| one.round > 0);
        last.map_or(0.0, RoundTook::seconds)
    }
}

/// The place of a search's record.
#[derive(Debug)]
pub(crate) struct JournalPlace {
    folder: Folder,
    path: PathBuf,
}

impl JournalPlace {
    /// Opens the place in the folder of a search.
    pub(crate) fn of(folder: Folder) -> Self {
        let path = folder.path().join(FILE);
        Self { folder, path }
    }

    /// Reads the record, if there is one that this user's bakeoff wrote and that is about this search. Any other is set
    /// aside, and `say` is told why.
    ///
    /// # Errors
    /// The record cannot be read or set aside.
    pub(crate) fn read(
        &self,
        identity: &str,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<Journal>, SearchError> {
        if !self.folder.has(FILE) {
            return Ok(None);
        }
        let bytes = self.folder.read(FILE, FILE_BYTES_MAX);
        let bytes = bytes.map_err(|error| self.failed("read", &error))?;
        let reason = match bytes.as_deref().map(opened) {
            None => "it is too large to be one of ours",
            Some(None) => "it was not written by your bakeoff",
            Some(Some(json)) => match parse_json_of::<Journal>(json, FILE_VALUES_MAX) {
                Err(_) => "it is damaged",
                Ok(journal) if !journal.archive.is_sound() => "it is damaged",
                Ok(journal) if journal.identity != identity => {
                    "the problem, its criteria or the ways of searching have changed"
                }
                Ok(journal) => return Ok(Some(journal)),
            },
        };
        self.set_aside(reason, say)?;
        Ok(None)
    }

    /// Reads the record, if there is one that this user's bakeoff wrote; whatever it is about.
    ///
    /// # Errors
    /// The record cannot be read.
    pub(crate) fn look(&self) -> Result<Option<Journal>, SearchError> {
        if !self.folder.has(FILE) {
            return Ok(None);
        }
        let bytes = self.folder.read(FILE, FILE_BYTES_MAX);
        let bytes = bytes.map_err(|error| self.failed("read", &error))?;
        let json = bytes.as_deref().and_then(opened);
        let journal = json.and_then(|json| parse_json_of::<Journal>(json, FILE_VALUES_MAX).ok());
        Ok(journal.filter(|journal| journal.archive.is_sound()))
    }

    /// Renames the record, if there is one, and says so.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub(crate) fn set_known_aside(
        &self,
        reason: &str,
        say: &mut dyn FnMut(&str),
    ) -> Result<(), SearchError> {
        if self.folder.has(FILE) {
            self.set_aside(reason, say)?;
        }
        Ok(())
    }

    /// Renames the record, and says so.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub(crate) fn set_aside(
        &self,
        reason: &str,
        say: &mut dyn FnMut(&str),
    ) -> Result<(), SearchError> {
        let aside = self.folder.set_aside(FILE);
        let aside = aside.map_err(|error| self.failed("rename", &error))?;
        say(&format!(
            "the search begins anew: {} counts for nothing ({reason}), and was set aside as {aside}",
            self.path.display()
        ));
        Ok(())
    }

    /// Writes the record, all at once.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, journal: &Journal) -> Result<(), SearchError> {
        let written = || {
            let json = serde_json::to_vec(journal)?;
            let key = UserKey::of_results().or_else(|_| UserKey::of_this_process())?;
            let file = self.folder.new_file(FILE)?;
            let mut out = file.file();
            out.write_all(key.seal(&[TAG, &json]).as_bytes())?;
            out.write_all(b"\n")?;
            out.write_all(&json)?;
            file.put_in_place()
        };
        written().map_err(|error: std::io::Error| self.failed("write", &error))
    }

    fn failed(&self, action: &'static str, error: &std::io::Error) -> SearchError {
        SearchError::Journal {
            action,
            path: self.path.clone(),
            reason: error.to_string(),
        }
    }
}

/// Returns the JSON of a record, if this user's bakeoff sealed it.
fn opened(bytes: &[u8]) -> Option<&[u8]> {
    let key = UserKey::of_results().ok()?;
    let (seal, json) = bytes.split_at_checked(2 * MAC_BYTES)?;
    let json = json.strip_prefix(b"\n")?;
    let seal = std::str::from_utf8(seal).ok()?;
    key.is_seal(&[TAG, json], seal).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(dir: &std::path::Path) -> JournalPlace {
        JournalPlace::of(Folder::named_by_user(dir).unwrap())
    }

    fn journal() -> Journal {
        Journal {
            identity: "one".to_owned(),
            inputs: "7".to_owned(),
            took: vec![RoundTook::default()],
            ..Journal::default()
        }
    }

    #[test]
    fn a_record_is_read_again_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let place = place(dir.path());
        let mut said = Vec::new();
        let mut say = |text: &str| said.push(text.to_owned());
        assert_eq!(place.read("one", &mut say).unwrap(), None);
        place.write(&journal()).unwrap();
        assert_eq!(place.read("one", &mut say).unwrap(), Some(journal()));
        assert_eq!(place.read("other", &mut say).unwrap(), None);
        assert!(!dir.path().join(FILE).exists());
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("have changed"), "{said:?}");
    }

    #[test]
    fn case_213_a_record_that_came_with_a_folder_decides_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let place = place(dir.path());
        place.write(&journal()).unwrap();
        let sealed = std::fs::read(dir.path().join(FILE)).unwrap();
        let json = serde_json::to_vec(&journal()).unwrap();
        let mut changed = sealed.clone();
        let last = changed.len() - 2;
        changed[last] ^= 1;
        let zeros = [b"0".repeat(64), b"\n".to_vec(), json.clone()].concat();
        let signed = [b"+1".repeat(32), b"\n".to_vec(), json.clone()].concat();
        for forged in [json, changed, zeros, signed, Vec::new()] {
            std::fs::write(dir.path().join(FILE), &forged).unwrap();
            let mut said = String::new();
            let read = place.read("one", &mut |text| said = text.to_owned());
            assert_eq!(read.unwrap(), None);
            assert!(said.contains("not written by your bakeoff"), "{said}");
        }
        // A link is not followed.
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join(FILE)).unwrap();
        assert!(place.read("one", &mut |_| {}).is_err() || !dir.path().join(FILE).exists());
    }
}
