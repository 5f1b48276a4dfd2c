//! Approaches that a model or a proposer made, and their results.

use super::attempt::{AttemptOutcome, PrototypeAttempt};
use super::idea::Idea;
use bakeoff_domain::spec::Parameter;

/// An approach that a model or a proposer made, with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The idea.
    pub idea: Idea,
    /// Subject of the questions about the approach, by which its cost is found; empty for a proposer's approach.
    pub subject: String,
    /// Parameters of the approach, each with the values that are tried.
    pub parameters: Vec<Parameter>,
    /// Revisions of the prototype, in their order; for a proposer's approach, one attempt for each combination of
    /// values that was tried.
    pub attempts: Vec<PrototypeAttempt>,
    /// Result of the approach.
    pub outcome: ProposalOutcome,
}

/// Result of an approach.
#[derive(Clone, Debug, PartialEq)]
pub enum ProposalOutcome {
    /// An attempt passed.
    Passed,
    /// An attempt passed, and does exactly the work of another approach on every input.
    Duplicate {
        /// Name of the other approach.
        of: String,
    },
    /// No attempt passed.
    Failed {
        /// The class of the last failure.
        class: &'static str,
        /// Message of the last failure.
        message: String,
    },
}

impl Proposal {
    /// Returns the index of the first attempt that passed, which is the one that counts.
    pub fn counting(&self) -> Option<usize> {
        let is_passed =
            |one: &PrototypeAttempt| matches!(one.outcome, AttemptOutcome::Passed { .. });
        self.attempts.iter().position(is_passed)
    }

    /// Returns the source of the attempt that passed, if one did and the approach is no duplicate.
    pub fn passed(&self) -> Option<&str> {
        let place = self.counting()?;
        (self.outcome == ProposalOutcome::Passed).then_some(&self.attempts[place].source)
    }

    /// Returns the fuel of each call of the attempt that passed, if one did and the approach is no duplicate.
    pub(super) fn fuel(&self) -> Option<&[u64]> {
        match (&self.attempts[self.counting()?].outcome, &self.outcome) {
            (AttemptOutcome::Passed { fuel }, ProposalOutcome::Passed) => Some(fuel),
            _ => None,
        }
    }
}

/// Fuel of the prototypes that passed, call by call, by which duplicates are found.
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

/// Describes the result of an approach in a few words.
pub(super) fn in_words(outcome: &ProposalOutcome) -> String {
    match outcome {
        ProposalOutcome::Passed => "passed".to_owned(),
        ProposalOutcome::Duplicate { of } => format!("does the same work as {of}, and is left out"),
        ProposalOutcome::Failed { class, .. } => format!("failed ({class})"),
    }
}
