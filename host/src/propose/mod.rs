//! Approaches from a model: what it is asked, and what becomes of its answers.
//!
//! A model names ideas, and writes a prototype of each. A prototype is built and called as any that nobody
//! trusts is; what fails goes back with what was wrong, a bounded number of times. Nothing that a model
//! writes decides a name of a file, an id, a seed or a score. A proposer, a component of the user's own, stands
//! where a model stands.

mod attempt;
mod component;
mod idea;
mod prompt;
mod proposer;
mod replies;

pub use attempt::{Attempt, AttemptOutcome};
pub use component::{propose_by_component, proposer_task};
pub use idea::Idea;
pub use proposer::{
    OwnApproach, PROPOSALS_MAX, Proposal, ProposalOutcome, Proposals, ProposeOptions, Proposer,
};
