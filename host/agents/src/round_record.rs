//! The rounds of an experiment that have ended, with what each brought: `rounds.json`, sealed.

use super::error::AgentError;
use super::sealed_file;
use bakeoff_files::{Folder, parse_json};
use serde::{Deserialize, Serialize};

/// The file in the folder of an experiment.
pub(crate) const FILE: &str = "rounds.json";
/// The largest such file that is read, in bytes.
const BYTES_MAX: u64 = 4 << 20;
/// The purpose of the seal.
const PURPOSE: &[u8] = b"bakeoff-agent-rounds-1\0";

/// Round that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Number of the round, from 1.
    pub round: u32,
    /// Commit that its agents began with.
    pub base: String,
    /// Names of its variants, as their branches have them.
    pub variants: Vec<String>,
    /// Result of it.
    pub result: RoundResult,
    /// Text that agents of the next round are told of it.
    pub evidence: String,
}

/// Result of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundResult {
    /// The best variant, by its name and its commit, if it brought one: the next round begins with that.
    pub best: Option<BestVariant>,
    /// The result in a sentence or two.
    pub text: String,
    /// True if another round follows.
    pub goes_on: bool,
}

/// Best variant of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BestVariant {
    /// Name of the variant.
    pub variant: String,
    /// Its commit.
    pub commit: String,
    /// False if another one may be as good, and this was only measured as the quickest.
    #[serde(rename = "sure")]
    pub is_sure: bool,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: String,
    rounds: Vec<RoundRecord>,
}

fn seal(place: &str, rounds: &[RoundRecord]) -> Result<String, AgentError> {
    sealed_file::seal(PURPOSE, place, &[&sealed_file::json(&rounds)?])
}

/// Writes all rounds. `place` is the path of the experiment's folder.
pub(crate) fn write(
    folder: &Folder,
    place: &str,
    rounds: &[RoundRecord],
) -> Result<(), AgentError> {
    let sealed = Sealed {
        seal: seal(place, rounds)?,
        rounds: rounds.to_vec(),
    };
    sealed_file::put(folder, FILE, &sealed)
}

/// Reads all rounds; none if there is no file with the user's seal.
pub(crate) fn read(folder: &Folder, place: &str) -> Vec<RoundRecord> {
    let sealed = || {
        let bytes = folder.read(FILE, BYTES_MAX).ok()??;
        let sealed: Sealed = parse_json(&bytes).ok()?;
        let expected = seal(place, &sealed.rounds).ok()?;
        sealed_file::is_seal(&expected, &sealed.seal).then_some(sealed.rounds)
    };
    sealed().unwrap_or_default()
}

/// Returns the name of a variant in a round: that of the first round is its own.
pub(crate) fn name_in_round(variant: &str, round: u32) -> String {
    if round == 1 {
        variant.to_owned()
    } else {
        format!("{variant}.round-{round}")
    }
}
