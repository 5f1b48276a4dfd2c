//! Files with the user's seal, by which one that came with a folder counts for nothing.

use super::error::AgentError;
use bakeoff_files::{Folder, UserKey};
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

/// Returns the bytes of a value in JSON, as a seal covers them.
pub(crate) fn json(value: &impl Serialize) -> Result<Vec<u8>, AgentError> {
    serde_json::to_vec(value).map_err(|error| AgentError::Machine(error.to_string()))
}

/// Returns the seal of values in JSON for a purpose. `place` is the path of the experiment's folder.
pub(crate) fn seal(purpose: &[u8], place: &str, values: &[&[u8]]) -> Result<String, AgentError> {
    let key = UserKey::of_results().map_err(AgentError::Machine)?;
    let values = values.iter().flat_map(|value| [&b"\0"[..], value]);
    let parts: Vec<&[u8]> = [purpose, place.as_bytes()]
        .into_iter()
        .chain(values)
        .collect();
    Ok(key.seal(&parts))
}

/// Returns true if the seal of a file is the one that it is to have.
pub(crate) fn is_seal(expected: &str, found: &str) -> bool {
    let is_same = expected == found;
    if !is_same {
        UserKey::tell_unverified();
    }
    is_same
}

/// Writes a file with its seal in the place of the last one, all at once.
pub(crate) fn put(
    folder: &Folder,
    name: impl AsRef<Path>,
    sealed: &impl Serialize,
) -> Result<(), AgentError> {
    let json = serde_json::to_vec_pretty(sealed);
    let json = json.map_err(|error| AgentError::Machine(error.to_string()))?;
    let new = folder.new_file(name)?;
    new.file().write_all(&json)?;
    Ok(new.put_in_place()?)
}
