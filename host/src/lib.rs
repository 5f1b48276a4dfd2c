//! bakeoff tries the ways to solve a problem in a sandbox, measures them against each other, and
//! says which one to take, how sure that is, and what would change its mind.
//!
//! A program of your own opens an [`Experiment`], runs it, and asks its [`Report`]; it begins with
//! [`enter_if_child`]. An experiment also has the [report](Experiment::report) of its last run, which can be
//! [verified](Experiment::verify), and its oracle can be [checked](Experiment::check). [`Experiment::generate`] asks a model for approaches to its problem, and an
//! [`Exploration`] has one write the whole experiment from a statement, or answer a question in words. A [`Comparison`] needs no experiment's file: it takes files, and draws inputs by the types of their
//! function. [`Agents`] has coding agents do a task, each in a worktree of its own. Versions promise these items: within a version `0.N`, nothing of them changes but by addition.
//!
//! ```no_run
//! use bakeoff::{Experiment, Verdict};
//! use std::process::ExitCode;
//! use std::time::Duration;
//!
//! fn main() -> ExitCode {
//!     if let Some(status) = bakeoff::enter_if_child() {
//!         return status;
//!     }
//!     match compare() {
//!         Ok(()) => ExitCode::SUCCESS,
//!         Err(error) => {
//!             eprintln!("{error}");
//!             ExitCode::FAILURE
//!         }
//!     }
//! }
//!
//! fn compare() -> Result<(), bakeoff::Error> {
//!     let report = Experiment::open("examples/top-k")?
//!         .budget(Duration::from_secs(5))
//!         .run()?;
//!     println!("{}", report.answer());
//!     if let Some(time) = report.by_time("quickselect", "sort")
//!         && time.verdict == Verdict::Faster
//!     {
//!         println!("quickselect takes {:.2} of the time of sort", time.ratio.unwrap_or(1.0));
//!     }
//!     Ok(())
//! }
//! ```
//!
//! What else is public here, the command line and the server for agents, is so for this project's own tests and
//! benches, and promises nothing; so is every other crate of the workspace.

#[doc(hidden)]
pub mod cli;
mod library;
#[doc(hidden)]
pub mod mcp;

pub use library::{
    AgentOutcome, AgentResult, Agents, AgentsReport, Comparison, ComparisonResult, Depth,
    Difference, Diversity, Error, ErrorKind, Experiment, Exploration, ExplorationPlan,
    ExplorationResult, GenerateOptions, GeneratedApproach, Generation, JudgeOptions, Judgement,
    ModelCost, ModelOptions, NotTimed, OracleCheck, Outcome, Report, Sketch, Status, TimeVerdict,
    Variant, Verdict, Verification, enter_if_child, judge,
};
