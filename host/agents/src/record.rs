//! Completions that are kept: each a file with the user's seal, so that one that came with a folder counts for nothing.

use super::completion::Completion;
use super::error::AgentError;
use super::sealed_file;
use bakeoff_files::{Folder, parse_json};
use serde::{Deserialize, Serialize};

/// The largest file of a completion that is read, in bytes.
const BYTES_MAX: u64 = 1 << 20;
/// The purpose of the seal.
const PURPOSE: &[u8] = b"bakeoff-agent-completion-1\0";

/// Variant that an agent works on.
#[derive(Clone, Debug)]
pub struct VariantRequest {
    /// Name of it, a part of the branch's name.
    pub name: String,
    /// Idea that its agent is told.
    pub idea: String,
}

/// Request that a completion is the answer to. Another request needs another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionRequest {
    /// Task of all variants.
    pub task: String,
    /// Instructions that stood above the task of this agent.
    pub instructions: String,
    /// Command of the agent.
    pub agent: String,
    /// Commit that worktrees are made from.
    pub base: String,
    /// Commit that the first round began with, in every round after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_base: Option<String>,
    /// Commands that verify what was left.
    pub verify: Vec<String>,
    /// Patterns of tests, which are taken from the base.
    pub tests: Vec<String>,
}

impl CompletionRequest {
    /// Returns true for the same request, whose agents may have been told other instructions.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let told = |request: &Self| Self {
            instructions: String::new(),
            ..request.clone()
        };
        told(self) == told(other)
    }

    /// Returns the commit whose tests verify what was left: no round weakens what a later one is held to.
    pub(crate) fn tests_base(&self) -> &str {
        self.first_base.as_ref().unwrap_or(&self.base)
    }
}

/// File of a completion.
#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: String,
    request: CompletionRequest,
    completion: Completion,
}

pub(crate) fn file(variant: &str) -> String {
    format!("completions/{variant}/completion.json")
}

fn seal(
    place: &str,
    request: &CompletionRequest,
    completion: &Completion,
) -> Result<String, AgentError> {
    let values = [
        &sealed_file::json(request)?[..],
        &sealed_file::json(completion)?,
    ];
    sealed_file::seal(PURPOSE, place, &values)
}

/// Writes a completion. `place` is the path of the experiment's folder.
pub(crate) fn write(
    folder: &Folder,
    place: &str,
    request: &CompletionRequest,
    completion: &Completion,
) -> Result<(), AgentError> {
    let sealed = Sealed {
        seal: seal(place, request, completion)?,
        request: request.clone(),
        completion: completion.clone(),
    };
    sealed_file::put(folder, file(&completion.variant), &sealed)
}

/// Reads a completion with the request that it answers; `None` if there is none with the user's seal.
pub(crate) fn read(
    folder: &Folder,
    place: &str,
    variant: &str,
) -> Option<(CompletionRequest, Completion)> {
    let bytes = folder.read(file(variant), BYTES_MAX).ok()??;
    let sealed: Sealed = parse_json(&bytes).ok()?;
    let expected = seal(place, &sealed.request, &sealed.completion).ok()?;
    (sealed_file::is_seal(&expected, &sealed.seal) && sealed.completion.variant == variant)
        .then_some((sealed.request, sealed.completion))
}
