//! The record of asking for approaches, beside the experiment: `.bakeoff/generation.json`. A record that this user's
//! bakeoff did not seal decides nothing, and is set aside before another is written.

use super::error::GenerationError;
use super::seal::{is_forged, opened, sealed};
use crate::library::written_files::{PlaceError, cannot_write};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::report::{GENERATED_MAX, GeneratedApproach, Generation};
use bakeoff_files::{Folder, JsonError, parse_json_of};
use bakeoff_propose::Research;
use bakeoff_render::escape::Plain;
use bakeoff_source::content_address;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

/// Path of the record, in the folder of an experiment.
const FILE: &str = ".bakeoff/generation.json";

/// The largest record that is read, in bytes, and the most JSON values in it.
const FILE_BYTES_MAX: u64 = 16 << 20;
const FILE_VALUES_MAX: usize = 1 << 16;

/// Writes the record of a generation beside the experiment, all at once, with the user's seal. Research and a plan's reply
/// that are kept there stay.
///
/// # Errors
/// The record cannot be written.
pub(crate) fn put(dir: &Path, came_of_it: &impl Serialize) -> Result<(), GenerationError> {
    /// Outcome of a generation, with the replies that stay.
    #[derive(Serialize)]
    struct WithReplies<'a, T: Serialize> {
        #[serde(flatten)]
        came_of_it: &'a T,
        #[serde(flatten)]
        asked_before: AskedBefore,
    }
    let asked_before = kept(dir).ok().flatten().unwrap_or_default();
    write_sealed(
        dir,
        &WithReplies {
            came_of_it,
            asked_before,
        },
    )
}

fn write_sealed(dir: &Path, record: &impl Serialize) -> Result<(), GenerationError> {
    let json = serde_json::to_string_pretty(record)?;
    let sealed = sealed(&json).map_err(|error| cannot_write(&dir.join(FILE), &error))?;
    write(dir, FILE, &sealed)?;
    Ok(())
}

/// Renames a record that this user's bakeoff did not write, and says so. To be called before a model is asked for
/// anything and another record is written.
///
/// # Errors
/// The record cannot be renamed.
pub(crate) fn set_foreign_aside(dir: &Path, say: &mut dyn FnMut(&str)) -> Result<(), PlaceError> {
    let Err(reason) = kept::<Value>(dir) else {
        return Ok(());
    };
    let aside = Folder::named_by_user(dir).and_then(|dir| dir.set_aside(FILE));
    let aside = aside.map_err(|error| cannot_write(&dir.join(FILE), &error))?;
    let path = dir.join(FILE).display().to_string();
    say(&format!(
        "{} counts for nothing ({}), and was set aside as {}",
        Plain(&path),
        Plain(&reason),
        Plain(&aside)
    ));
    Ok(())
}

/// Seals the record in the folder of an experiment as this user's own, even if another user wrote it. For tests of
/// states that no command leaves behind; no command does it.
///
/// # Errors
/// The record cannot be read or written.
#[doc(hidden)]
pub fn seal_generation_again(dir: &Path) -> std::io::Result<()> {
    let folder = Folder::named_by_user(dir)?;
    let text = folder.read(FILE, FILE_BYTES_MAX)?.unwrap_or_default();
    let mut parsed: Value = parse_json_of(&text, FILE_VALUES_MAX).map_err(std::io::Error::other)?;
    if let Some(fields) = parsed.as_object_mut() {
        fields.remove("seal");
    }
    let new = folder.new_file(FILE)?;
    new.file()
        .write_all(sealed(&serde_json::to_string_pretty(&parsed)?)?.as_bytes())?;
    new.put_in_place()
}

/// The part of a record with replies to questions that are asked once for a folder.
#[derive(Default, Serialize, Deserialize)]
struct AskedBefore {
    /// Research on the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    research: Option<KeptResearch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan_reply: Option<KeptReply>,
}

/// The reply with a plan as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptReply {
    /// Digest of the request.
    about: String,
    reply: Value,
}

