//! The race: replicas come in, verdicts come out, and with them the decision who runs next.
//!
//! [`analyse`] takes all replicas at once; [`Race`] takes them one by one, at the cost of the new
//! replica only. Both give the same [`Analysis`], and [`Analysis::next`] says what to run.

mod alpha;
mod analysis;
mod block_times;
mod cold_start;
mod conditions;
mod dependence;
mod first_scale;
mod implied;
mod kinds;
mod pair_sequence;
mod progress;
mod quiet;
mod set_times;
mod settings;
mod sign_inversion;
mod solo_comparison;
mod times;
mod totals;

pub use crate::plan::LiveVariant;
pub use alpha::{Basis, ClaimScope};
pub use analysis::{Analysis, Race, analyse};
pub use dependence::{Dependence, Factor};
pub use first_scale::first_scales;
pub use progress::{NextReplica, NextStep, RemainingBudget, StopReason};
pub use quiet::{QuietCore, QuietReplicas, quiet_reading};
pub use settings::{FirstScale, RaceSettings};
pub use solo_comparison::SoloComparison;
pub use times::TimeSummary;
