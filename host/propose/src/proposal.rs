//! Approaches of a model or a proposer, and what became of them.

use super::attempt::{Attempt, AttemptOutcome};
use super::idea::Idea;
use bakeoff_domain::spec::Parameter;

/// An approach of a model or a proposer, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The idea.
    pub idea: Idea,
    /// What questions about it were about, by which its cost is found; empty for a proposer's.
    pub subject: String,
    /// Its parameters, each with the values that are tried.
    pub parameters: Vec<Parameter>,
    /// The revisions of its prototype, in their order; of a proposer's, one for each combination of values
    /// that was tried.
    pub attempts: Vec<Attempt>,
    /// What became of it.
    pub outcome: ProposalOutcome,
}

/// What became of an approach.
#[derive(Clone, Debug, PartialEq)]
pub enum ProposalOutcome {
    /// An attempt passed.
    Passed,
    /// An attempt passed, and does exactly the work of another approach on every input.
    Duplicate {
        /// The other one.
        of: String,
    },
    /// None passed.
    Failed {
        /// The class of the last failure.
        class: &'static str,
        /// What was wrong.
        message: String,
    },
}

impl Proposal {
    /// The place of the attempt that stands for it: the first that passed.
    pub fn counting(&self) -> Option<usize> {
        let is_passed = |one: &Attempt| matches!(one.outcome, AttemptOutcome::Passed { .. });
        self.attempts.iter().position(is_passed)
    }

    /// The source of the attempt that passed, if one did and it does no other's work.
    pub fn passed(&self) -> Option<&str> {
        let place = self.counting()?;
        (self.outcome == ProposalOutcome::Passed).then_some(&self.attempts[place].source)
    }

    /// The fuel of each call of the attempt that passed, if one did.
    pub(super) fn fuel(&self) -> Option<&[u64]> {
        match (&self.attempts[self.counting()?].outcome, &self.outcome) {
            (AttemptOutcome::Passed { fuel }, ProposalOutcome::Passed) => Some(fuel),
            _ => None,
        }
    }
}

/// The work of prototypes that passed, by which those that do the same are noticed.
#[derive(Debug, Default)]
pub(super) struct KnownWork(Vec<(String, Vec<u64>)>);

impl KnownWork {
    /// Adds the work of a prototype: its name, and the fuel of each call.
    pub(super) fn add(&mut self, name: &str, fuel: &[u64]) {
        self.0.push((name.to_owned(), fuel.to_vec()));
    }

    /// Marks a proposal as a duplicate if its work is known, and adds it otherwise.
    pub(super) fn hold_against(&mut self, proposal: &mut Proposal) {
        let Some(fuel) = proposal.fuel().map(<[u64]>::to_vec) else {
            return;
        };
        match self.0.iter().find(|(_, known)| *known == fuel) {
            Some((of, _)) => proposal.outcome = ProposalOutcome::Duplicate { of: of.clone() },
            None => self.add(&proposal.idea.name, &fuel),
        }
    }
}

/// What became of a proposal, in a few words.
pub(super) fn in_words(outcome: &ProposalOutcome) -> String {
    match outcome {
        ProposalOutcome::Passed => "passed".to_owned(),
        ProposalOutcome::Duplicate { of } => format!("does the same work as {of}, and is left out"),
        ProposalOutcome::Failed { class, .. } => format!("failed ({class})"),
    }
}
