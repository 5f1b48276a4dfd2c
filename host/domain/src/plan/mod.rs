//! The plan of the measuring, as values drawn from the experiment's seed: who runs when, how often,
//! on which inputs. Running it is elsewhere; the same seed gives the same plan everywhere.
//!
//! The random order is what makes verdicts valid: for two identical variants each is first equally
//! often in every block, so their difference is as likely positive as negative, whatever the
//! machine does meanwhile.

mod draw;
mod pilot;
mod sampling;
mod seeds;
mod steady;

pub use draw::{
    BlockPlan, CasePlan, Company, Entrant, Load, ReplicaPlan, ReplicaSpec, Stage, Turn, company,
    draw,
};
pub use pilot::{PilotReadings, brief_variants};
pub use sampling::{Conditions, Sampling, TooShort, call_ns_min, choose};
pub use seeds::{
    CALLS_MAX, CASES_MAX, Purpose, REPLICAS_MAX, SampleSeeds, sample_seeds, splitmix64,
};
pub use steady::{Steadiness, Trend, WarmUp, steadiness};

/// Blocks of a replica at least.
pub const BLOCKS_MIN: u32 = 4;
/// Blocks of a replica at most: more blocks in one process never replace more processes.
pub const BLOCKS_MAX: u32 = 16;
