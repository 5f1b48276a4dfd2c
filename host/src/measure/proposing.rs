//! The parent's side of proposers: what they propose.

use super::evaluation::{Outcome, run, words};
use super::protocol::{Reply, Task};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use crate::sandbox::{GivenProposal, ProposerTask};

/// Asks a proposer for approaches. `Err` within says why there are none. Nothing about them was checked.
///
/// # Errors
/// The runner could not be started.
pub async fn propose(
    config: &RunnerConfig,
    proposer: &[u8],
    task: &ProposerTask,
) -> Result<Result<Vec<GivenProposal>, String>, RunnerError> {
    let message = config.request(|bundle| Task::Propose {
        proposer: bundle.add(proposer),
        task: task.clone(),
    })?;
    let replies = match run(config, message, None, None).await? {
        Outcome::Evaluator(failed) => return Ok(Err(words("the proposer", &failed))),
        Outcome::Variant(_) => return Ok(Err("its process died".to_owned())),
        Outcome::Replies(replies) => replies,
    };
    let mut proposals = Vec::new();
    for reply in replies {
        match reply {
            Reply::Proposed(proposal) => proposals.push(proposal),
            Reply::NotProposed(why) => return Ok(Err(format!("the proposer says: {why}"))),
            _ => {}
        }
    }
    Ok(Ok(proposals))
}
