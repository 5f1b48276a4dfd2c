//! The answer of a measurement, kept with the user's seal: what `pick` takes unless a variant is named.

use super::error::AgentError;
use bakeoff_files::{Folder, UserKey, parse_json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write as _;

/// The file of the answer in the folder of an experiment.
pub(crate) const FILE: &str = "measured.json";
/// The largest such file that is read, in bytes.
const BYTES_MAX: u64 = 256 << 10;
/// The purpose of the seal.
const PURPOSE: &[u8] = b"bakeoff-agent-measurement-1\0";

/// Answer of the last measurement of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeasuredAnswer {
    /// Names of all that were measured, with their commits.
    pub(crate) commits: BTreeMap<String, String>,
    /// Name of the one that is surely ahead of all others.
    pub(crate) winner: Option<String>,
    /// The answer in words.
    pub(crate) text: String,
}

/// File of an answer.
#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: String,
    answer: MeasuredAnswer,
}

fn seal(key: &UserKey, place: &str, answer: &MeasuredAnswer) -> Result<String, AgentError> {
    let json = serde_json::to_vec(answer);
    let json = json.map_err(|error| AgentError::Machine(error.to_string()))?;
    Ok(key.seal(&[PURPOSE, place.as_bytes(), b"\0", &json]))
}

/// Writes the answer in the place of the last one. `place` is the path of the experiment's folder.
pub(crate) fn write(
    folder: &Folder,
    place: &str,
    answer: MeasuredAnswer,
) -> Result<(), AgentError> {
    let key = UserKey::of_results().map_err(AgentError::Machine)?;
    let sealed = Sealed {
        seal: seal(&key, place, &answer)?,
        answer,
    };
    let json = serde_json::to_vec_pretty(&sealed);
    let json = json.map_err(|error| AgentError::Machine(error.to_string()))?;
    let new = folder.new_file(FILE)?;
    new.file().write_all(&json)?;
    Ok(new.put_in_place()?)
}

/// Reads the answer; `None` if there is none with the user's seal.
pub(crate) fn read(folder: &Folder, place: &str) -> Option<MeasuredAnswer> {
    let key = UserKey::of_results().ok()?;
    let bytes = folder.read(FILE, BYTES_MAX).ok()??;
    let sealed: Sealed = parse_json(&bytes).ok()?;
    let expected = seal(&key, place, &sealed.answer).ok()?;
    (expected == sealed.seal).then_some(sealed.answer)
}
