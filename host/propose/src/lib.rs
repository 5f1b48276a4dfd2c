//! Approaches from a model or a proposer: the questions that are asked, and the use of the answers.
//!
//! A model names ideas, and writes a prototype of each. A prototype is built and called like any untrusted one; a
//! prototype that fails goes back with the error, a bounded number of times. Nothing that a model writes decides a name
//! of a file, an id, a seed or a score. A proposer is a component of the user's own that takes the model's place.

mod agent_variants;
mod answers;
mod attempt;
mod component;
mod develop;
mod draft;
mod explore_options;
mod explorer;
mod idea;
mod improver;
mod judge;
mod known_ideas;
mod plan;
mod plan_cost;
mod planned_criteria;
mod planned_work;
mod planner;
mod prompt;
mod proposal;
mod proposer;
mod proposer_calls;
mod prototype_rules;
mod question;
mod replies;
mod research;
mod round_proposer;
mod search_lessons;
mod sketch;
mod step;
mod templates;
mod what_counts;
mod writer;

pub use agent_variants::{AgentVariant, name_variants};
pub use answers::{Answers, FutureSource, SourceQuestion, SourceWriter};
pub use attempt::{AttemptOutcome, PrototypeAttempt};
pub use component::{ProposerAnswer, propose_by_component, proposer_task};
pub use develop::{DevelopedApproach, DevelopedQuestion, develop};
pub use draft::{APPROACHES, DraftFile, PLAIN};
pub use explore_options::{
    ExploreOptions, NEW_CRITERIA, NewExperiment, OpinionOptions, SketchForm, new_criterion,
    usual_criteria, with_context,
};
pub use explorer::{ExplorationParts, explore, explore_beside};
pub use idea::{Idea, WishFile, WishedIdea};
pub use improver::{Improvement, Improvements, Improver};
pub use judge::ModelJudge;
pub use plan::{Complexity, Plan, PlanScope, PlannedTask, TaskKind};
pub use plan_cost::{PROMPT_TOKENS, PlanBounds};
pub use planned_criteria::PlannedCriterion;
pub use planned_work::{PlannedWork, WorkComplexity, WorkRequest, plan_work};
pub use planner::{PlanError, PlanReply, PlanRequest, plan, plan_of_reply};
pub use proposal::{Proposal, ProposalOutcome};
pub use proposer::{OwnApproach, PROPOSALS_MAX, Proposals, ProposeOptions, Proposer};
pub use question::{NamedJudge, OpinionCriterion, QuestionPlan, plan_in_words};
pub use research::{KnownAlgorithm, Research, research};
pub use round_proposer::{
    ProposedProgram, ProposedPrograms, ProposerProgram, ProposerResult, RoundProposer,
};
pub use search_lessons::{SearchLessons, ToldProgram, ToldSpeed, TriedCandidate};
pub use sketch::is_taken;
pub use step::{OnStep, WritingStep};
pub use templates::{built_in_prompt, generation_prompts, prompts_identity, used_prompts};
pub use writer::WriteOptions;
