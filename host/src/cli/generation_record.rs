//! The record of asking for approaches, beside the experiment: `.bakeoff/generation.json`.

use super::failure::Failure;
use super::placing::{cannot_write, refuse_link, replace};
use crate::config::LoadedExperiment;
use crate::files::{Reach, parse_json_of};
use crate::render::escape::Plain;
use crate::source::content_address;
use bakeoff_domain::report::{GENERATED_MAX, GeneratedApproach, Generation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What came of it, in the folder of an experiment.
const FILE: &str = ".bakeoff/generation.json";

/// The largest record that is read, in bytes, and the most values of it.
const FILE_BYTES_MAX: u64 = 16 << 20;
const FILE_VALUES_MAX: usize = 1 << 16;

/// Writes what came of it beside the experiment, all at once.
///
/// # Errors
/// It cannot be written.
pub(super) fn record(dir: &Path, came_of_it: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(came_of_it).map_err(Failure::infrastructure)?;
    write(dir, FILE, &format!("{json}\n"))
}

/// What is kept of one generation.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct GenerationRecord {
    #[serde(flatten)]
    pub(super) generation: Generation,
    /// Tasks that were never done, since something that they wait for has no result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) not_started: Vec<String>,
    /// What was asked for, as a text that stays the same.
    #[serde(default)]
    pub(super) wanted: String,
    /// The names that this generation wrote into the experiment.
    #[serde(default)]
    pub(super) names: Vec<String>,
    /// True once nothing is left to ask for.
    #[serde(default)]
    pub(super) is_complete: bool,
}

impl GenerationRecord {
    /// The record of an experiment, if it is about this.
    pub(super) fn of(dir: &Path, wanted: &str) -> Option<Self> {
        let kept: Option<Self> = kept(dir).ok().flatten();
        kept.filter(|one| one.wanted == wanted)
    }
}

/// What an exploration keeps to go on later, beside what came of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ExplorationRecord {
    /// What was asked for, as a text that stays the same.
    #[serde(default)]
    pub(super) wanted: String,
    /// The files on which approaches were tried, each with the digest of its content.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// True once nothing is left to ask for.
    #[serde(default)]
    pub(super) is_complete: bool,
}

impl ExplorationRecord {
    /// The record of an exploration that has not come to its end, if it is about this.
    pub(super) fn unfinished(dir: &Path, wanted: &str) -> Option<Self> {
        let kept: Option<Self> = kept(dir).ok().flatten();
        kept.filter(|one| one.wanted == wanted && !one.is_complete)
    }

    /// Returns the first of its files that is not as it was.
    pub(super) fn changed_file(&self, dir: &Path) -> Option<&str> {
        let is_same = |name: &str, digest: &str| {
            let read = Reach::Within(dir).read_bounded(&dir.join(name), FILE_BYTES_MAX);
            read.is_ok_and(|bytes| bytes.is_some_and(|bytes| content_address(&bytes) == digest))
        };
        let mut files = self.files.iter();
        let changed = files.find(|(name, digest)| !is_same(name, digest));
        changed.map(|(name, _)| name.as_str())
    }
}

/// The names of approaches that an unfinished generation wrote. A model that is asked once more is not told of them,
/// so that it is asked the same, and what it replied is not paid for again.
fn unfinished_names(dir: &Path, wanted: &str) -> Vec<String> {
    let record = GenerationRecord::of(dir, wanted).filter(|one| !one.is_complete);
    record.map(|one| one.names).unwrap_or_default()
}

/// An experiment as it was before an unfinished generation of this.
pub(super) fn before(loaded: &LoadedExperiment, wanted: &str) -> LoadedExperiment {
    let names = unfinished_names(&loaded.dir, wanted);
    let mut before = loaded.clone();
    let approaches = &mut before.experiment.approaches;
    approaches.retain(|one| !names.contains(&one.name));
    before
}

/// Adds what was kept of earlier approaches, so that a second generation does not hide the first.
pub(super) fn with_earlier(dir: &Path, mut generation: Generation) -> Generation {
    let Ok(Some(earlier)) = kept::<Generation>(dir) else {
        return generation;
    };
    let is_new = |one: &GeneratedApproach| {
        let mut now = generation.approaches.iter();
        !now.any(|other| other.name == one.name)
    };
    let mut all: Vec<GeneratedApproach> = earlier.approaches.into_iter().filter(is_new).collect();
    all.append(&mut generation.approaches);
    all.drain(..all.len().saturating_sub(GENERATED_MAX));
    generation.approaches = all;
    generation
}

/// Reads what was kept beside an experiment; `None` if nothing was. It may have come with the experiment, from
/// anybody.
///
/// # Errors
/// It is no such record: the reason.
pub(super) fn kept<T: DeserializeOwned>(dir: &Path) -> Result<Option<T>, String> {
    let path = dir.join(FILE);
    let read = match Reach::Within(dir).read_bounded(&path, FILE_BYTES_MAX) {
        Ok(read) => read,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let bytes = read.ok_or_else(|| format!("it has more than {FILE_BYTES_MAX} bytes"))?;
    let parsed: serde_json::Value =
        parse_json_of(&bytes, FILE_VALUES_MAX).map_err(|error| error.to_string())?;
    let of_it: Generation =
        serde_json::from_value(parsed.clone()).map_err(|error| error.to_string())?;
    of_it.check()?;
    let kept = serde_json::from_value(parsed).map_err(|error| error.to_string())?;
    Ok(Some(kept))
}

/// Reads what a report says of generated approaches. A record that cannot be read is said, and left out.
pub(super) fn for_report(dir: &Path, say: &mut dyn FnMut(&str)) -> Option<Generation> {
    match kept(dir) {
        Ok(generation) => generation,
        Err(reason) => {
            let path = dir.join(FILE).display().to_string();
            say(&format!(
                "{} is left out of the report: {}",
                Plain(&path),
                Plain(&reason)
            ));
            None
        }
    }
}

/// Writes a file of ours below the folder of an experiment. No folder on the way may be a link.
pub(super) fn write(dir: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = dir.join(name);
    let mut folder = PathBuf::from(dir);
    for part in Path::new(name).parent().into_iter().flatten() {
        folder.push(part);
        refuse_link(&folder)?;
    }
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    replace(&path, text).map_err(|error| cannot_write(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_147_a_record_that_was_sent_is_no_more_than_text() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let mut said = Vec::new();
        assert_eq!(
            for_report(dir, &mut |text| said.push(text.to_owned())),
            None
        );
        assert!(said.is_empty());
        for forged in [
            "{",
            "{\"approaches\": [], \"tokens\": 18446744073709551615}",
            "{\"approaches\": [], \"seconds\": -1}",
            "{\"approaches\": 7}",
        ] {
            fs::create_dir_all(dir.join(".bakeoff")).unwrap();
            fs::write(dir.join(FILE), forged).unwrap();
            said.clear();
            assert_eq!(
                for_report(dir, &mut |text| said.push(text.to_owned())),
                None
            );
            assert_eq!(said.len(), 1, "{forged}");
        }
        // One that leads elsewhere is not read.
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("x"), "{\"approaches\": []}").unwrap();
        fs::remove_file(dir.join(FILE)).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), dir.join(FILE)).unwrap();
        assert_eq!(
            for_report(dir, &mut |text| said.push(text.to_owned())),
            None
        );
    }
}
