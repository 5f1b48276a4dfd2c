//! The race: replicas come in, verdicts come out, and with them the decision who runs next.
//!
//! [`analyse`] does it for replicas at hand; [`Race`] does the same step by step, at the cost of
//! the new replica only. Both give the same [`Analysis`], and [`Analysis::next`] says what to run.

mod analysis;
mod control;
mod crossover;
mod differences;
mod implied;
mod progress;
mod reversal;
mod settings;
mod state;
mod times;
mod track;

pub use crate::plan::Entrant;
pub use analysis::{Analysis, Race, analyse};
pub use control::Control;
pub use crossover::Crossover;
pub use progress::{Next, Remaining, StopReason};
pub use settings::{Basis, Settings};
pub use state::{Dependence, Factor};
pub use times::TimeSummary;
