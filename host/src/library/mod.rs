//! bakeoff in another program: an experiment, its run and its report, and files that are compared, without the command line.
//!
//! These items are re-exported at the root of the crate, and are all of it that programs may rely on from one version
//! to the next.

mod agents;
mod blocking;
mod comparison;
mod doubts;
mod error;
mod experiment;
pub(crate) mod exploration;
mod fence_reach;
mod fuel_shares;
pub(crate) mod generation;
mod judge;
mod kept_results;
mod listener;
mod measured_rounds;
mod named_rows;
pub(crate) mod opinions;
mod oracle_check;
mod report;
mod results;
mod rows;
mod setting;
pub(crate) mod user_files;
mod verification;
mod written_files;

pub use agents::{AgentOutcome, AgentResult, Agents, AgentsReport};
pub use comparison::{Comparison, ComparisonResult, NotTimed};
pub(crate) use doubts::{from_elsewhere, of_standing, quoted};
pub(crate) use error::with_causes;
pub use error::{Error, ErrorKind};
pub use experiment::Experiment;
pub use exploration::{Exploration, ExplorationPlan, ExplorationResult, Sketch};
pub(crate) use fence_reach::{holds_home, reach};
pub use generation::{
    Depth, Diversity, GenerateOptions, GeneratedApproach, Generation, ModelCost, ModelOptions,
};
pub use judge::{JudgeOptions, Judgement, judge};
pub(crate) use measured_rounds::{MeasuredRounds, timing_options};
pub use oracle_check::OracleCheck;
pub use report::{Outcome, Report, Status, TimeVerdict, Variant, Verdict};
pub(crate) use results::{results_folder, write_files};
pub(crate) use rows::{RowsError, judge_rows};
pub use verification::{Difference, Verification};
pub(crate) use written_files::{PlaceError, cannot_write, check_places, replace};

use std::process::ExitCode;

/// Does the work of a child process, if this process is one, and returns the status to end with.
///
/// Whatever is untrusted is built and run in children: the same program, started again, which fences itself
/// in. So a program that uses this crate calls this function first in `main`, before it starts threads or
/// reads anything.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(status) = bakeoff::enter_if_child() {
///         return status;
///     }
///     // the program
/// #   std::process::ExitCode::SUCCESS
/// }
/// ```
#[must_use = "a child that goes on is no child"]
pub fn enter_if_child() -> Option<ExitCode> {
    bakeoff_confine::enter_if_child(&[
        bakeoff_confine::PROGRAM_HOST,
        bakeoff_confine::PROBE,
        bakeoff_compile::builder_role(),
        bakeoff_compile::crates_role(),
        bakeoff_compile::native_role(),
        bakeoff_compile::reader_role(),
        bakeoff_revision::git_role(),
        bakeoff_runner::role(),
    ])
}
