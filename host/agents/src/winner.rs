//! The answer of a measurement, kept with the user's seal: what `pick` takes unless a variant is named.

use super::error::AgentError;
use super::sealed_file;
use bakeoff_files::{Folder, parse_json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

fn seal(place: &str, answer: &MeasuredAnswer) -> Result<String, AgentError> {
    sealed_file::seal(PURPOSE, place, &[&sealed_file::json(answer)?])
}

/// Writes the answer in the place of the last one. `place` is the path of the experiment's folder.
pub(crate) fn write(
    folder: &Folder,
    place: &str,
    answer: MeasuredAnswer,
) -> Result<(), AgentError> {
    let sealed = Sealed {
        seal: seal(place, &answer)?,
        answer,
    };
    sealed_file::put(folder, FILE, &sealed)
}

/// Reads the answer; `None` if there is none with the user's seal.
pub(crate) fn read(folder: &Folder, place: &str) -> Option<MeasuredAnswer> {
    let bytes = folder.read(FILE, BYTES_MAX).ok()??;
    let sealed: Sealed = parse_json(&bytes).ok()?;
    let expected = seal(place, &sealed.answer).ok()?;
    (expected == sealed.seal).then_some(sealed.answer)
}
