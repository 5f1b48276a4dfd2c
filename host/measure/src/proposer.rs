//! Proposers, inside a runner: the task is handed over, and proposals are handed back.

use super::evaluator::{failed, with_instance};
use super::protocol::{Blob, Opened, Reply};
use bakeoff_confine::Frames;
use bakeoff_sandbox::{Completions, Imports, Instance, ProposerReply, ProposerTask, Sandbox};

/// Asks a proposer for approaches, and sends each by itself, or the completion that it asks for.
pub(super) fn propose(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    proposer: Blob,
    (task, completions): (&ProposerTask, &Completions),
    frames: &mut Frames,
) -> Result<(), String> {
    let imports = Imports::Completions;
    let propose = |instance: &mut Instance| instance.propose(task.clone(), completions.clone());
    match with_instance(opened, sandbox, proposer, imports, frames, propose)? {
        Ok(ProposerReply::Proposals(proposals)) => proposals
            .into_iter()
            .take(task.count as usize)
            .try_for_each(|proposal| Reply::Proposed(proposal).send(frames)),
        Ok(ProposerReply::Nothing(why)) => Reply::NotProposed(why).send(frames),
        Ok(ProposerReply::Asks(question)) => Reply::Asks(question).send(frames),
        Err(error) => failed(error).send(frames),
    }
}
