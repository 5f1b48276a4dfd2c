//! The answer of a measurement, kept with the user's seal: what `pick` takes unless a variant is named.

use super::error::AgentError;
use super::sealed_file;
use bakeoff_domain::series::SeriesEnd;
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

impl MeasuredAnswer {
    /// Returns true if this answer, of a measurement that ended so, takes the place of a known one: where the user
    /// interrupted it, what was measured of the same commits before says more.
    pub(crate) fn replaces(&self, known: Option<&Self>, ended: SeriesEnd) -> bool {
        let is_of_same = |known: &Self| {
            let mut own = self.commits.iter();
            own.all(|(name, commit)| known.commits.get(name) == Some(commit))
        };
        ended != SeriesEnd::Interrupted || !known.is_some_and(is_of_same)
    }
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
    sealed_file::is_seal(&expected, &sealed.seal).then_some(sealed.answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_measurement_takes_the_place_of_none_of_the_same_commits() {
        let answer = |commit: &str| MeasuredAnswer {
            commits: [("a".to_owned(), commit.to_owned())].into(),
            winner: None,
            text: String::new(),
        };
        let (new, same, other) = (answer("1"), answer("1"), answer("2"));
        assert!(!new.replaces(Some(&same), SeriesEnd::Interrupted));
        assert!(new.replaces(Some(&same), SeriesEnd::Budget));
        assert!(new.replaces(Some(&other), SeriesEnd::Interrupted));
        assert!(new.replaces(None, SeriesEnd::Interrupted));
    }
}
