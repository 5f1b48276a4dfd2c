//! Auditing of finished runs: concluding a report from what was stored, verifying every exact
//! figure, comparing two reports, and packing a run for another machine.

mod aggregated_again;
mod alignment;
mod anchored;
mod bundle;
mod comparison;
mod evaluated_again;
mod figures;
mod kept_run;
mod made_again;
mod past_runs;
mod report;
mod run_comparison;
mod unfinished;
mod validate;
mod validate_race;
mod verify;

pub use anchored::{ReportedRun, time_changes};
pub use bundle::{PackError, pack, unpack};
pub use figures::{Figure, Outcome, VERIFICATION_VERSION, Verification};
pub use kept_run::{KeptRun, KeptRunError};
pub use past_runs::{PastRun, past_runs, runs_shown};
pub(crate) use report::natively_of;
pub use report::{ConcludeError, ConcludedRun, Standing, concluded, sources};
pub use run_comparison::{RunComparison, VariantChange, VerdictChange, compare_runs};
pub use unfinished::unfinished;
pub use validate::check_report;
pub use verify::verify;
