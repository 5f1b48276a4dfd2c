//! Proposers: the task is handed over, and proposals are handed back.

use super::call::{Replies, RunnerCall};
use super::evaluator::{failed, with_instance};
use super::protocol::GuestCode;
use super::runner::Runner;
use bakeoff_sandbox::{
    CompletionQuestion, Completions, GivenProposal, Imports, Instance, ProposerReply, ProposerTask,
};
use serde::{Deserialize, Serialize};

/// Asks a proposer for approaches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProposeCall {
    /// The proposer, in the checked profile.
    pub proposer: GuestCode,
    /// The problem, its approaches and their results.
    pub task: ProposerTask,
    /// The proposer's questions to a model so far, with their answers.
    pub completions: Completions,
}

/// A reply of a proposer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ProposeReply {
    /// An approach. There is a reply for each.
    Proposal(GivenProposal),
    /// The reason why there are no approaches.
    Nothing(String),
    /// A question to a model.
    Asks(CompletionQuestion),
}

impl RunnerCall for ProposeCall {
    type Reply = ProposeReply;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        let imports = Imports::Completions;
        let propose =
            |instance: &mut Instance| instance.propose(self.task.clone(), self.completions.clone());
        match with_instance(runner, self.proposer, imports, &replies, propose)? {
            Ok(ProposerReply::Proposals(proposals)) => proposals
                .into_iter()
                .take(self.task.count as usize)
                .try_for_each(|proposal| replies.send(ProposeReply::Proposal(proposal))),
            Ok(ProposerReply::Nothing(why)) => replies.send(ProposeReply::Nothing(why)),
            Ok(ProposerReply::Asks(question)) => replies.send(ProposeReply::Asks(question)),
            Err(error) => replies.fail(failed(error)),
        }
    }
}
