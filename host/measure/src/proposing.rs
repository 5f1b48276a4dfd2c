//! The parent's side of proposers: their proposals, and their questions to a model.

use super::evaluation::{Outcome, run, words};
use super::protocol::{Reply, Task};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
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
    let message = config.request(|bundle| Task::Propose {
        proposer: bundle.add(proposer),
        task: task.clone(),
        completions: completions.clone(),
    })?;
    let replies = match run(config, message, None, None).await? {
        Outcome::Evaluator(failed) => {
            return Ok(ProposerReply::Nothing(words("the proposer", &failed)));
        }
        Outcome::Variant(_) => {
            return Ok(ProposerReply::Nothing("its process died".to_owned()));
        }
        Outcome::Replies(replies) => replies,
    };
    let mut proposals = Vec::new();
    for reply in replies {
        match reply {
            Reply::Proposed(proposal) => proposals.push(proposal),
            Reply::NotProposed(why) => {
                return Ok(ProposerReply::Nothing(format!("the proposer says: {why}")));
            }
            Reply::Asks(question) => return Ok(ProposerReply::Asks(question)),
            _ => {}
        }
    }
    Ok(ProposerReply::Proposals(proposals))
}