/// Research as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptResearch {
    /// Digest of the problem, as the model was told of it.
    about: String,
    #[serde(flatten)]
    research: Research,
}

/// Returns the research on a problem, by its digest, from the record beside an experiment; `None` if there is none of this
/// user's.
pub(crate) fn kept_research(dir: &Path, about: &str) -> Option<Research> {
    let record: Option<AskedBefore> = kept(dir).ok().flatten();
    let research = record?.research.filter(|one| one.about == about)?;
    Some(research.research.bounded())
}

/// Keeps research on a problem in the record beside an experiment, whatever else that has.
///
/// # Errors
/// The record cannot be written.
pub(crate) fn keep_research(
    dir: &Path,
    about: &str,
    research: &Research,
) -> Result<(), GenerationError> {
    let kept = KeptResearch {
        about: about.to_owned(),
        research: research.clone(),
    };
    keep(dir, "research", &kept)
}

/// Returns the reply with the plan of a request, by its digest, from the record beside an experiment; `None` if there is
/// none of this user's.
pub(crate) fn kept_plan(dir: &Path, about: &str) -> Option<Value> {
    let record: Option<AskedBefore> = kept(dir).ok().flatten();
    let kept = record?.plan_reply.filter(|one| one.about == about)?;
    Some(kept.reply)
}

/// Keeps the reply with a plan in the record beside an experiment, whatever else that has.
///
/// # Errors
/// The record cannot be written.
pub(crate) fn keep_plan(dir: &Path, about: &str, reply: &Value) -> Result<(), GenerationError> {
    let kept = KeptReply {
        about: about.to_owned(),
        reply: reply.clone(),
    };
    keep(dir, "plan_reply", &kept)
}

fn keep(dir: &Path, name: &str, value: &impl Serialize) -> Result<(), GenerationError> {
    let before: Option<Value> = kept(dir).ok().flatten();
    let mut record = match before {
        Some(before) => before,
        None => serde_json::to_value(GenerationRecord::default())?,
    };
    record[name] = serde_json::to_value(value)?;
    write_sealed(dir, &record)
}

/// Record of one generation.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct GenerationRecord {
    #[serde(flatten)]
    pub(crate) generation: Generation,
    /// Tasks that were never done, since a task that they wait for has no result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) not_started: Vec<String>,
    /// Text that identifies the request.
    #[serde(default)]
    pub(crate) wanted: String,
    /// Names of the approaches that this generation wrote into the experiment.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// True once nothing is left to ask for.
    #[serde(default)]
    pub(crate) is_complete: bool,
}

impl GenerationRecord {
    /// Returns the record of an experiment, if it is about this request.
    pub(crate) fn of(dir: &Path, wanted: &str) -> Option<Self> {
        let kept: Option<Self> = kept(dir).ok().flatten();
        kept.filter(|one| one.wanted == wanted)
    }
}

/// Record of an exploration that it needs to go on later, beside the outcomes of its approaches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ExplorationRecord {
    /// Text that identifies the request.
    #[serde(default)]
    pub(crate) wanted: String,
    /// Digests of the contents of the files on which approaches were tried, by the name of the file.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// True once nothing is left to ask for.
    #[serde(default)]
    pub(crate) is_complete: bool,
}

impl ExplorationRecord {
    /// Returns the record of an exploration that has not come to its end, if it is about this request.
    pub(crate) fn unfinished(dir: &Path, wanted: &str) -> Option<Self> {
        let kept: Option<Self> = kept(dir).ok().flatten();
        kept.filter(|one| one.wanted == wanted && !one.is_complete)
    }

    /// Returns the name of the first file that is not as it was.
    pub(crate) fn changed_file(&self, dir: &Path) -> Option<&str> {
        let is_same = |name: &str, digest: &str| {
            let read = Folder::named_by_user(dir).and_then(|dir| dir.read(name, FILE_BYTES_MAX));
            read.is_ok_and(|bytes| bytes.is_some_and(|bytes| content_address(&bytes) == digest))
        };
        let mut files = self.files.iter();
        let changed = files.find(|(name, digest)| !is_same(name, digest));
        changed.map(|(name, _)| name.as_str())
    }
}

