//! Approaches from a model: what it is asked, and what becomes of its answers.
//!
//! A model names ideas, and writes a prototype of each. A prototype is built and called as any that nobody
//! trusts is; what fails goes back with what was wrong, a bounded number of times. Nothing that a model
//! writes decides a name of a file, an id, a seed or a score. A proposer, a component of the user's own, stands
//! where a model stands.

mod attempt;
mod completing;
mod component;
mod draft;
mod explorer;
mod idea;
mod known_ideas;
mod plan;
mod planner;
mod prompt;
mod proposal;
mod proposer;
mod replies;
mod sketch;
mod writer;

pub use attempt::{Attempt, AttemptOutcome};
pub use component::{ProposerAnswer, propose_by_component, proposer_task};
pub use draft::{APPROACHES, DraftFile, PLAIN};
pub use explorer::{ExploreOptions, Explored, explore, explore_beside};
pub use idea::Idea;
pub use plan::{Complexity, Plan, PlanScope, PlannedTask, TaskKind};
pub use planner::{PlanError, plan};
pub use proposal::{Proposal, ProposalOutcome};
pub use proposer::{OwnApproach, PROPOSALS_MAX, Proposals, ProposeOptions, Proposer};
pub use writer::WriteOptions;
