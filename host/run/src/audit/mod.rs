//! Auditing of finished runs: concluding a report from what was stored, verifying every exact
//! figure, comparing two reports, and packing a run for another machine.

mod alignment;
mod anchored;
mod bundle;
mod comparison;
mod figures;
mod kept_run;
mod past_runs;
mod repeated_aggregations;
mod repeated_evaluations;
mod repeated_gates;
mod report;
mod run_comparison;
mod unfinished;
mod validate;
mod validate_race;
mod verify;

pub use anchored::{ReportedRun, time_changes};
pub use bundle::{PackError, pack, unpack};
pub use figures::{Figure, FigureOutcome, VERIFICATION_VERSION, Verification};
pub use kept_run::{KeptRun, KeptRunError};
pub use past_runs::{PastRun, past_runs, runs_shown};
pub(crate) use report::natively_of;
pub use report::{ConcludeError, ConcludedRun, ReportStanding, concluded, sources};
pub use run_comparison::{RunComparison, VariantChange, VerdictChange, compare_runs};
pub use unfinished::unfinished;
pub use validate::check_report;
pub use verify::verify;