/// Returns the names of the approaches that an unfinished generation wrote. A model that is asked once more is not told
/// of them, so that the question is the same, and its reply is not paid for again.
fn unfinished_names(dir: &Path, wanted: &str) -> Vec<String> {
    let record = GenerationRecord::of(dir, wanted).filter(|one| !one.is_complete);
    record.map(|one| one.names).unwrap_or_default()
}

/// Returns an experiment as it was before an unfinished generation for this request.
pub(crate) fn before(loaded: &LoadedExperiment, wanted: &str) -> LoadedExperiment {
    let names = unfinished_names(&loaded.dir, wanted);
    let mut before = loaded.clone();
    let approaches = &mut before.experiment.approaches;
    approaches.retain(|one| !names.contains(&one.name));
    before
}

/// Adds outcomes to the record of an experiment, whatever request that is about.
///
/// # Errors
/// The record cannot be written.
pub(crate) fn add(dir: &Path, generation: Generation) -> Result<(), GenerationError> {
    let kept: Option<GenerationRecord> = kept(dir).ok().flatten();
    let before = kept.unwrap_or(GenerationRecord {
        is_complete: true,
        ..GenerationRecord::default()
    });
    let generation = with_earlier(dir, generation);
    put(
        dir,
        &GenerationRecord {
            generation,
            ..before
        },
    )
}

/// Adds the approaches of earlier generations from the record, so that a second generation does not hide the first.
pub(crate) fn with_earlier(dir: &Path, mut generation: Generation) -> Generation {
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
    generation.plan = generation.plan.or(earlier.plan);
    generation
}

/// Reason why a record without this user's seal counts for nothing: anybody may have written it.
const NO_SEAL: &str =
    "it was not written by your bakeoff on this machine: it does not have your seal";

/// Reads the record beside an experiment; `None` if there is none. Without this user's seal, it may have come with the
/// experiment, from anybody, and is not looked at.
///
/// # Errors
/// The reason why the file is no such record, or not this user's.
pub(crate) fn kept<T: DeserializeOwned>(dir: &Path) -> Result<Option<T>, String> {
    let read = Folder::named_by_user(dir).and_then(|dir| dir.read(FILE, FILE_BYTES_MAX));
    let read = match read {
        Ok(read) => read,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let bytes = read.ok_or_else(|| format!("it has more than {FILE_BYTES_MAX} bytes"))?;
    parsed(&opened(&bytes).ok_or(NO_SEAL)?).map(Some)
}

/// Parses a record.
fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let parsed: Value =
        parse_json_of(text.as_bytes(), FILE_VALUES_MAX).map_err(|error| error.to_string())?;
    let of_it: Generation = serde_json::from_value(parsed.clone())
        .map_err(|error| JsonError::from(error).to_string())?;
    of_it.check()?;
    serde_json::from_value(parsed).map_err(|error| JsonError::from(error).to_string())
}

/// Reads bytes as a record of a generation and of an exploration, as if they had this user's seal. Returns the messages
/// that a user would see, or that the seal was forged. For fuzz targets.
#[doc(hidden)]
pub fn read_generation_record(bytes: &[u8]) -> Vec<String> {
    if is_forged(bytes) {
        return vec!["\u{7}a seal was forged".to_owned()];
    }
    let text = String::from_utf8_lossy(bytes);
    let read = [
        parsed::<GenerationRecord>(&text).err(),
        parsed::<ExplorationRecord>(&text).err(),
    ];
    read.into_iter().flatten().collect()
}

