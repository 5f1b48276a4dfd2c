//! Completions that are kept: each a file with the user's seal, so that one that came with a folder counts for nothing.

use super::completion::Completion;
use super::error::AgentError;
use bakeoff_files::{Folder, UserKey, parse_json};
use serde::{Deserialize, Serialize};
use std::io::Write as _;

/// The largest file of a completion that is read, in bytes.
const BYTES_MAX: u64 = 1 << 20;
/// The purpose of the seal.
const PURPOSE: &[u8] = b"bakeoff-agent-completion-1\0";

/// Variant that an agent works on.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Name of it, a part of the branch's name.
    pub name: String,
    /// Idea that its agent is told.
    pub idea: String,
}

/// Request that a completion is the answer to. Another request needs another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Task of all variants.
    pub task: String,
    /// Instructions that stand above the task.
    pub instructions: String,
    /// Command of the agent.
    pub agent: String,
    /// Commit that worktrees are made from.
    pub base: String,
    /// Commands that verify what was left.
    pub verify: Vec<String>,
    /// Patterns of tests, which are taken from the base.
    pub tests: Vec<String>,
}

/// File of a completion.
#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: String,
    request: Request,
    completion: Completion,
}

pub(crate) fn file(variant: &str) -> String {
    format!("completions/{variant}/completion.json")
}

fn seal(key: &UserKey, place: &str, sealed: &Sealed) -> Result<String, AgentError> {
    let text = |json: Result<Vec<u8>, serde_json::Error>| {
        json.map_err(|error| AgentError::Machine(error.to_string()))
    };
    let request = text(serde_json::to_vec(&sealed.request))?;
    let completion = text(serde_json::to_vec(&sealed.completion))?;
    let parts: [&[u8]; 6] = [
        PURPOSE,
        place.as_bytes(),
        b"\0",
        &request,
        b"\0",
        &completion,
    ];
    Ok(key.seal(&parts))
}

/// Writes a completion. `place` is the path of the experiment's folder.
pub(crate) fn write(
    folder: &Folder,
    place: &str,
    request: &Request,
    completion: &Completion,
) -> Result<(), AgentError> {
    let key = UserKey::of_results().map_err(AgentError::Machine)?;
    let mut sealed = Sealed {
        seal: String::new(),
        request: request.clone(),
        completion: completion.clone(),
    };
    sealed.seal = seal(&key, place, &sealed)?;
    let json = serde_json::to_vec_pretty(&sealed);
    let json = json.map_err(|error| AgentError::Machine(error.to_string()))?;
    let new = folder.new_file(file(&completion.variant))?;
    new.file().write_all(&json)?;
    Ok(new.put_in_place()?)
}

/// Reads a completion with the request that it answers; `None` if there is none with the user's seal.
pub(crate) fn read(folder: &Folder, place: &str, variant: &str) -> Option<(Request, Completion)> {
    let key = UserKey::of_results().ok()?;
    let bytes = folder.read(file(variant), BYTES_MAX).ok()??;
    let sealed: Sealed = parse_json(&bytes).ok()?;
    let expected = seal(&key, place, &sealed).ok()?;
    (expected == sealed.seal && sealed.completion.variant == variant)
        .then_some((sealed.request, sealed.completion))
}
