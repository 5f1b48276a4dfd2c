//! Coding agents of the user, each in a worktree of its own behind a fence, and what they left.
//!
//! A worktree is a folder with the files of a commit, and a repository of its own in it, which borrows the objects of the
//! user's. Nothing is read of that inner repository again: what an agent left is committed from its files alone, by git
//! behind a fence with settings of our own.

mod agent_program;
mod attempt;
mod branch;
mod changes;
mod claimed_cost;
mod completion;
mod error;
mod experiment;
mod fenced_program;
mod file_agents;
mod folder_modes;
mod git;
mod instructions;
mod measurement;
mod merge;
mod orders;
mod pick;
mod place_in_repository;
mod record;
mod round_evidence;
mod round_record;
mod round_result;
mod rounds;
mod run_experiments;
mod sealed_file;
mod slots;
mod task_attempt;
mod task_experiment;
mod task_merge;
mod task_orders;
mod task_record;
mod task_result;
mod task_schedule;
mod task_states;
mod task_work;
mod test_patterns;
mod test_setup;
mod verification;
mod winner;
mod work;
mod worktree;

pub use bakeoff_programs::FenceReach;
pub use changes::Changes;
pub use claimed_cost::Claimed;
pub use completion::{AgentVerification, AgentWorkOutcome, Completion};
pub use error::AgentError;
pub use experiment::{AgentExperiment, WorktreeState};
pub use file_agents::{FileAgents, FileOrders, FileTask, WrittenFile};
pub use instructions::Instructions;
pub use measurement::{MeasureOrders, NotBuilt, THE_BASE, VariantMeasurement};
pub use orders::{AGENT_INSTRUCTIONS, NewTests, Orders};
pub use pick::{PickAnswer, PickedVariant};
pub use record::{CompletionRequest, VariantRequest};
pub use round_record::{BestVariant, RoundRecord, RoundResult};
pub use rounds::{Round, RoundOrders, TimingListener, work_in_rounds};
pub use run_experiments::{RunExperiments, TaskExperiment, TaskExperimentAnswer};
pub use task_merge::ConflictedMerge;
pub use task_orders::{TaskListener, TaskNews, TaskOrders};
pub use task_record::{ListedTask, TaskList};
pub use task_result::MergedResult;
pub use task_schedule::{
    TaskForecast, TaskProgress, TaskRetries, WorkerLoad, forecast, longest_chain,
};
pub use task_states::{AgentTaskState, TaskStates};
pub use task_work::{TaskRow, WorkOutcome, work_off};
pub use test_patterns::{TEST_PATTERNS, with_usual_tests};
pub use work::{AgentNews, NewsListener};
