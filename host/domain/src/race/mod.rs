//! The race: replicas come in, verdicts come out, and with them the decision which variants run
//! next.
//!
//! [`analyse`] takes all replicas at once; [`Race`] takes them one by one, at the cost of the new
//! replica only. Both give the same [`Analysis`], and [`Analysis::next`] says what to run.

mod alpha;
mod analysis;
mod block_times;
mod cold_start;
mod first_scale;
mod implied;
mod means;
mod obvious;
mod pair_sequence;
mod progress;
mod prospect;
mod settings;
mod times;
mod totals;

pub use alpha::ClaimScope;
pub use analysis::{Analysis, Race, analyse};
pub use first_scale::first_scales;
pub use obvious::blocks_needed;
pub use progress::{INPUTS_ENOUGH, NextStep, RemainingBudget, StopReason};
pub use prospect::{Prospect, prospect};
pub use settings::{FirstScale, RaceSettings};
pub use times::TimeSummary;
