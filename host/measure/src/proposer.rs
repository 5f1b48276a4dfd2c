//! The parent's side of proposers: their proposals, and their questions to a model.

use super::evaluator::{answered, plug_in};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_runner::{ProposeCall, ProposeReply};
use bakeoff_sandbox::{Completions, ProposerReply, ProposerTask};

/// Asks a proposer for approaches. `completions` are its answered questions to a model, and whether it may ask one.
/// Nothing about its reply was checked; a proposer that failed proposes nothing.
///
/// # Errors
/// The runner could not be started.
pub async fn propose(
    config: &RunnerConfig,
    proposer: &[u8],
    task: &ProposerTask,
    completions: &Completions,
) -> Result<ProposerReply, RunnerError> {
    let mut runner = plug_in(config, None, |bundle| ProposeCall {
        proposer: bundle.add_code(proposer),
        task: task.clone(),
        completions: completions.clone(),
    })?;
    let replies = answered(
        "the proposer",
        &mut runner,
        |replies: &mut Vec<_>, reply| {
            replies.push(reply);
        },
    );
    let replies = match replies.await? {
        Ok(replies) => replies,
        Err(why) => return Ok(ProposerReply::Nothing(why)),
    };
    let mut proposals = Vec::new();
    for reply in replies {
        match reply {
            ProposeReply::Proposal(proposal) => proposals.push(proposal),
            ProposeReply::Nothing(why) => {
                return Ok(ProposerReply::Nothing(format!("the proposer says: {why}")));
            }
            ProposeReply::Asks(question) => return Ok(ProposerReply::Asks(question)),
        }
    }
    Ok(ProposerReply::Proposals(proposals))
}
