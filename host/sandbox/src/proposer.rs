//! The call of a proposer.

use super::completion::{CompletionDesk, Completions};
use super::evaluator::shown;
use super::guest_error::GuestError;
use super::instance::Instance;
use super::proposal::{
    GivenProposal, KnownApproach, KnownOutcome, KnownProblem, NamedText, NamedValues,
    ProposerReply, ProposerTask,
};
use bakeoff_domain::failure::FailureClass;

mod bindings {
    wasmtime::component::bindgen!({ path: "../../wit/proposer", world: "proposer" });
}

use bindings::Proposer;
use bindings::bakeoff::proposer::types;

fn file((name, text): NamedText) -> types::SourceFile {
    types::SourceFile { name, text }
}

fn files(files: Vec<NamedText>) -> Vec<types::SourceFile> {
    files.into_iter().map(file).collect()
}

fn parameters(parameters: Vec<NamedValues>) -> Vec<types::Parameter> {
    let parameters = parameters.into_iter();
    parameters
        .map(|(name, values)| types::Parameter { name, values })
        .collect()
}

fn problem(problem: KnownProblem) -> types::Problem {
    types::Problem {
        statement: problem.statement,
        call: problem.call,
        signature: problem.signature,
        wit: files(problem.wit),
        workload: problem.workload.map(file),
        cases: problem.cases,
    }
}

fn approach(approach: KnownApproach) -> types::Approach {
    types::Approach {
        name: approach.name,
        description: approach.description,
        files: files(approach.files),
        parameters: parameters(approach.parameters),
    }
}

fn outcome(outcome: KnownOutcome) -> types::Outcome {
    let readings = outcome.readings.into_iter();
    let readings = readings.map(|(source, value, unit)| types::Reading {
        source,
        value,
        unit,
    });
    types::Outcome {
        approach: outcome.approach,
        parameters: outcome.parameters,
        failure: outcome.failure,
        rank: outcome.rank,
        total: outcome.total,
        readings: readings.collect(),
    }
}

fn proposal(proposal: types::Proposal) -> GivenProposal {
    let parameters = proposal.parameters.into_iter();
    let files = proposal.files.into_iter();
    GivenProposal {
        name: proposal.name,
        description: proposal.description,
        parameters: parameters.map(|one| (one.name, one.values)).collect(),
        files: files.map(|one| (one.name, one.text)).collect(),
    }
}

impl Instance {
    /// Asks a proposer for approaches. `completions` are its answered questions to a model, and whether it may ask one.
    /// Nothing about its reply was checked.
    ///
    /// # Errors
    /// The guest trapped, exceeded a limit, or is no proposer.
    pub fn propose(
        &mut self,
        task: ProposerTask,
        completions: Completions,
    ) -> Result<ProposerReply, GuestError> {
        self.refuel();
        let proposer = Proposer::new(&mut self.store, &self.instance)
            .map_err(|error| GuestError::new(FailureClass::WrongWorld, format!("{error:#}")))?;
        self.store.data_mut().completions = CompletionDesk::of(completions);
        let known: Vec<_> = task.approaches.into_iter().map(approach).collect();
        let outcomes: Vec<_> = task.outcomes.into_iter().map(outcome).collect();
        let exported = proposer.bakeoff_proposer_propose();
        let problem = problem(task.problem);
        let made = exported.call_propose(&mut self.store, &problem, &known, &outcomes, task.count);
        if let Some(question) = self.store.data_mut().completions.take_open() {
            return Ok(ProposerReply::Asks(question));
        }
        let made = made.map_err(|error| self.error(&error))?;
        Ok(match made {
            Ok(proposals) => {
                ProposerReply::Proposals(proposals.into_iter().map(proposal).collect())
            }
            Err(types::Error::NothingToPropose(why) | types::Error::Other(why)) => {
                ProposerReply::Nothing(shown(&why))
            }
        })
    }
}