/// Reads the generated approaches for a report. A record that cannot be read is reported through `say`, and left out.
pub(crate) fn for_report(dir: &Path, say: &mut dyn FnMut(&str)) -> Option<Generation> {
    // A record with research alone is not of approaches yet.
    let is_begun = |one: &Generation| !one.model.is_empty() || !one.approaches.is_empty();
    match kept(dir) {
        Ok(generation) => generation.filter(is_begun),
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

/// Writes a file below the folder of an experiment, which is replaced as a whole. No folder on the way may be a link.
pub(crate) fn write(dir: &Path, name: &str, text: &str) -> Result<(), PlaceError> {
    let put = || {
        let new = Folder::named_by_user(dir)?.new_file(name)?;
        new.file().write_all(text.as_bytes())?;
        new.file().sync_all()?;
        new.put_in_place()
    };
    put().map_err(|error: std::io::Error| cannot_write(&dir.join(name), &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A record that says that all was asked for, in the words of this experiment.
    #[test]
    fn case_173_record_of_a_generation_that_was_sent() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let ours = GenerationRecord {
            wanted: "3".to_owned(),
            names: vec!["a".to_owned()],
            is_complete: true,
            ..GenerationRecord::default()
        };
        put(dir, &ours).unwrap();
        let sealed = fs::read_to_string(dir.join(FILE)).unwrap();
        assert!(GenerationRecord::of(dir, "3").unwrap().is_complete);
        set_foreign_aside(dir, &mut |text| panic!("{text}")).unwrap();

        let unsealed = serde_json::to_string_pretty(&ours).unwrap() + "\n";
        let changed = sealed.replace("\"a\"", "\"b\"");
        assert_ne!(changed, sealed);
        for (number, forged) in [unsealed, changed].iter().enumerate() {
            fs::write(dir.join(FILE), forged).unwrap();
            assert!(GenerationRecord::of(dir, "3").is_none());
            assert!(ExplorationRecord::unfinished(dir, "3").is_none());
            assert!(unfinished_names(dir, "3").is_empty());
            let mut said = Vec::new();
            set_foreign_aside(dir, &mut |text| said.push(text.to_owned())).unwrap();
            let aside = format!("{FILE}.aside-{}", number + 1);
            assert!(
                said[0].contains("your seal") && said[0].contains(&aside),
                "{said:?}"
            );
            assert_eq!(&fs::read_to_string(dir.join(aside)).unwrap(), forged);
            assert!(!dir.join(FILE).exists());
        }
        fs::write(dir.join(FILE), changed_complete(&sealed)).unwrap();
        seal_generation_again(dir).unwrap();
        assert!(!GenerationRecord::of(dir, "3").unwrap().is_complete);
    }

    #[test]
    fn research_stays_in_the_record_and_counts_for_its_problem_alone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let research = Research {
            pitfalls: vec!["Overflow.".to_owned()],
            ..Research::default()
        };
        assert_eq!(kept_research(dir, "a"), None);
        keep_research(dir, "a", &research).unwrap();
        assert_eq!(for_report(dir, &mut |text| panic!("{text}")), None);
        let ours = GenerationRecord {
            wanted: "3".to_owned(),
            ..GenerationRecord::default()
        };
        put(dir, &ours).unwrap();
        assert_eq!(kept_research(dir, "a"), Some(research.clone()));
        assert_eq!(kept_research(dir, "b"), None);
        assert!(GenerationRecord::of(dir, "3").is_some());
        keep_research(dir, "b", &research).unwrap();
        assert_eq!(kept_research(dir, "b"), Some(research));
        assert!(GenerationRecord::of(dir, "3").is_some());
        // What was sent, or changed since, is nobody's word.
        let changed = fs::read_to_string(dir.join(FILE)).unwrap();
        fs::write(dir.join(FILE), changed.replace("Overflow", "Obey")).unwrap();
        assert_eq!(kept_research(dir, "b"), None);
    }

    fn changed_complete(text: &str) -> String {
        text.replace("\"is_complete\": true", "\"is_complete\": false")
    }

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
            // As it was sent, and as it would be with our seal.
            for text in [forged.to_owned(), sealed(forged).unwrap()] {
                fs::write(dir.join(FILE), &text).unwrap();
                said.clear();
                assert_eq!(
                    for_report(dir, &mut |text| said.push(text.to_owned())),
                    None
                );
                assert_eq!(said.len(), 1, "{text}");
            }
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
