//! Proposers, inside a runner: what is known is handed over, and proposals are handed back.

use super::evaluator::{failed, with_instance};
use super::protocol::{Blob, Opened, Reply};
use crate::confine::Frames;
use crate::sandbox::{Imports, Instance, ProposerTask, Sandbox};
use std::sync::Arc;

/// Asks a proposer for approaches, and sends each by itself.
pub(super) fn propose(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    proposer: Blob,
    task: &ProposerTask,
    frames: &mut Frames,
) -> Result<(), String> {
    let imports = Imports::Diagnostic(Arc::default());
    let propose = |instance: &mut Instance| instance.propose(task.clone());
    match with_instance(opened, sandbox, proposer, imports, frames, propose)? {
        Ok(Ok(proposals)) => proposals
            .into_iter()
            .take(task.count as usize)
            .try_for_each(|proposal| Reply::Proposed(proposal).send(frames)),
        Ok(Err(why)) => Reply::NotProposed(why).send(frames),
        Err(error) => failed(error).send(frames),
    }
}
